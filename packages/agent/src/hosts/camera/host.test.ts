import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PrinterStatus } from '@printwarden/protocol'
import { plainPicture } from '../../cameras/fake-camera.js'
import { fakeClock, type FakeClock } from '../../time/fake-clock.js'
import { fakeLog } from '../../log/fake-log.js'
import { hostContract } from '../../host.contract.js'
import type { HostDeps, HostReport, PrinterHost } from '../../host.js'
import { hostConfig, openHost } from '../../hosts.js'
import { NEW_TRACKER, track, type Tracker } from '../../tracking/print-tracker.js'
import { LOOK_MS } from './host.js'
import sharp from 'sharp'

describe('contract', () => {
  hostContract(async () => {
    const time = fakeClock()
    let opened: PrinterHost | undefined
    return {
      clock: time,
      takesFiles: false,
      steers: false,
      open: async (deps: HostDeps) => {
        opened = await openHost(hostConfig.parse({ host: 'camera' }), deps)
        return opened
      },
      startPrint: async () => opened?.watch?.start('a vase'),
      finishPrint: async () => opened?.watch?.stop('done'),
      until: async (what, check) => {
        for (let tries = 0; !check(); tries += 1) {
          if (tries > 1000) throw new Error(`waited in vain for ${what}`)
          time.advance(1000)
        }
      },
      close: async () => undefined,
    }
  })
})

let clock: FakeClock
let reports: HostReport[]
let kept: unknown
let host: PrinterHost
let closeHost: () => Promise<void>
/** What the camera sees next; an error when there is no picture. */
let picture: () => Promise<Uint8Array>
let scenes: Buffer[]

beforeEach(async () => {
  clock = fakeClock()
  reports = []
  kept = null
  closeHost = async () => undefined
  const wall = await plainPicture(320, 180, 90)
  const head = { input: { create: { width: 40, height: 40, channels: 3 as const, background: 'black' } }, top: 60 }
  scenes = await Promise.all(
    [20, 120, 220].map((left) =>
      sharp(wall)
        .composite([{ ...head, left }])
        .jpeg()
        .toBuffer(),
    ),
  )
  picture = async () => scenes[0] ?? Buffer.alloc(0)
})
afterEach(() => closeHost())

async function open(values: Record<string, string> = {}): Promise<void> {
  const config = hostConfig.parse({ host: 'camera', motion_minutes: '1', quiet_minutes: '2', ...values })
  const memory = { load: () => kept, save: (value: unknown) => void (kept = JSON.parse(JSON.stringify(value))) }
  host = await openHost(config, { report: (report) => reports.push(report), memory, clock, log: fakeLog() })
  closeHost = () => host.close()
  host.watch?.useCamera(() => picture())
}

const lastSnapshot = () => reports.findLast((report) => report.type === 'snapshot')?.snapshot
const events = () => reports.flatMap((report) => (report.type === 'print' ? [report.event] : []))

/** Lets time pass; `seen` chooses the picture of each look. */
async function pass(minutes: number, seen: (look: number) => number): Promise<void> {
  for (let look = 0; look < (minutes * 60_000) / LOOK_MS; look += 1) {
    const scene = scenes[seen(look)] ?? Buffer.alloc(0)
    const before = picture
    picture = before === broken ? broken : async () => scene
    clock.advance(LOOK_MS)
    await looked()
  }
}

/** Waits until no picture is being decoded, however busy the machine is: the look after a picture that came late would be left out. */
async function looked(): Promise<void> {
  for (let restful = 0; restful < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    const { queue, process } = sharp.counters()
    restful = queue + process === 0 ? restful + 1 : 0
  }
}
const broken = async () => Promise.reject(new Error('no camera'))
const moving = (look: number) => look % 3
const still = () => 1

test('it says that it knows its printer by pictures alone, and makes nothing up', async () => {
  await open()
  expect(lastSnapshot()).toEqual({
    phase: 'idle',
    outcome: null,
    status: { state: expect.objectContaining({ text: 'Operational' }), watched_by: 'picture' },
  })
  await host.watch?.start('vase')
  const status = lastSnapshot()?.status
  expect(PrinterStatus.safeParse({ _ts: 1, ...status }).error).toBeUndefined()
  expect(status).not.toHaveProperty('temperatures')
  expect(status).toMatchObject({
    state: { text: 'Printing' },
    job: { file: { name: 'vase' } },
    progress: { completion: null },
  })
})

test.each(['pause', 'resume', 'cancel'] as const)('%s is refused, with what to do', async (command) => {
  await open()
  await host.watch?.start('vase')
  await expect(host[command]({})).rejects.toMatchObject({
    code: 'rejected',
    message: `this printer is watched by picture alone: ${command} it at the printer itself`,
  })
  expect(events()).toEqual(['started'])
})

test('a file is refused', async () => {
  await open()
  await expect(host.print({ path: '', name: 'a.gcode' })).rejects.toMatchObject({ code: 'rejected' })
})

test('a person starts and stops the watching', async () => {
  await open()
  await host.watch?.start('vase')
  clock.advance(5 * 60_000)
  expect(lastSnapshot()).toMatchObject({ phase: 'printing', status: { progress: { printTime: 300 } } })
  await host.watch?.stop('cancelled')
  expect(lastSnapshot()).toMatchObject({ phase: 'idle', outcome: 'cancelled' })
  expect(events()).toEqual(['started', 'cancelled'])
  await expect(host.watch?.stop('done')).rejects.toMatchObject({ code: 'not_printing' })
})

test('without motion no picture is looked at', async () => {
  await open()
  let looks = 0
  picture = async () => {
    looks += 1
    return Buffer.alloc(0)
  }
  clock.advance(10 * 60_000)
  expect(looks).toBe(0)
})

test('motion starts it, and its end ends it', async () => {
  await open({ motion: 'yes' })
  await pass(2, still)
  expect(events()).toEqual([])
  await pass(2, moving)
  expect(events()).toEqual(['started'])
  await pass(3, still)
  expect(events()).toEqual(['started', 'done'])
})

test('a camera that is lost neither starts nor ends anything', async () => {
  await open({ motion: 'yes' })
  await pass(2, moving)
  picture = broken
  await pass(5, still)
  expect(events()).toEqual(['started'])
})

test('the agent starts anew: the print goes on, as the same', async () => {
  await open()
  await host.watch?.start('vase')
  let tracker: Tracker = NEW_TRACKER
  const tracked: string[] = []
  const feed = () => {
    for (const report of reports.splice(0)) {
      const step = track(tracker, report, { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() })
      tracker = step.tracker
      tracked.push(...step.events.map(({ type, printTs }) => `${type} ${printTs}`))
    }
  }
  feed()
  await host.close()
  clock.advance(60_000)
  tracker = { ...tracker, blind: true }
  await open()
  clock.advance(60_000)
  feed()
  expect(tracked).toHaveLength(1)
  expect(tracked[0]).toMatch(/^PrintStarted /)
  expect(tracker.print?.job?.file.name).toBe('vase')
})

test('after close nothing is reported', async () => {
  await open({ motion: 'yes' })
  await host.close()
  const before = reports.length
  await pass(2, moving)
  expect(reports).toHaveLength(before)
})
