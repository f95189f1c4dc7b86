import { afterAll, afterEach, beforeAll, test } from 'vitest'
import { film, fineShots, stopFilming } from '../support/filming.js'
import { Fleet } from '../support/fleet.js'
import { until } from '../support/processes.js'

// One detector process with more pictures than it can look at.

const PATIENCE_MS = 240_000
const TEST_MS = 600_000

let fleet: Fleet

beforeAll(async () => {
  fleet = await Fleet.open()
  await Promise.all([fleet.start('web', 'web'), fleet.start('detector', 'detector')])
  await fleet.signIn()
  await until('the detector', async () => (await fleet.ready('web')).status === 200, PATIENCE_MS, 500)
}, 600_000)

afterEach(() => stopFilming())
afterAll(() => fleet?.close(), 120_000)

test(
  'too many pictures: the oldest give way, and every printer is looked at with its newest one',
  async () => {
    const fine = await fineShots()
    const [first] = fine
    if (first === undefined) throw new Error('no picture')
    const crowd = await Promise.all(['A', 'B', 'C', 'D'].map((name) => fleet.addPrinter(`Crowd ${name}`)))
    for (const { id, printer } of crowd) {
      printer.begin('crowd.gcode')
      await until('its camera', async () => printer.show(first), PATIENCE_MS, 500)
      // Five looks for each picture: more than a detector can do.
      await fleet.client.updateCameras({ id, settings: { tiles: 'always' } })
    }
    const dropped = () => fleet.metric('web', 'printwarden_detection_frames_total{outcome="dropped"}')
    for (const { printer } of crowd) film(printer, fine, 20)
    await until('pictures to give way', async () => (await dropped()) >= 20, PATIENCE_MS, 500)
    // Under this load each of them is still looked at.
    const now = Date.now()
    const lookedAt = async (id: number): Promise<number> =>
      Date.parse((await fleet.client.getPrinter({ id })).watching.last_analysed_at ?? '') || 0
    for (const { id } of crowd) {
      await until(`a look at printer ${id} under load`, async () => (await lookedAt(id)) > now, PATIENCE_MS, 500)
    }
  },
  TEST_MS,
)
