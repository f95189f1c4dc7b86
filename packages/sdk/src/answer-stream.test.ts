import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Client, createClient } from './client.js'
import { ApiError, NetworkError } from './errors.js'
import { type ScriptedServer, startScriptedServer } from './scripted-server.js'

let server: ScriptedServer
let client: Client

beforeEach(async () => {
  server = await startScriptedServer()
  client = createClient({ baseUrl: server.url, token: 'secret', retry: false })
})
afterEach(() => server.close())

const QUESTION = { messages: [{ role: 'user' as const, content: 'Why?' }] }
const EVENTS_HEAD = { 'content-type': 'text/event-stream; charset=utf-8' }

const said = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
const message = { role: 'assistant', content: 'Größe 🧵' }
const look = { tool: 'list_prints', about: 'the last 10 prints of “Left”' }
const STREAM =
  ': still here\r\n\r\n' +
  said('delta', { text: 'Größe ' }).replaceAll('\n', '\r\n') +
  said('look', look) +
  said('delta', { text: '🧵' }) +
  said('message', { message })
const EVENTS = [
  { type: 'delta', text: 'Größe ' },
  { type: 'look', look },
  { type: 'delta', text: '🧵' },
  { type: 'message', message },
]

async function collected<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const event of events) all.push(event)
  return all
}

const failureOf = (events: AsyncIterable<unknown>): Promise<unknown> =>
  collected(events).then(
    () => undefined,
    (error: unknown) => error,
  )

/** Answers with events; what `more` does comes after them. */
function answerEvents(
  text: string,
  more: (response: ServerResponse) => void = (response) => void response.end(),
): void {
  server.answer((_request, response) => {
    response.writeHead(200, EVENTS_HEAD)
    response.write(text)
    more(response)
  })
}

test('an answer is given as it is made, and the question travels as with the method', async () => {
  answerEvents(STREAM)
  expect(await collected(client.askAssistant({ ...QUESTION, lang: 'de' }))).toEqual(EVENTS)
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      url: '/assistant/api/chats/messages/?lang=de',
      headers: { accept: 'text/event-stream', authorization: 'Bearer secret', 'content-type': 'application/json' },
      body: JSON.stringify(QUESTION),
    },
  ])
})

test('byte by byte over a connection', async () => {
  const bytes = Buffer.from(STREAM)
  server.answer((_request, response) => {
    response.socket?.setNoDelay(true)
    response.writeHead(200, EVENTS_HEAD)
    const next = (at: number): void => {
      if (at === bytes.length) return void response.end()
      response.write(bytes.subarray(at, at + 1))
      setImmediate(() => next(at + 1))
    }
    next(0)
  })
  expect(await collected(client.askAssistant(QUESTION))).toEqual(EVENTS)
})

const streamOf = (...pieces: Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

test('cut at any byte, in the middle of a letter too', async () => {
  const bytes = new TextEncoder().encode(STREAM)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const fetch = async (): Promise<Response> =>
      new Response(streamOf(bytes.slice(0, cut), bytes.slice(cut)), { headers: EVENTS_HEAD })
    const cutting = createClient({ baseUrl: server.url, token: 'secret', fetch })
    expect(await collected(cutting.askAssistant(QUESTION)), `cut at ${cut}`).toEqual(EVENTS)
  }
})

test('why a print failed', async () => {
  const postMortem = { print_id: 7, cause: 'warping', answer: 'It lifted [1].', moments: [] }
  answerEvents(said('look', look) + said('message', postMortem))
  expect(await collected(client.askPostMortem({ id: 7, lang: 'fr' }))).toEqual([
    { type: 'look', look },
    { type: 'message', postMortem },
  ])
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      url: '/api/v1/prints/7/post_mortem/?lang=fr',
      headers: { accept: 'text/event-stream' },
      body: '',
    },
  ])
})

test('from a server that does not stream comes the whole alone', async () => {
  server.answerJson({ message })
  expect(await collected(client.askAssistant(QUESTION))).toEqual([{ type: 'message', message }])
})

test('events of newer servers are passed over, and so is what follows the whole', async () => {
  answerEvents(said('mood', {}) + said('delta', { words: 1 }) + said('message', { message }) + said('error', {}))
  expect(await collected(client.askAssistant(QUESTION))).toEqual([{ type: 'message', message }])
})

test('nothing is asked before the first event is wanted', async () => {
  answerEvents(STREAM)
  const events = client.askAssistant(QUESTION)
  expect(server.requests).toHaveLength(0)
  expect(await events.next()).toEqual({ done: false, value: EVENTS[0] })
  expect(server.requests).toHaveLength(1)
  await events.return()
})

test.each([
  {
    name: 'a refusal',
    status: 402,
    problem: { status: 402, code: 'credits_exhausted', title: 'None left', detail: 'None.' },
  },
  {
    name: 'no model',
    status: 503,
    problem: { status: 503, code: 'assistant_not_configured', title: 'None', detail: 'No model.' },
  },
])('$name is told as with any call', async ({ status, problem }) => {
  server.answerJson(problem, status, { 'content-type': 'application/problem+json', 'retry-after': '5' })
  const error = await failureOf(client.askAssistant(QUESTION))
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ ...problem, retryAfterSeconds: 5 })
})

test('a problem in the middle is thrown as the answer that it would have been', async () => {
  const problem = { status: 503, code: 'unavailable', title: 'Not now', detail: 'The model failed.' }
  answerEvents(said('delta', { text: 'Lev' }) + said('error', problem))
  const seen: unknown[] = []
  const asking = (async () => {
    for await (const event of client.askAssistant(QUESTION)) seen.push(event)
  })()
  const error = await asking.catch((one: unknown) => one)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject(problem)
  expect(seen).toEqual([{ type: 'delta', text: 'Lev' }])
})

test.each([
  { name: 'that says nothing', text: 'event: error\ndata: oops\n\n' },
  { name: 'of another shape', text: said('error', { error: 'oops' }) },
])('a problem $name is thrown all the same', async ({ text }) => {
  answerEvents(text)
  expect(await failureOf(client.askAssistant(QUESTION))).toMatchObject({
    name: 'ApiError',
    status: 500,
    code: 'unexpected_answer',
  })
})

test.each([
  { name: 'ends early', end: (response: ServerResponse) => void response.end() },
  { name: 'breaks', end: (response: ServerResponse) => void setTimeout(() => response.destroy(), 20) },
])('an answer that $name is no answer', async ({ end }) => {
  answerEvents(said('delta', { text: 'Lev' }), end)
  expect(await failureOf(client.askAssistant(QUESTION))).toBeInstanceOf(NetworkError)
})

test.each([{ body: '<p>Sign in</p>' }, { body: '{"result":"ok"}' }])(
  'another program at the address: $body',
  async ({ body }) => {
    server.answer((_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body))
    expect(await failureOf(client.askAssistant(QUESTION))).toMatchObject({ code: 'unexpected_answer' })
  },
)

/** Answers with a beginning, and resolves when the caller has hung up. */
function hungUp(): Promise<unknown> {
  return new Promise((resolve) => {
    answerEvents(said('delta', { text: 'Lev' }), (response) => resolve(once(response, 'close')))
  })
}

test('who leaves the loop hangs up', async () => {
  const gone = hungUp()
  for await (const event of client.askAssistant(QUESTION)) {
    expect(event).toEqual({ type: 'delta', text: 'Lev' })
    break
  }
  await gone
})

test('the signal ends what is waited for, with its reason', async () => {
  const gone = hungUp()
  const giveUp = new AbortController()
  const reason = new Error('enough')
  const events = client.askAssistant(QUESTION, { signal: giveUp.signal })
  await events.next()
  const next = events.next().catch((error: unknown) => error)
  // By now the connection is read.
  await new Promise((resolve) => setTimeout(resolve, 50))
  giveUp.abort(reason)
  expect(await next).toBe(reason)
  await gone
})

test('the signal hangs up while nobody reads', async () => {
  const gone = hungUp()
  const giveUp = new AbortController()
  const reason = new Error('enough')
  const events = client.askAssistant(QUESTION, { signal: giveUp.signal })
  await events.next()
  giveUp.abort(reason)
  await gone
  await expect(events.next()).rejects.toBe(reason)
})

test('a signal that is aborted before asks nothing', async () => {
  const reason = new Error('enough')
  expect(await failureOf(client.askAssistant(QUESTION, { signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(server.requests).toHaveLength(0)
})

test('silence ends it, signs of life do not', async () => {
  let beat: NodeJS.Timeout | undefined
  answerEvents(said('delta', { text: 'Lev' }), (response) => {
    let beats = 0
    beat = setInterval(() => {
      beats += 1
      if (beats < 12) response.write(': still here\n\n')
      else if (beats === 12) response.write(said('delta', { text: 'el' }))
    }, 100)
  })
  const began = performance.now()
  const seen: unknown[] = []
  const asking = (async () => {
    for await (const event of client.askAssistant(QUESTION, { timeoutMs: 800 })) seen.push(event)
  })()
  await expect(asking).rejects.toThrow('nothing came within 800 ms')
  clearInterval(beat)
  expect(seen).toHaveLength(2)
  expect(performance.now() - began).toBeGreaterThan(1900)
})

test('who takes time over an event is not taken for silence', async () => {
  answerEvents(said('delta', { text: 'Lev' }) + said('message', { message }))
  const events = client.askAssistant(QUESTION, { timeoutMs: 300 })
  await events.next()
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(await events.next()).toMatchObject({ value: { type: 'message' } })
})

test('an answer without an end is given up', async () => {
  const flood = Buffer.alloc(1024 * 1024, 'x')
  const gone = new Promise((resolve) => {
    answerEvents('data: ', (response) => {
      response.on('close', resolve)
      const pour = (): void => {
        if (response.destroyed) return
        if (response.write(flood)) setImmediate(pour)
        else response.once('drain', pour)
      }
      pour()
    })
  })
  const error = await failureOf(client.askAssistant(QUESTION))
  expect(error).toBeInstanceOf(NetworkError)
  expect(error).toHaveProperty('message', expect.stringContaining('longer than'))
  await gone
})

test('a token that is over is renewed once', async () => {
  const tokens = ['old', 'new']
  const token = { token: async () => tokens[0] ?? '', renew: async () => void tokens.shift() }
  server.answer((request, response) => {
    if (request.headers.authorization === 'Bearer new') return void response.writeHead(200, EVENTS_HEAD).end(STREAM)
    const problem = { status: 401, code: 'token_expired', title: 'Over', detail: 'Over.' }
    response.writeHead(401, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
  })
  expect(await collected(createClient({ baseUrl: server.url, token }).askAssistant(QUESTION))).toEqual(EVENTS)
  expect(server.requests).toHaveLength(2)
})
