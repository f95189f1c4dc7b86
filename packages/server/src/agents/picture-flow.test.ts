import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDiskBlobs } from '../adapters/blobs-disk.js'
import { findPrint, updatePrint } from '../prints/store.js'
import { startTestServer, type TestServer } from '../testing.js'
import { framesPrefix } from '../timelapse/frames.js'
import { stepOf } from '../timelapse/reasons.js'
import { colouredPicture, endPrint, sendPicture, startPrint } from '../timelapse/testing.js'
import { picturePrefix } from './picture.js'

// What two nodes do at the same time on the same blobs. The server under test is one of them; the test does what the other one would.

let folder: string
let server: TestServer
let jpeg: Buffer
/** What the other node does while a picture is on its way to the blobs. */
let meanwhile: () => Promise<void>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-pictures-'))
  const blobs = await openDiskBlobs(folder)
  server = await startTestServer({
    blobs: {
      ...blobs,
      async put(...blob) {
        await meanwhile()
        await blobs.put(...blob)
      },
    },
  })
  jpeg = await colouredPicture(1)
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(() => {
  meanwhile = async () => {}
})

describe('while no newest picture is known', () => {
  test.each([
    { name: 'one that another node has just put stays', ageMs: 0, isKept: true },
    { name: 'one of a node whose clock is behind stays', ageMs: 100_000, isKept: true },
    { name: 'one of a node whose clock is ahead stays', ageMs: -50_000, isKept: true },
    { name: 'one from long ago goes', ageMs: 300_000, isKept: false },
  ])('$name', async ({ ageMs, isKept }) => {
    const { printer, auth_token } = await server.addPrinter(server.owner.id)
    const prefix = picturePrefix(printer.id)
    const other = `${prefix}${server.clock.now() - ageMs}-aaaaaaaa.jpg`
    await server.blobs.put(other, jpeg, 'image/jpeg')
    await sendPicture(server, auth_token, jpeg)
    const keys = (await server.blobs.list(prefix)).map(({ key }) => key)
    expect(keys.includes(other)).toBe(isKept)
    expect(keys).toHaveLength(isKept ? 2 : 1)
  })
})

describe('a picture of the past', () => {
  const FRAME_ID = '0c0f3f3e-4d57-4f0b-9f0e-0c7a4f1b2a10'

  /** A print, and how its agent uploads a picture that it kept of it. */
  async function printWithPast() {
    const { print, printerId, authToken } = await startPrint(server)
    const fields = { current_print_ts: String(print.current_print_ts), frame_id: FRAME_ID, frame_age_ms: '7000' }
    return {
      id: print.id,
      end: () => endPrint(server, printerId),
      sendPast: (change: Record<string, string> = {}) => sendPicture(server, authToken, jpeg, { ...fields, ...change }),
    }
  }

  /** As when it was done. */
  const forgetJob = (id: number) => server.database.db.deleteFrom('jobs').where('key', '=', `timelapse:${id}`).execute()

  /** Does what the node does that makes the time-lapse. */
  async function makeTimelapse(id: number): Promise<void> {
    await updatePrint(server.database.db, id, { video_key: `prints/${id}/videos/1.mp4`, ...stepOf('done', 1) })
    await server.blobs.removeAll(framesPrefix(id))
    await forgetJob(id)
  }

  const jobOf = (id: number) =>
    server.database.db.selectFrom('jobs').select('run_at').where('key', '=', `timelapse:${id}`).executeTakeFirst()

  test.each([
    { name: 'had ended', endsMeanwhile: false },
    { name: 'was running', endsMeanwhile: true },
  ])('that comes too late for a print that $name leaves the time-lapse as it is, and nothing behind', async (row) => {
    const { id, end, sendPast } = await printWithPast()
    if (!row.endsMeanwhile) await end()
    meanwhile = async () => {
      if (row.endsMeanwhile) await end()
      await makeTimelapse(id)
    }
    await sendPast()
    expect(await findPrint(server.database.db, id)).toMatchObject({ timelapse_state: 'done', timelapse_progress: 1 })
    expect(await jobOf(id)).toBeUndefined()
    expect(await server.blobs.list(framesPrefix(id))).toEqual([])
  })

  test('of a print that was deleted meanwhile leaves nothing behind', async () => {
    const { id, end, sendPast } = await printWithPast()
    await end()
    meanwhile = async () => {
      expect((await server.call('DELETE', `/api/v1/prints/${id}/`)).status).toBe(200)
      await forgetJob(id)
    }
    await sendPast()
    expect(await jobOf(id)).toBeUndefined()
    expect(await server.blobs.list(`prints/${id}/`)).toEqual([])
  })

  test('of a print whose time-lapse waits is kept, and says how long the wait goes on', async () => {
    const { id, end, sendPast } = await printWithPast()
    await end()
    await sendPast({ pics_to_come: '1' })
    expect(((await jobOf(id))?.run_at ?? 0) - server.clock.now()).toBeGreaterThan(600_000)
    await sendPast({ pics_to_come: '0' })
    expect(((await jobOf(id))?.run_at ?? 0) - server.clock.now()).toBeLessThan(10_000)
    expect(await server.blobs.list(framesPrefix(id))).toHaveLength(1)
  })

  test('of a print that runs is kept for the time-lapse that its end asks for', async () => {
    const { id, sendPast } = await printWithPast()
    await sendPast()
    expect(await jobOf(id)).toBeUndefined()
    expect(await findPrint(server.database.db, id)).toMatchObject({ timelapse_state: null })
    expect(await server.blobs.list(framesPrefix(id))).toHaveLength(1)
  })
})
