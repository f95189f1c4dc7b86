import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPrint, openTestWorld, type TestWorld } from '../printers/testing.js'
import { findPrint } from '../prints/store.js'
import { awaitMorePics, requestTimelapses } from './request-flow.js'

let world: TestWorld
beforeAll(async () => {
  world = await openTestWorld()
})
afterAll(() => world.close())

const NOW = 1_795_000_000_000

test.each([
  { name: 'an end that was told', ended: { end_assumed: false }, afterS: 3 },
  { name: 'an end that was assumed', ended: { end_assumed: true }, afterS: 120 },
  { name: 'pictures on their way are waited for', ended: { end_assumed: false, pics_to_come: 1 }, afterS: 900 },
])('$name', async ({ ended, afterS }) => {
  const { db } = world.database
  await requestTimelapses(db, [{ id: 70, ...ended }], NOW)
  const job = await db.selectFrom('jobs').select('run_at').where('key', '=', 'timelapse:70').executeTakeFirstOrThrow()
  expect((job.run_at - NOW) / 1000).toBe(afterS)
})

test.each([
  { name: 'waits: the wait is prolonged', state: 'finished', timelapse: 'waiting', isOfUse: true, isAsked: true },
  { name: 'is being made: its end removes the picture', state: 'finished', timelapse: 'rendering', isOfUse: true },
  { name: 'was made: it stays as it is', state: 'finished', timelapse: 'done', isOfUse: false },
  { name: 'was given up: that stays so', state: 'cancelled', timelapse: 'none', isOfUse: false },
  { name: 'failed: that stays so', state: 'finished', timelapse: 'failed', isOfUse: false },
  { name: 'is for later, since the print runs', state: 'running', timelapse: null, isOfUse: true },
  { name: 'is for later, since the print goes on after all', state: 'running', timelapse: 'waiting', isOfUse: true },
])('a picture comes for a time-lapse that $name', async ({ state, timelapse, isOfUse, isAsked = false }) => {
  const { db } = world.database
  const printer = await world.addPrinter(await world.addUser())
  const print = await addPrint(db, printer, { state, timelapse_state: timelapse })
  expect(await world.database.transaction((trx) => awaitMorePics(trx, print.id, 1, NOW))).toBe(isOfUse)
  expect(await findPrint(db, print.id)).toEqual(print)
  const job = await db.selectFrom('jobs').select('run_at').where('key', '=', `timelapse:${print.id}`).executeTakeFirst()
  expect(job !== undefined).toBe(isAsked)
})

test('a picture of a print that ran when it came leaves the wait of its time-lapse as it is', async () => {
  const { db } = world.database
  const printer = await world.addPrinter(await world.addUser())
  const print = await addPrint(db, printer, { state: 'cancelled', timelapse_state: 'waiting' })
  expect(await world.database.transaction((trx) => awaitMorePics(trx, print.id, undefined, NOW))).toBe(true)
  expect(await db.selectFrom('jobs').select('id').where('key', '=', `timelapse:${print.id}`).execute()).toEqual([])
})

test('a picture of a print that was deleted is of no use', async () => {
  expect(await world.database.transaction((trx) => awaitMorePics(trx, 4711, 1, NOW))).toBe(false)
  expect(await world.database.db.selectFrom('jobs').select('id').where('key', '=', 'timelapse:4711').execute()).toEqual(
    [],
  )
})
