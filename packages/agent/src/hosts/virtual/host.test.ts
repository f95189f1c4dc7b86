import { describe, expect, test } from 'vitest'
import { fakeClock } from '../../time/fake-clock.js'
import { fakeLog } from '../../log/fake-log.js'
import { hostContract } from '../../host.contract.js'
import type { HostDeps, HostReport } from '../../host.js'
import { hostConfig, type VirtualConfig } from '../../hosts.js'
import { openVirtualHost } from './host.js'

function config(values: Record<string, string> = {}): VirtualConfig {
  const parsed = hostConfig.parse({ host: 'virtual', duration: '60', heating: '5', ...values })
  if (parsed.host !== 'virtual') throw new Error('not virtual')
  return parsed
}

describe('contract', () => {
  hostContract(async () => {
    const clock = fakeClock()
    let host: ReturnType<typeof openVirtualHost> | undefined
    return {
      clock,
      open: (deps: HostDeps) => {
        host = openVirtualHost(config({ autostart: 'false' }), deps)
        return host
      },
      startPrint: async () => void (await host?.print({ path: '', name: 'part.gcode' })),
      finishPrint: () => clock.advance(70_000),
      until: async (what, check) => {
        for (let tries = 0; !check(); tries += 1) {
          if (tries > 1000) throw new Error(`waited in vain for ${what}`)
          clock.advance(100)
        }
      },
      close: async () => undefined,
    }
  })
})

function run(values: Record<string, string>) {
  const clock = fakeClock()
  const reports: HostReport[] = []
  const memory = { load: () => null, save: () => undefined }
  const host = openVirtualHost(config(values), {
    report: (report) => reports.push(report),
    memory,
    clock,
    log: fakeLog(),
  })
  const events = () => reports.flatMap((report) => (report.type === 'print' ? [report.event] : []))
  const snapshot = () => reports.findLast((report) => report.type === 'snapshot')?.snapshot
  return { clock, host, events, snapshot, reports }
}

test('it heats up, prints layer by layer, and cools down', () => {
  const { clock, snapshot } = run({})
  expect(snapshot()?.status.temperatures?.tool0).toMatchObject({ actual: 22, target: 0 })
  clock.advance(3_000)
  const heating = snapshot()?.status
  expect(heating?.temperatures?.tool0?.actual).toBeGreaterThan(80)
  expect(heating?.progress?.completion).toBe(0)
  expect(heating).not.toHaveProperty('currentZ')
  clock.advance(33_000)
  const halfway = snapshot()?.status
  expect(halfway?.progress?.completion).toBeCloseTo(50, -1)
  expect(halfway?.currentLayerHeight).toBeCloseTo(125, -2)
  expect(halfway?.currentZ).toBeCloseTo(25, -1)
  expect(halfway?.temperatures).toMatchObject({ tool0: { actual: 210, target: 210 }, bed: { actual: 60 } })
  clock.advance(120_000)
  expect(snapshot()).toMatchObject({
    phase: 'idle',
    outcome: 'done',
    status: { temperatures: { tool0: { target: 0 } } },
  })
})

test('an emergency stop ends the print as failed, and only a reconnect brings the printer back', async () => {
  const { clock, host, events, snapshot } = run({})
  clock.advance(40_000)
  await host.emergencyStop?.()
  expect(events().at(-1)).toBe('failed')
  clock.advance(60_000)
  expect(snapshot()).toMatchObject({ phase: 'offline', status: { state: { error: 'stopped by an emergency stop' } } })
  await expect(host.pause({})).rejects.toMatchObject({ code: 'not_printing' })
  await host.connectPrinter?.()
  expect(snapshot()?.phase).toBe('idle')
  const [file] = (await host.listFiles?.()) ?? []
  await host.printOwn?.(file?.path ?? '', 'local')
  expect(snapshot()?.phase).toBe('printing')
  await expect(host.printOwn?.(file?.path ?? '', 'local')).rejects.toMatchObject({ code: 'rejected' })
  await expect(host.printOwn?.('another.gcode', 'local')).rejects.toMatchObject({ code: 'rejected' })
})

test('a pause stops the progress, not the clock', async () => {
  const { clock, host, snapshot } = run({})
  clock.advance(20_000)
  await host.pause({})
  clock.advance(5_000)
  const paused = snapshot()?.status.progress?.completion
  clock.advance(600_000)
  expect(snapshot()).toMatchObject({ phase: 'paused', status: { progress: { completion: paused } } })
})

test('the same clock gives the same reports', () => {
  const [a, b] = [run({ fail_at: '0.5' }), run({ fail_at: '0.5' })]
  a.clock.advance(45_000)
  for (let step = 0; step < 45; step += 1) b.clock.advance(1_000)
  expect(a.reports).toEqual(b.reports)
})

test('only a repeating printer prints again, after its rest', () => {
  const once = run({ rest: '10' })
  once.clock.advance(300_000)
  expect(once.events()).toEqual(['started', 'done'])
  const again = run({ rest: '10', repeat: 'true' })
  again.clock.advance(80_000)
  expect(again.events()).toEqual(['started', 'done', 'started'])
})

test('a failure shows in the pictures from its time on, and grows; the host knows nothing of it', () => {
  const { clock, host, snapshot } = run({ fail_at: '0.5', seed: '7' })
  const scene = () => host.scene?.()
  clock.advance(5_500 + 24_000)
  expect(scene()).toMatchObject({ printing: true, failure: 0, seed: 7 })
  clock.advance(9_000)
  const growing = scene()?.failure ?? 0
  expect(growing).toBeGreaterThan(0)
  expect(scene()?.failedAt).toBe(0.5)
  clock.advance(3_000)
  expect(scene()?.failure).toBeGreaterThan(growing)
  clock.advance(20_000)
  expect(scene()?.failure).toBe(1)
  expect(snapshot()).toMatchObject({ phase: 'printing' })
})
