import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestWorld, type TestWorld } from '../printers/testing.js'
import { requestTimelapses } from './request-flow.js'

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
