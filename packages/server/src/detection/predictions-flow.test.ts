import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PrinterRow } from '../printers/store.js'
import { countStatements, openTestWorld, type TestWorld } from '../printers/testing.js'
import { NOW } from '../printers/sample.js'
import { predictionsFlow } from './predictions-flow.js'
import type { NewPrediction } from './store.js'

let world: TestWorld
let printer: PrinterRow

beforeAll(async () => {
  world = await openTestWorld()
  printer = await world.addPrinter(await world.addUser())
})

afterAll(() => world.close())

/** A flow whose statements are counted, and what it is to write: analysed frames of a print of its own. */
async function begin() {
  const { database, count } = countStatements(world.database)
  const print = await world.addPrint(printer, { state: 'finished' })
  const frame = (index: number): NewPrediction => ({
    print_id: print.id,
    printer_id: printer.id,
    frame_at: NOW + index * 10_000,
    current_frame_num: index,
    lifetime_frame_num: index,
    current_p: 0.1,
    normalized_p: 0.1,
    ewm_mean: 0.1,
    rolling_mean_short: 0.1,
    rolling_mean_long: 0.1,
    detections: '[]',
    detector: 'test/1',
    sensitivity: 1,
    created_at: NOW,
  })
  const stored = async (): Promise<number[]> => {
    const query = world.db.selectFrom('predictions').select('current_frame_num').where('print_id', '=', print.id)
    return (await query.orderBy('frame_at').execute()).map(({ current_frame_num }) => current_frame_num)
  }
  return { predictions: predictionsFlow({ database, log: world.log }), count, frame, stored }
}

const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index)

test.each([
  { frames: 1, statements: 1 },
  { frames: 100, statements: 1 },
  { frames: 450, statements: 3 },
])('$frames frames that wait are written by $statements statements', async ({ frames, statements }) => {
  const { predictions, count, frame, stored } = await begin()
  for (const index of numbers(frames)) predictions.add(frame(index))
  await predictions.flush()
  expect(count.statements).toBe(statements)
  expect(await stored()).toEqual(numbers(frames))
})

test('frames are written by themselves soon, together', async () => {
  const { predictions, count, frame, stored } = await begin()
  for (const index of numbers(100)) predictions.add(frame(index))
  await expect.poll(stored, { timeout: 30_000 }).toHaveLength(100)
  expect(count.statements).toBe(1)
})

test('a frame that was written before stays one, and takes no other along', async () => {
  const { predictions, frame, stored } = await begin()
  for (const index of [0, 1]) predictions.add(frame(index))
  await predictions.flush()
  for (const index of [1, 2]) predictions.add(frame(index))
  await predictions.flush()
  expect(await stored()).toEqual([0, 1, 2])
})

test('who flushes waits for what is being written already', async () => {
  const { predictions, frame, stored } = await begin()
  predictions.add(frame(0))
  void predictions.flush()
  predictions.add(frame(1))
  await predictions.flush()
  expect(await stored()).toEqual([0, 1])
})
