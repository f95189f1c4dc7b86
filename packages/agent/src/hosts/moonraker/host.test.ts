import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fakeClock, type FakeClock } from '../../fake-clock.js'
import { fakeLog, type FakeLog } from '../../fake-log.js'
import { hostContract } from '../../host.contract.js'
import type { HostReport, PrinterHost } from '../../host.js'
import { until } from '../../testing.js'
import { startFakeMoonraker, type FakeMoonraker } from './fake-moonraker.js'
import { openMoonrakerHost } from './host.js'

describe('contract', () => {
  hostContract(async () => {
    const fake = await startFakeMoonraker()
    return {
      clock: fakeClock(),
      open: (deps) => openMoonrakerHost({ host: 'moonraker', url: fake.url }, deps),
      startPrint: () => fake.startPrint('part.gcode'),
      finishPrint: () => fake.finishPrint(),
      until,
      close: () => fake.stop(),
    }
  })
})
