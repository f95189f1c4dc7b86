import { afterEach, beforeEach, expect, test } from 'vitest'
import { openOpenAiModel } from '../adapters/model-openai.js'
import { openGuardedFetch } from '../adapters/outbound-fetch.js'
import { startTestServer, type TestServer } from '../testing.js'
import { findCredits } from './credits/credits-store.js'
import { type FakeModelServer, startFakeModelServer } from './fake-model-server.js'

// A server that stops in the middle of an answer: the caller is told, and has the credit back.

let fake: FakeModelServer
let server: TestServer

beforeEach(async () => {
  fake = await startFakeModelServer()
  server = await startTestServer({
    model: openOpenAiModel({
      ...{ text: { url: fake.url, key: undefined, model: 'small' }, vision: undefined, timeoutMs: 60_000, retries: 0 },
      fetch: openGuardedFetch({ allow: [{ host: '127.0.0.1' }] }),
    }),
    assistant: { monthlyCredits: 2, supportAddress: undefined },
  })
  fake.script.push({ text: ['Lev'], ends: 'hang' })
})
afterEach(async () => {
  await server.close()
  await fake.close()
})

const ask = (accept: string): Promise<Response> =>
  fetch(`${server.url}/assistant/api/chats/messages/`, {
    method: 'POST',
    headers: { accept, authorization: `Bearer ${server.owner.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Why does it warp?' }] }),
  })

const used = async (): Promise<number | undefined> => (await findCredits(server.database.db, server.owner.id))?.used

test('an answer that has begun ends with an error that says so', async () => {
  const response = await ask('text/event-stream')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const read = async (): Promise<boolean> => {
    const { done, value = '' } = (await reader?.read()) ?? { done: true }
    text += value
    return !done
  }
  while (!text.includes('event: delta')) expect(await read()).toBe(true)
  expect(await used()).toBe(1)
  const stopped = server.app.close()
  while (await read());
  expect(text).toContain('event: error')
  expect(text).toContain(
    '"code":"unavailable","title":"Temporarily unavailable","detail":"The server stops. The credit was given back."',
  )
  await stopped
  expect(await used()).toBe(0)
})

test('an answer that is sent whole is 503', async () => {
  const asked = ask('application/json')
  await fake.until(() => fake.asked.length === 1)
  const stopped = server.app.close()
  const response = await asked
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ code: 'unavailable' })
  await stopped
  expect(await used()).toBe(0)
})
