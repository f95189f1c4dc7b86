import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from './errors.js'
import { openLive } from './live.js'
import type { LiveDeps } from './live-access.js'
import type { LivePlatform, SocketEvents } from './live-socket.js'

// The platform is a port: this one only takes notes, so that silence and the ways of a browser can be tried without waiting.
function notedPlatform(canSendHeaders: boolean) {
  const opened: {
    url: string
    headers: Record<string, string>
    events: SocketEvents
    sent: unknown[]
    isDropped: boolean
  }[] = []
  let wake: () => void = () => undefined
  const platform: LivePlatform = {
    canSendHeaders,
    openSocket(url, _protocol, headers, events) {
      const socket = { url, headers, events, sent: new Array<unknown>(), isDropped: false }
      opened.push(socket)
      return {
        send: (text) => socket.sent.push(JSON.parse(text)),
        drop: () => {
          socket.isDropped = true
        },
      }
    },
    onWake: (callback) => {
      wake = callback
      return () => {
        wake = () => undefined
      }
    },
  }
  return { platform, opened, wake: () => wake() }
}

const deps = (platform: LivePlatform, more: Partial<LiveDeps> = {}): LiveDeps => ({
  baseUrl: 'https://warden.example/base',
  platform,
  token: async () => 'secret',
  createTicket: async () => 'ticket-1',
  checkAccess: async () => undefined,
  ...more,
})

const STATE = JSON.stringify({ state: { cursor: 'c1', printers: [] } })
const refused = new ApiError({ status: 401, code: 'unauthorized', title: 'T', detail: 'D' })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test.each([
  {
    name: 'Node sends the token in a header',
    canSendHeaders: true,
    token: 'secret',
    url: 'wss://warden.example/base/ws/live/',
    headers: { authorization: 'Bearer secret' },
  },
  {
    name: 'a browser with a token takes a ticket',
    canSendHeaders: false,
    token: 'secret',
    url: 'wss://warden.example/base/ws/live/?ticket=ticket-1',
    headers: {},
  },
  {
    name: 'a page of the server relies on its cookie',
    canSendHeaders: false,
    token: undefined,
    url: 'wss://warden.example/base/ws/live/',
    headers: {},
  },
])('$name', async ({ canSendHeaders, token, url, headers }) => {
  const { platform, opened } = notedPlatform(canSendHeaders)
  const live = openLive(deps(platform, { token: async () => token }), { printers: 'all' })
  await vi.advanceTimersByTimeAsync(0)
  expect(opened).toMatchObject([{ url, headers }])
  live.close()
})

test('a browser that is refused asks why, and ends for good', async () => {
  const { platform, opened } = notedPlatform(false)
  const checkAccess = () => Promise.reject(refused)
  const live = openLive(deps(platform, { token: async () => undefined, checkAccess }), { printers: 'all' })
  await vi.advanceTimersByTimeAsync(0)
  opened[0]?.events.onEnd({ code: 1006, reason: '' })
  await vi.advanceTimersByTimeAsync(0)
  expect(live.status).toEqual({ state: 'closed', error: refused })
})

test('a ticket that is refused ends it; a ticket that cannot be fetched does not', async () => {
  const { platform } = notedPlatform(false)
  const live = openLive(deps(platform, { createTicket: () => Promise.reject(refused) }), { printers: 'all' })
  const patient = openLive(deps(platform, { createTicket: () => Promise.reject(new Error('offline')) }), {
    printers: 'all',
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(live.status.state).toBe('closed')
  expect(patient.status.state).toBe('waiting')
  patient.close()
})

test('after silence it asks for a word, and without one it gives the connection up', async () => {
  const { platform, opened } = notedPlatform(true)
  const live = openLive(deps(platform), { printers: 'all', retryDelayMs: () => 1000 })
  await vi.advanceTimersByTimeAsync(0)
  opened[0]?.events.onOpen()
  opened[0]?.events.onText(STATE)
  await vi.advanceTimersByTimeAsync(44_000)
  opened[0]?.events.onAlive()
  await vi.advanceTimersByTimeAsync(44_000)
  expect(opened[0]?.sent).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(opened[0]?.sent[1]).toEqual({ subscribe: { printers: 'all' }, since: 'c1' })
  expect(live.status.state).toBe('live')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(opened[0]?.isDropped).toBe(true)
  expect(live.status.state).toBe('waiting')
  await vi.advanceTimersByTimeAsync(1000)
  expect(opened).toHaveLength(2)
  live.close()
})

test('a server that takes the connection and says nothing is given up', async () => {
  const { platform, opened } = notedPlatform(true)
  const live = openLive(deps(platform), { printers: 'all' })
  await vi.advanceTimersByTimeAsync(0)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(opened[0]?.isDropped).toBe(true)
  expect(live.status.state).toBe('waiting')
  live.close()
})

test('when the network comes back it does not wait any longer', async () => {
  const { platform, opened, wake } = notedPlatform(true)
  const live = openLive(deps(platform), { printers: 'all', retryDelayMs: () => 30_000 })
  await vi.advanceTimersByTimeAsync(0)
  opened[0]?.events.onOpen()
  opened[0]?.events.onEnd({ code: 1006, reason: '' })
  await vi.advanceTimersByTimeAsync(0)
  expect(live.status.state).toBe('waiting')
  wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(opened).toHaveLength(2)
  live.close()
})

const busy = new ApiError({ status: 429, code: 'rate_limited', title: 'T', detail: 'D', retryAfterSeconds: 20 })

test.each([
  { name: 'as Node is told', end: { httpStatus: 429, retryAfterSeconds: 20 }, more: {} },
  { name: 'as a browser hears that asks why', end: {}, more: { checkAccess: () => Promise.reject(busy) } },
])('a server that is busy is left alone for as long as it asks, $name', async ({ end, more }) => {
  const { platform, opened, wake } = notedPlatform(true)
  const live = openLive(deps(platform, more), { printers: 'all', retryDelayMs: () => 1000 })
  await vi.advanceTimersByTimeAsync(0)
  opened[0]?.events.onEnd({ code: 1006, reason: '', ...end })
  await vi.advanceTimersByTimeAsync(19_900)
  wake()
  await vi.advanceTimersByTimeAsync(99)
  expect(live.status).toMatchObject({ state: 'waiting', retryInMs: expect.closeTo(20_250, -3) })
  expect(opened).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(501)
  expect(opened).toHaveLength(2)
  // The next one says nothing of it.
  opened[1]?.events.onEnd({ code: 1006, reason: '', httpStatus: 502 })
  await vi.advanceTimersByTimeAsync(1000)
  expect(opened).toHaveLength(3)
  live.close()
})

test('a busy server that gives no ticket is left alone as well', async () => {
  const { platform, opened } = notedPlatform(false)
  let isBusy = true
  const createTicket = async () => {
    if (isBusy) throw busy
    return 'ticket'
  }
  const live = openLive(deps(platform, { createTicket }), { printers: 'all', retryDelayMs: () => 1000 })
  await vi.advanceTimersByTimeAsync(0)
  isBusy = false
  await vi.advanceTimersByTimeAsync(19_999)
  expect(opened).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(501)
  expect(opened).toHaveLength(1)
  live.close()
})
