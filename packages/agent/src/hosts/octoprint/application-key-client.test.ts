import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fakeClock } from '../../time/fake-clock.js'
import { HostError } from '../../host.js'
import { requestApplicationKey } from './application-key-client.js'

let http: Server
let url: string
let asked: string[]
/** The answers to the questions whether it was decided, one after the other. */
let decisions: { status: number; body?: object }[]
let probe: number

beforeEach(async () => {
  asked = []
  decisions = []
  probe = 204
  http = createServer(({ method, url: path }, response) => {
    asked.push(`${method} ${path}`)
    const answer = (status: number, body?: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))
    if (path === '/plugin/appkeys/probe') return answer(probe)
    if (method === 'POST') return answer(201, { app_token: 'T/1', auth_dialog: `${url}/plugin/appkeys/auth/T1` })
    const decision = decisions.shift() ?? { status: 404 }
    answer(decision.status, decision.body)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
})
afterEach(() => {
  http.closeAllConnections()
  http.close()
})

async function request(signal = new AbortController().signal): Promise<{ key: string; dialogs: string[] }> {
  const clock = fakeClock()
  const dialogs: string[] = []
  const timer = setInterval(() => clock.advance(1000), 2)
  try {
    const onAsked = (dialog: string) => dialogs.push(dialog)
    return { key: await requestApplicationKey(url, { app: 'Printwarden', clock, signal, onAsked }), dialogs }
  } finally {
    clearInterval(timer)
  }
}

const refusal = (signal?: AbortSignal) =>
  request(signal).then(
    () => undefined,
    (error: unknown) => error,
  )

test('the key comes once the person has consented, and the page to do so is told', async () => {
  decisions = [{ status: 202 }, { status: 202 }, { status: 200, body: { api_key: 'KEY' } }]
  expect(await request()).toEqual({ key: 'KEY', dialogs: [`${url}/plugin/appkeys/auth/T1`] })
  expect(asked.slice(0, 3)).toEqual([
    'GET /plugin/appkeys/probe',
    'POST /plugin/appkeys/request',
    'GET /plugin/appkeys/request/T%2F1',
  ])
})

test.each([
  { name: 'a refusal', decision: { status: 404 }, says: 'refused' },
  { name: 'trouble', decision: { status: 500 }, says: 'answers 500' },
  {
    name: 'a key that would be more than one line of the configuration',
    decision: { status: 200, body: { api_key: 'KEY\n[server]\nurl: http://other' } },
    says: 'answers 200',
  },
  { name: 'an answer without a key', decision: { status: 200, body: { key: 1 } }, says: 'answers 200' },
])('$name ends the wait', async ({ decision, says }) => {
  decisions = [{ status: 202 }, decision]
  const error = await refusal()
  expect(error).toBeInstanceOf(HostError)
  expect(error).toMatchObject({ code: 'rejected', message: expect.stringContaining(says) })
})

test('an OctoPrint without application keys is told as such', async () => {
  probe = 404
  expect(await refusal()).toMatchObject({ code: 'rejected', message: expect.stringContaining('no application keys') })
})

test('whoever waits may stop', async () => {
  decisions = Array.from({ length: 1000 }, () => ({ status: 202 }))
  const stop = new AbortController()
  const waiting = refusal(stop.signal)
  await expect.poll(() => asked.length).toBeGreaterThan(4)
  stop.abort()
  expect(await waiting).toMatchObject({ code: 'rejected' })
})

test('nobody there is told as unreachable', async () => {
  http.close()
  await once(http, 'close')
  expect(await refusal()).toMatchObject({ code: 'unreachable' })
})
