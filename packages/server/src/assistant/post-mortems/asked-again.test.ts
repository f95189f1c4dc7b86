import { PostMortem } from '@printwarden/protocol'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openOpenAiModel } from '../../adapters/model-openai.js'
import { openGuardedFetch } from '../../adapters/outbound-fetch.js'
import { addPrint } from '../../printers/testing.js'
import { findPrinter } from '../../printers/store.js'
import type { PrintRow } from '../../prints/store.js'
import { startTestServer, type TestServer } from '../../testing.js'
import { frameKey, framesPrefix } from '../../timelapse/frames.js'
import { type FakeModelServer, startFakeModelServer } from '../fake-model-server.js'
import { keepingFlow, type NewPostMortem } from './keeping-flow.js'
import { findPostMortem, putPostMortem } from './post-mortem-store.js'

// What is kept of an answer when it is asked again, and who may ask, over HTTP with a model's server on this machine.

const MINUTE = 60_000

let fake: FakeModelServer
let server: TestServer
let printerId: number
let print: PrintRow
let jpeg: Buffer

beforeAll(async () => {
  jpeg = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#335577' } })
    .jpeg()
    .toBuffer()
  fake = await startFakeModelServer()
  const target = { url: fake.url, key: undefined, model: 'seeing' }
  server = await startTestServer({
    model: openOpenAiModel({
      ...{ text: target, vision: target, timeoutMs: 60_000, retries: 0 },
      fetch: openGuardedFetch({ allow: [{ host: '127.0.0.1' }] }),
    }),
    assistant: { monthlyCredits: 50, supportAddress: undefined },
  })
  printerId = (await server.addPrinter(server.owner.id)).printer.id
})
afterAll(async () => {
  await server.close()
  await fake.close()
})
beforeEach(async () => {
  fake.asked.length = 0
  fake.script.length = 0
  const now = server.clock.now()
  const printer = await findPrinter(server.database.db, printerId)
  if (printer === undefined) throw new Error('no printer')
  print = await addPrint(server.database.db, printer, {
    ...{ state: 'failed', started_at: now - 10 * MINUTE, failed_at: now - MINUTE, cancelled_at: now - MINUTE },
  })
})

const PATH = () => `/api/v1/prints/${print.id}/post_mortem/`
const ask = (token = server.owner.token) => server.call('POST', PATH(), { token })
const kept = () => server.blobs.list(`prints/${print.id}/post-mortem/`)
const verdict = (answer: string) =>
  JSON.stringify({ cause: 'It came loose', certainty: 'likely', answer, advice: ['Clean the bed.'] })

async function used(): Promise<number> {
  const { json } = await server.call('GET', '/assistant/api/me/')
  return (json as { ai_credits: { ai_credit_used_current_month: number } }).ai_credits.ai_credit_used_current_month
}

test('pictures that the answer before cites are looked at and cited again, also when the frames are gone', async () => {
  await server.blobs.put(frameKey(print.id, print.started_at + 5 * MINUTE, 'image/jpeg'), jpeg, 'image/jpeg')
  // The start, the picture, the end.
  fake.script.push({ text: [verdict('It came loose [2].')] }, { text: [verdict('It was loose [2].')] })
  const first = PostMortem.parse((await ask()).json)
  expect(first.moments).toMatchObject([{ number: 2, kind: 'picture' }])
  await server.blobs.removeAll(framesPrefix(print.id))
  server.clock.advance(1000)
  const second = PostMortem.parse((await ask()).json)
  expect(second).toMatchObject({ answer: 'It was loose [2].', model: 'seeing' })
  expect(second.moments).toMatchObject([{ number: 2, kind: 'picture', at: first.moments[0]?.at }])
  const shown = await fetch(second.moments[0]?.picture_url ?? '')
  expect(await sharp(await shown.arrayBuffer()).metadata()).toMatchObject({ width: 640, height: 480 })
  expect(await kept()).toHaveLength(1)
  expect(fake.asked).toHaveLength(2)
})

test("a model's answer stays when nothing is kept any more to judge by, and costs nothing again", async () => {
  await putPostMortem(server.database.db, {
    ...{ print_id: print.id, cause: 'It came loose', certainty: 'likely', answer: 'It came loose.', advice: '[]' },
    ...{ moments: '[]', missing: '[]', model: 'seeing', created_at: 1 },
  })
  const before = await used()
  expect(await ask()).toMatchObject({ status: 201, json: { answer: 'It came loose.', model: 'seeing' } })
  expect((await server.call('GET', PATH())).json).toMatchObject({ answer: 'It came loose.', model: 'seeing' })
  expect(await used()).toBe(before)
  expect(fake.asked).toEqual([])
})

test('that nothing is kept is said anew, in the language that is asked for', async () => {
  expect((await ask()).json).toMatchObject({ model: 'none', cause: 'Unknown' })
  const { json } = await server.call('POST', `${PATH()}?lang=fr`)
  expect(json).toMatchObject({ model: 'none', cause: 'Inconnue' })
})

test('a token that may only write is refused before anything is read, taken or asked', async () => {
  const before = await used()
  const token = await server.addToken(server.owner.id, 'write')
  expect(await ask(token)).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } })
  expect(await used()).toBe(before)
  expect(await findPostMortem(server.database.db, print.id)).toBeUndefined()
  // Nor by a stream.
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  expect((await fetch(`${server.url}${PATH()}`, { method: 'POST', headers })).status).toBe(403)
  expect(fake.asked).toEqual([])
})

test('an answer that cannot be stored leaves no pictures, and the one before stays with its own', async () => {
  const picture = { key: '-', taken_at: print.started_at, isUpright: true, text: '-', bytes: jpeg }
  const made: NewPostMortem = {
    ...{ cause: 'Loose', certainty: 'likely' as const, answer: 'Loose [1].', advice: [], missing: [], model: 'seeing' },
    moments: [{ kind: 'picture', at: print.started_at, text: '-', number: 1, seconds: 0, picture }],
  }
  const row = await keepingFlow(server).keep(print, made)
  const before = await kept()
  expect(before).toHaveLength(1)
  server.clock.advance(1000)
  const full = { ...server.database, transaction: () => Promise.reject(new Error('the disk is full')) }
  await expect(keepingFlow({ ...server, database: full }).keep(print, made)).rejects.toThrow('the disk is full')
  expect(await kept()).toEqual(before)
  expect(await findPostMortem(server.database.db, print.id)).toEqual(row)
})
