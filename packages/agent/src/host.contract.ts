import { PrinterStatus } from '@printwarden/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Clock } from './time/clock.js'
import { fakeLog } from './log/fake-log.js'
import { HostError, type HostDeps, type HostPhase, type HostReport, type PrinterHost } from './host.js'
import { NEW_TRACKER, track, type Tracker } from './tracking/print-tracker.js'

/** A printer that the contract can play with, and the host in front of it. */
export interface HostRig {
  readonly clock: Clock
  /** False for a host that only watches what a printer prints by itself. */
  readonly takesFiles?: false
  /** False for a host that cannot steer its printer, and knows neither its file nor how far it is. */
  readonly steers?: false
  open(deps: HostDeps): PrinterHost | Promise<PrinterHost>
  /** Starts a print, as somebody at the printer would. */
  startPrint(): void | Promise<void>
  /** Brings the running print to its end. */
  finishPrint(): void | Promise<void>
  /** Lets time pass until `check` holds; rejects when it never does. */
  until(what: string, check: () => boolean): Promise<void>
  close(): Promise<void>
}

/** What every host must do. Each host's test calls this once. */
export function hostContract(makeRig: () => Promise<HostRig>): void {
  let rig: HostRig
  let host: PrinterHost
  let reports: HostReport[]
  let kept: unknown

  beforeEach(async () => {
    rig = await makeRig()
    reports = []
    kept = null
    const memory = { load: () => kept, save: (value: unknown) => void (kept = value) }
    host = await rig.open({ report: (report) => reports.push(report), memory, clock: rig.clock, log: fakeLog() })
    await seen('idle')
  })
  afterEach(async () => {
    await host.close()
    await rig.close()
  })

  const phases = () => reports.flatMap((report) => (report.type === 'snapshot' ? [report.snapshot.phase] : []))
  const seen = (phase: HostPhase) => rig.until(`the phase ${phase}`, () => phases().at(-1) === phase)
  const printEvents = () => reports.flatMap((report) => (report.type === 'print' ? [report.event] : []))
  const lastSnapshot = () => reports.findLast((report) => report.type === 'snapshot')?.snapshot

  /** What the agent would tell the server. */
  function tracked(): string[] {
    let tracker: Tracker = NEW_TRACKER
    return reports.flatMap((report, index) => {
      const step = track(tracker, report, { wallMs: index * 1000, monotonicMs: index })
      tracker = step.tracker
      return step.events.map(({ type }) => type)
    })
  }

  async function start(): Promise<void> {
    await rig.startPrint()
    await seen('printing')
  }

  /** A test of a host that steers its printer. */
  const steering = (name: string, body: () => Promise<void>): void =>
    test(name, async (context) => {
      if (rig.steers === false) context.skip()
      await body()
    })

  test('every snapshot is a valid status', async () => {
    await start()
    if (rig.steers !== false) {
      await host.pause({})
      await seen('paused')
    }
    for (const report of reports) {
      if (report.type !== 'snapshot') continue
      expect(PrinterStatus.safeParse({ _ts: 1, ...report.snapshot.status }).error).toBeUndefined()
    }
  })

  test('a print starts once, with its file', async () => {
    await start()
    expect(printEvents()).toEqual(['started'])
    if (rig.steers !== false) expect(lastSnapshot()?.status.job?.file.name).toMatch(/\.gcode$/)
    expect(tracked()).toEqual(['PrintStarted'])
  })

  test('a print that finishes is done, at 100 %', async () => {
    await start()
    await rig.finishPrint()
    await seen('idle')
    expect(tracked()).toEqual(['PrintStarted', 'PrintDone'])
    expect(lastSnapshot()).toMatchObject({ outcome: 'done' })
    if (rig.steers !== false) expect(lastSnapshot()?.status.progress?.completion).toBe(100)
  })

  steering('pause and resume', async () => {
    await start()
    await host.pause({})
    await seen('paused')
    await host.resume()
    await seen('printing')
    expect(tracked()).toEqual(['PrintStarted', 'PrintPaused', 'PrintResumed'])
  })

  steering('a pause of a paused print changes nothing', async () => {
    await start()
    await host.pause({})
    await seen('paused')
    await host.pause({})
    expect(tracked()).toEqual(['PrintStarted', 'PrintPaused'])
  })

  steering('cancel ends a print, once', async () => {
    await start()
    await host.cancel()
    await seen('idle')
    expect(tracked()).toEqual(['PrintStarted', 'PrintCancelled'])
    expect(lastSnapshot()?.outcome).not.toBe('done')
  })

  steering('cancel ends a paused print', async () => {
    await start()
    await host.pause({})
    await seen('paused')
    await host.cancel()
    await seen('idle')
    expect(tracked()).toEqual(['PrintStarted', 'PrintPaused', 'PrintCancelled'])
  })

  steering('one print after another', async () => {
    await start()
    await host.cancel()
    await seen('idle')
    await start()
    expect(tracked()).toEqual(['PrintStarted', 'PrintCancelled', 'PrintStarted'])
  })

  test.each(['pause', 'resume', 'cancel'] as const)('%s without a print is refused', async (command) => {
    const error = await host[command]({}).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(HostError)
    expect(error).toMatchObject({ code: rig.steers === false ? 'rejected' : 'not_printing' })
  })

  test.each(['pause', 'resume', 'cancel'] as const)('%s is refused where it cannot be done', async (command) => {
    if (rig.steers !== false) return expect(host[command]({})).rejects.toBeInstanceOf(HostError)
    await start()
    await expect(host[command]({})).rejects.toMatchObject({ code: 'rejected' })
    expect(tracked()).toEqual(['PrintStarted'])
  })

  steering('resume of a running print is refused', async () => {
    await start()
    await expect(host.resume()).rejects.toMatchObject({ code: 'not_printing' })
  })

  test('a file handed over is printed, or refused by a host that takes none', async () => {
    const file = { path: new URL('../package.json', import.meta.url).pathname, name: 'given.gcode' }
    if (rig.takesFiles === false) return expect(host.print(file)).rejects.toMatchObject({ code: 'rejected' })
    const path = await host.print(file)
    await seen('printing')
    expect(path).toBe('given.gcode')
    expect(lastSnapshot()?.status.job?.file.path).toBe('given.gcode')
    expect(tracked()).toEqual(['PrintStarted'])
  })

  test('a second file is refused while one is printed', async () => {
    await start()
    const file = { path: new URL('../package.json', import.meta.url).pathname, name: 'second.gcode' }
    await expect(host.print(file)).rejects.toMatchObject({ code: 'rejected' })
  })

  test('after close nothing is reported', async () => {
    await host.close()
    const before = reports.length
    await rig.startPrint()
    expect(reports).toHaveLength(before)
  })
}
