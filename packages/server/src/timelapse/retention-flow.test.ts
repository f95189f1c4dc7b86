import { afterAll, beforeAll, expect, test } from 'vitest'
import { JOBS_SUBJECT } from '../jobs/flow.js'
import { findPrint } from '../prints/store.js'
import { KEEP_ALL } from './retention.js'
import { RETENTION_JOB } from './retention-flow.js'
import type { TestServer } from '../testing.js'
import { colouredPicture, endPrint, sendPicture, startJobServer, startPrint, timelapseEnd } from './testing.js'

const DAY = 86_400_000
let server: Awaited<ReturnType<typeof startJobServer>>
beforeAll(async () => {
  server = await startJobServer(undefined, { ...KEEP_ALL, finishedDays: 30 })
})
afterAll(() => server.close())

async function filmedPrint(on: TestServer): Promise<number> {
  const { print, printerId, authToken } = await startPrint(on)
  for (let number = 0; number < 3; number++) await sendPicture(on, authToken, await colouredPicture(number))
  await endPrint(on, printerId)
  const row = await timelapseEnd(on, print.id)
  expect(row.timelapse_state).toBe('done')
  return print.id
}

test('the dry run says what the real run takes, and only that goes', async () => {
  // The daily job of the server itself must not be faster than the test.
  await server.database.db.deleteFrom('jobs').execute()
  const old = await filmedPrint(server)
  server.clock.advance(31 * DAY)
  const young = await filmedPrint(server)
  const before = await server.blobs.list('prints/')
  const dry = await server.call('GET', '/api/v1/admin/retention/')
  expect(dry.status).toBe(200)
  expect(await server.blobs.list('prints/')).toEqual(before)
  const real = await server.call('POST', '/api/v1/admin/retention/')
  expect(real.json).toEqual(dry.json)
  expect(real.json).toMatchObject({
    limits: { finished_days: 30, bytes: null },
    prints: [{ print_id: old, reason: 'age' }],
  })

  const after = await server.blobs.list('prints/')
  const freed = before.filter(({ key }) => !after.some((entry) => entry.key === key))
  const bytes = freed.reduce((sum, { size }) => sum + size, 0)
  expect(real.json).toMatchObject({ freed_bytes: bytes, kept_bytes: before.reduce((sum, { size }) => sum + size, 0) })
  expect(freed.every(({ key }) => key.startsWith(`prints/${old}/`))).toBe(true)
  const row = await findPrint(server.database.db, old)
  expect(row).toMatchObject({ video_key: null, timelapse_state: 'none', timelapse_reason: 'archived' })
  expect(row?.video_archived_at).not.toBeNull()
  // The poster stays, so that the list of prints still has its picture.
  expect(await server.blobs.get(row?.poster_key ?? '')).toBeDefined()
  expect((await findPrint(server.database.db, young))?.video_key).not.toBeNull()
  expect((await server.call('GET', '/api/v1/admin/retention/')).json).toMatchObject({ prints: [], freed_bytes: 0 })
})

test('only administrators may ask', async () => {
  const { token } = server.other
  for (const method of ['GET', 'POST']) {
    expect((await server.call(method, '/api/v1/admin/retention/', { token })).status).toBe(403)
  }
})

test('the daily job takes what is too much, and is done again a day later', async () => {
  const other = await startJobServer(undefined, { ...KEEP_ALL, bytes: 0 })
  const { database, clock, bus } = other
  // Making the time-lapse lets time pass, on a slow machine more than the five minutes after which the daily job begins.
  await database.db
    .updateTable('jobs')
    .set({ run_at: clock.now() + DAY })
    .execute()
  const id = await filmedPrint(other)
  clock.advance(DAY)
  const jobs = () => database.db.selectFrom('jobs').selectAll().execute()
  await expect
    .poll(
      async () => {
        bus.publish(JOBS_SUBJECT, {})
        const [job] = await jobs()
        return (job?.run_at ?? 0) > clock.now() && (await findPrint(database.db, id))?.video_key
      },
      { timeout: 20_000 },
    )
    .toBeNull()
  expect(await jobs()).toMatchObject([{ kind: RETENTION_JOB, state: 'ready', attempts: 0 }])
  expect((await jobs())[0]?.run_at).toBeGreaterThan(clock.now() + 0.9 * DAY)
  await other.close()
})
