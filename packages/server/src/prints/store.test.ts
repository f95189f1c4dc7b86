import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TEST_POSTGRES_URL } from '../adapters/testing.js'
import { listPrintersWithPrints, printersQuery, printersWithPrintsQuery } from '../printers/store.js'
import { NOW } from '../printers/sample.js'
import { openTestWorld, type TestWorld } from '../printers/testing.js'
import {
  hasAgentEvent,
  insertAgentEvent,
  insertPrinterEvent,
  listPrinterEvents,
  printerEventsQuery,
  pruneAgentEvents,
} from './events-store.js'
import { pageOf, type PrintQuery, selectionOf } from './listing.js'
import { allPrintsQuery, countPrints, countQuery, listAllPrints, listPrints, printsQuery } from './listing-store.js'
import { planOf as planOfStats, runsOf } from './stats.js'
import { dayTotalsQuery } from './stats-store.js'
import {
  findCurrentPrint,
  findPrintByTs,
  findRunningPrint,
  findVisiblePrint,
  listPrintPrinters,
  summarizePredictions,
  updatePrint,
} from './store.js'

let world: TestWorld

beforeAll(async () => {
  world = await openTestWorld()
})

afterAll(async () => {
  await world.close()
})

async function list(userId: number, query: PrintQuery): Promise<number[]> {
  const rows = await listPrints(world.db, userId, selectionOf(query), pageOf(query))
  expect(await countPrints(world.db, userId, selectionOf(query))).toBeGreaterThanOrEqual(rows.length)
  return rows.map(({ id }) => id)
}

async function addPrediction(print: { id: number; printer_id: number }, frame_at: number): Promise<void> {
  const means = { ewm_mean: 0, rolling_mean_short: 0, rolling_mean_long: 0, current_p: 0, normalized_p: 0 }
  const counts = { current_frame_num: 1, lifetime_frame_num: 1 }
  await world.db
    .insertInto('predictions')
    .values({
      ...means,
      ...counts,
      print_id: print.id,
      printer_id: print.printer_id,
      frame_at,
      detections: '[]',
      detector: 'd',
      sensitivity: 1,
      created_at: frame_at + 40,
    })
    .execute()
}

test('lists by filter, printer, order and page', async () => {
  const user = await world.addUser()
  const left = await world.addPrinter(user)
  const right = await world.addPrinter(user)
  const end = { state: 'finished', started_at: NOW - 5000 }
  const done = await world.addPrint(left, { ...end, finished_at: NOW })
  const cancelled = await world.addPrint(left, {
    ...end,
    started_at: NOW - 4000,
    cancelled_at: NOW,
    alert_overwrite: 'FAILED',
  })
  const failed = await world.addPrint(right, { ...end, started_at: NOW - 3000, cancelled_at: NOW, failed_at: NOW })
  const running = await world.addPrint(right, { started_at: NOW - 3000 })

  expect(await list(user, {})).toEqual([running.id, failed.id, cancelled.id, done.id])
  expect(await list(user, { sorting: 'date_asc' })).toEqual([done.id, cancelled.id, failed.id, running.id])
  expect(await list(user, { sorting: 'date_asc', start: 1, limit: 2 })).toEqual([cancelled.id, failed.id])
  expect(await list(user, { sorting: 'date_asc', limit: 0 })).toEqual([])
  expect(await list(user, { filter: 'finished' })).toEqual([done.id])
  expect(await list(user, { filter: 'cancelled' })).toEqual([failed.id, cancelled.id])
  expect(await list(user, { filter: 'failed' })).toEqual([failed.id])
  expect(await list(user, { filter: 'need_alert_overwrite' })).toEqual([running.id, failed.id, done.id])
  expect(await list(user, { filter: 'need_print_shot_feedback' })).toEqual([])
  expect(await list(user, { 'filter_by_printer_ids[]': [left.id] })).toEqual([cancelled.id, done.id])
  expect(await list(user, { filter: 'finished', 'filter_by_printer_ids[]': [right.id] })).toEqual([])
  expect(await list(user, { 'filter_by_printer_ids[]': [] })).toEqual([])
})

test('a page of all prints comes with how many there are, also one behind the last', async () => {
  const [mine, other] = [await world.addUser(), await world.addUser()]
  const printer = await world.addPrinter(mine)
  await world.addPrint(await world.addPrinter(other), { state: 'finished' })
  const ids: number[] = []
  for (const age of [3, 2, 1]) {
    const print = await world.addPrint(printer, { state: 'finished', started_at: NOW - age * 1000 })
    ids.push(print.id)
  }
  const page = async (userId: number, order: 'asc' | 'desc', start: number, limit: number) => {
    const { prints, total } = await listAllPrints(world.db, userId, { order, start, limit })
    return [prints.map(({ id }) => id), total]
  }
  const [oldest, middle, newest] = ids
  expect(await page(mine, 'desc', 0, 2)).toEqual([[newest, middle], 3])
  expect(await page(mine, 'asc', 1, 2)).toEqual([[middle, newest], 3])
  expect(await page(mine, 'asc', 0, 1)).toEqual([[oldest], 3])
  expect(await page(mine, 'desc', 3, 2)).toEqual([[], 3])
  expect(await page(mine, 'desc', 0, 0)).toEqual([[], 3])
  expect(await page(await world.addUser(), 'desc', 0, 2)).toEqual([[], 0])
})

test("nobody sees somebody else's prints", async () => {
  const [mine, other] = [await world.addUser(), await world.addUser()]
  const printer = await world.addPrinter(mine)
  const print = await world.addCurrentPrint(printer)
  expect(await list(other, {})).toEqual([])
  expect(await list(other, { 'filter_by_printer_ids[]': [printer.id] })).toEqual([])
  expect(await findVisiblePrint(world.db, other, print.id)).toBeUndefined()
  expect(await findVisiblePrint(world.db, mine, print.id)).toMatchObject({ id: print.id, has_predictions: 0 })
})

test('finds the print of a printer by state, by name and by the pointer of the printer', async () => {
  const printer = await world.addPrinter(await world.addUser())
  await world.addPrint(printer, { state: 'finished', current_print_ts: 5 })
  expect(await findRunningPrint(world.db, printer.id)).toBeUndefined()
  const print = await world.addCurrentPrint(printer, { state: 'paused', current_print_ts: 1_795_251_649.05 })
  expect(await findRunningPrint(world.db, printer.id)).toMatchObject({ id: print.id })
  expect(await findPrintByTs(world.db, printer.id, 1_795_251_649.05)).toMatchObject({ id: print.id })
  expect(await findPrintByTs(world.db, printer.id, 6)).toBeUndefined()
  expect(await findCurrentPrint(world.db, printer.id)).toMatchObject({ id: print.id, has_predictions: 0 })
  await addPrediction(print, NOW)
  expect(await findCurrentPrint(world.db, printer.id)).toMatchObject({ has_predictions: 1 })
})

test('a list of printers comes with the prints to which they point, as each is found by itself', async () => {
  const user = await world.addUser()
  const [first, second, third] = [
    await world.addPrinter(user),
    await world.addPrinter(user),
    await world.addPrinter(user),
  ]
  await world.addPrint(first, { state: 'finished' })
  await world.addCurrentPrint(second, { alerted_at: 5, filament_used: 1.25 })
  await addPrediction(await world.addCurrentPrint(third), NOW)
  const { printers, prints } = await listPrintersWithPrints(world.db, user, { withArchived: false })
  expect(printers.map(({ id, user_id, name }) => [id, user_id, name])).toEqual(
    [first, second, third].map(({ id, name }) => [id, user, name]),
  )
  expect(prints).toEqual([await findCurrentPrint(world.db, second.id), await findCurrentPrint(world.db, third.id)])
  expect(await listPrintersWithPrints(world.db, await world.addUser(), { withArchived: true })).toEqual({
    printers: [],
    prints: [],
  })
})

test('two prints cannot run on one printer', async () => {
  const printer = await world.addPrinter(await world.addUser())
  await world.addPrint(printer)
  await expect(world.addPrint(printer, { state: 'paused' })).rejects.toThrow(/UNIQUE/)
})

test('changing nothing answers the print as it is, and changing what is gone answers nothing', async () => {
  const print = await world.addPrint(await world.addPrinter(await world.addUser()))
  expect(await updatePrint(world.db, print.id, {})).toEqual(print)
  expect(await updatePrint(world.db, print.id, { alerted_at: 5 })).toEqual({ ...print, alerted_at: 5 })
  expect(await updatePrint(world.db, 999, { alerted_at: 5 })).toBeUndefined()
})

test('the printers of prints come with what mutes them', async () => {
  const printer = await world.addPrinter(await world.addUser())
  expect(await listPrintPrinters(world.db, [printer.id])).toMatchObject([{ current_alert_muted_at: null }])
  await world.addCurrentPrint(printer, { alert_muted_at: 7 })
  expect(await listPrintPrinters(world.db, [printer.id, 999])).toMatchObject([
    { id: printer.id, current_alert_muted_at: 7 },
  ])
  expect(await listPrintPrinters(world.db, [])).toEqual([])
})

test('predictions are summarized', async () => {
  const print = await world.addPrint(await world.addPrinter(await world.addUser()))
  expect(await summarizePredictions(world.db, print.id)).toEqual({ count: 0, last_at: null })
  await addPrediction(print, NOW)
  await addPrediction(print, NOW + 10_000)
  expect(await summarizePredictions(world.db, print.id)).toEqual({ count: 2, last_at: NOW + 10_040 })
})

test('an event of an agent counts once', async () => {
  const printer = await world.addPrinter(await world.addUser())
  const event = { printer_id: printer.id, event_id: 'e', received_at: NOW }
  expect(await hasAgentEvent(world.db, printer.id, 'e')).toBe(false)
  expect(await insertAgentEvent(world.db, event)).toBe(true)
  expect(await insertAgentEvent(world.db, event)).toBe(false)
  expect(await hasAgentEvent(world.db, printer.id, 'e')).toBe(true)
  await pruneAgentEvents(world.db, printer.id, NOW)
  expect(await hasAgentEvent(world.db, printer.id, 'e')).toBe(true)
  await pruneAgentEvents(world.db, printer.id, NOW + 1)
  expect(await hasAgentEvent(world.db, printer.id, 'e')).toBe(false)
})

test("the history is the user's, newest first, by printer and print", async () => {
  const [mine, other] = [await world.addUser(), await world.addUser()]
  const left = await world.addPrinter(mine)
  const right = await world.addPrinter(mine)
  const print = await world.addPrint(right)
  const line = { user_id: mine, event_type: 'STARTED', event_class: 'INFO', created_at: NOW }
  const first = await insertPrinterEvent(world.db, { ...line, printer_id: left.id })
  const second = await insertPrinterEvent(world.db, { ...line, printer_id: right.id, print_id: print.id })
  const ids = async (userId: number, selection = {}, page = { start: 0, limit: 12 }) =>
    (await listPrinterEvents(world.db, userId, selection, page)).map(({ id }) => id)
  expect(await ids(mine)).toEqual([second.id, first.id])
  expect(await ids(mine, {}, { start: 1, limit: 1 })).toEqual([first.id])
  expect(await ids(mine, { printerId: left.id })).toEqual([first.id])
  expect(await ids(mine, { printId: print.id })).toEqual([second.id])
  expect(await ids(other)).toEqual([])
})

/** How the engine would run a query, one line a step. */
async function planOf({ sql, parameters }: { sql: string; parameters: readonly unknown[] }): Promise<string> {
  const plan = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
  const { rows } = await world.db.executeQuery<{ detail: string }>(plan)
  return rows.map(({ detail }) => detail).join('\n')
}

const IN_ORDER = /SEARCH prints USING INDEX prints_user_started \(user_id=\?/

// The words of a plan are SQLite's.
const planTest = test.skipIf(TEST_POSTGRES_URL !== undefined)

planTest.each<{ name: string; query: PrintQuery; index: RegExp }>([
  { name: 'newest first', query: {}, index: IN_ORDER },
  { name: 'oldest first', query: { sorting: 'date_asc', start: 20, limit: 20 }, index: IN_ORDER },
  { name: 'cancelled', query: { filter: 'cancelled' }, index: IN_ORDER },
  { name: 'by date', query: { from_date: '2026-01-01', to_date: '2026-12-31' }, index: IN_ORDER },
  { name: 'failed', query: { filter: 'failed' }, index: /prints_user_failed \(user_id=\?\)/ },
  {
    name: 'of one printer',
    query: { 'filter_by_printer_ids[]': [7] },
    index: /prints_user_printer \(user_id=\? AND printer_id=\?\)/,
  },
])('a list of prints, $name, is read from an index in order', async ({ query, index }) => {
  const plan = await planOf(printsQuery(world.db, 1, selectionOf(query), pageOf(query)).compile())
  expect(plan).toMatch(index)
  expect(plan).not.toMatch(/SCAN|TEMP B-TREE/)
  expect(plan).toMatch(/SEARCH predictions USING COVERING INDEX/)
  expect(plan).toMatch(/SEARCH print_shot_feedbacks USING COVERING INDEX/)
})

planTest('a page of all prints with their number is read from indexes', async () => {
  const plan = await planOf(allPrintsQuery(world.db, 1, { order: 'desc', start: 0, limit: 24 }).compile())
  expect(plan).toMatch(IN_ORDER)
  // Once, not for each row: else it would be correlated.
  expect(plan).toMatch(/^SCALAR SUBQUERY \d+\nSEARCH print_counts USING INDEX print_counts_user/m)
  expect(plan).not.toMatch(/SCAN|TEMP B-TREE/)
})

planTest('prints that need feedback are looked up by the ids of those that have shots', async () => {
  const query: PrintQuery = { filter: 'need_print_shot_feedback' }
  const plan = await planOf(printsQuery(world.db, 1, selectionOf(query), pageOf(query)).compile())
  expect(plan).toMatch(/SEARCH prints USING INTEGER PRIMARY KEY \(rowid=\?\)/)
  expect(plan).toMatch(/SEARCH print_shot_feedbacks USING INDEX print_shot_feedbacks_user \(user_id=\?\)/)
})

planTest('counting and adding up read nothing but the index', async () => {
  const dates = selectionOf({ from_date: '2026-01-01', to_date: '2026-12-31', filter: 'finished' })
  const covering =
    /SEARCH prints USING COVERING INDEX prints_user_started \(user_id=\? AND started_at>\? AND started_at<\?\)/
  expect(await planOf(countQuery(world.db, 1, dates).compile())).toMatch(covering)
  const plan = planOfStats({
    timezone: 'Europe/Berlin',
    from_date: '2026-01-01',
    to_date: '2026-12-31',
    group_by: 'week',
  })
  expect(await planOf(dayTotalsQuery(world.db, 1, dates, runsOf(plan)).compile())).toMatch(covering)
})

planTest('a list of printers and the history are read from their indexes', async () => {
  const printers = await planOf(printersQuery(world.db, 1, { withArchived: false }).compile())
  expect(printers).toMatch(/SEARCH printers USING INDEX printers_user \(user_id=\?\)/)
  expect(printers).not.toMatch(/TEMP B-TREE/)
  const withPrints = await planOf(printersWithPrintsQuery(world.db, 1, { withArchived: false }).compile())
  expect(withPrints).toMatch(/SEARCH printers USING INDEX printers_user \(user_id=\?\)/)
  expect(withPrints).toMatch(/SEARCH prints USING INTEGER PRIMARY KEY/)
  expect(withPrints).not.toMatch(/TEMP B-TREE/)
  const events = await planOf(printerEventsQuery(world.db, 1, {}, { start: 0, limit: 12 }).compile())
  expect(events).toMatch(/SEARCH printer_events USING INDEX printer_events_user \(user_id=\?\)/)
  expect(events).not.toMatch(/TEMP B-TREE/)
})
