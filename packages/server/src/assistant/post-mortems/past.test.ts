import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertPredictions } from '../../detection/store.js'
import { addPrint, openTestWorld, type TestWorld } from '../../printers/testing.js'
import { insertPrinterEvent } from '../../prints/events-store.js'
import type { PrintRow } from '../../prints/store.js'
import { insertTemperatures, listTemperatures } from '../../prints/temperatures-store.js'
import { pastFlow } from './past-flow.js'
import { listPastEvents, listScores } from './post-mortem-store.js'

// What is read of a print that has ended, from a real database.

const START = 1_795_000_000_000
const MINUTE = 60_000

let world: TestWorld
let print: PrintRow

beforeAll(async () => {
  world = await openTestWorld()
  const printer = await world.addPrinter(await world.addUser())
  print = await addPrint(world.db, printer, { state: 'failed', started_at: START, failed_at: START + 10 * MINUTE })
})
afterAll(() => world.close())

test('of more readings than are told the last ones are, in order of time', async () => {
  const rows = [0, 1, 2, 3].map((n) => ({ print_id: print.id, at: START + n, heaters: { bed: [n, 60] as const } }))
  await insertTemperatures(world.db, rows)
  const told = async (most?: number) => (await listTemperatures(world.db, print.id, most)).map(({ at }) => at - START)
  expect(await told(3)).toEqual([1, 2, 3])
  expect(await told()).toEqual([0, 1, 2, 3])
})

test('of more scores than are told the last ones are, in order of time', async () => {
  const { id: print_id, printer_id } = print
  const scored = { ...{ print_id, printer_id, current_frame_num: 1, lifetime_frame_num: 1, current_p: 0 } }
  const gauge = { ewm_mean: 0, rolling_mean_short: 0, rolling_mean_long: 0, detections: '[]', camera_id: null }
  await insertPredictions(
    world.db,
    [0, 1, 2, 3].map((n) => ({
      ...{ ...scored, ...gauge, frame_at: START + n, normalized_p: n / 10 },
      ...{ detector: 'test/1', sensitivity: 1, created_at: START },
    })),
  )
  const told = async (most?: number) => (await listScores(world.db, print.id, most)).map((row) => row.normalized_p)
  expect(await told(3)).toEqual([0.1, 0.2, 0.3])
  expect(await told()).toEqual([0, 0.1, 0.2, 0.3])
})

test('lines of a deleted print next to it are not told; those of no print are', async () => {
  const { user_id, printer_id } = print
  const line = (event_type: string, minute: number, print_id: number | null = null) => ({
    ...{ user_id, printer_id, print_id, event_type, event_class: 'INFO', event_title: event_type, event_text: null },
    ...{ image_key: null, info_url: null, created_at: START + minute * MINUTE },
  })
  for (const row of [
    line('ENDED', -0.5),
    line('STARTED', 0, print.id),
    line('PRINTER_ERROR', 5),
    line('WATCHING_LOST', 6, print.id),
    line('ENDED', 10, print.id),
    line('PRINTER_ERROR', 10.2),
    line('STARTED', 10.3),
    line('FAILURE_ALERTED', 10.5),
    line('PAUSED', 10.6),
    line('PRINTER_ERROR', 12),
  ]) {
    await insertPrinterEvent(world.db, row)
  }
  const told = await listPastEvents(world.db, print)
  expect(told.map(({ event_type, created_at }) => `${event_type} ${(created_at - START) / MINUTE}`)).toEqual([
    'STARTED 0',
    'PRINTER_ERROR 5',
    'WATCHING_LOST 6',
    'ENDED 10',
    'PRINTER_ERROR 10.2',
  ])
})

test('when the caller hangs up no further picture is decoded', async () => {
  const bytes = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'grey' } })
    .jpeg()
    .toBuffer()
  const caller = new AbortController()
  const read: string[] = []
  const blobs = {
    async get(key: string) {
      read.push(key)
      caller.abort(new Error('the caller is gone'))
      return { bytes, contentType: 'image/jpeg' }
    },
  }
  const pictures = { places: async () => [] }
  const flow = pastFlow({ ...world, blobs, pictures, temperatures: { flush: async () => {} } })
  const kept = [1, 3, 5, 9].map((minute) => {
    return { key: `${minute}.jpg`, taken_at: START + minute * MINUTE, isUpright: true }
  })
  const past = { print, events: [], scores: [], temperatures: [], pictures: kept, alerts: [] }
  await expect(flow.draw(print, past, caller.signal)).rejects.toThrow('the caller is gone')
  expect(read).toEqual(['1.jpg'])
})
