import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { webcamPicture } from './pictures.js'
import { statusText } from './status-load.js'

// What a bad client does to a server on loopback, as hard as it can: it waits for nothing that it is told.

/** Whom the bad client pretends to be. */
export interface Abuser {
  readonly url: string
  readonly token: string
  readonly authToken: string
  /** An address that nobody else has. */
  readonly address: string
}

/** What became of what it did, by status or close code. */
export type Tally = Map<string, number>

/** Goes on until the signal says stop. */
type Abuse = (abuser: Abuser, tally: Tally, signal: AbortSignal) => Promise<void>

const MIB = 1024 ** 2
const AT_ONCE = 50
const SILENT = 2000
const SENT_AT_ONCE = 50

const count = (tally: Tally, what: string | number): void => {
  tally.set(String(what), (tally.get(String(what)) ?? 0) + 1)
}

/** Does the same in so many lines at once. */
async function inLines(lines: number, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  const line = async (): Promise<void> => {
    while (!signal.aborted) {
      await act()
      // What fails at once must not keep this process from hearing that it is to stop.
      await delay(0)
    }
  }
  await Promise.all(Array.from({ length: lines }, line))
}

interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

function requests({ url, address }: Abuser, tally: Tally, signal: AbortSignal) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, localAddress: address })
  signal.addEventListener('abort', () => agent.destroy())
  return ({ method = 'GET', path, headers = {}, body }: Sent): Promise<void> =>
    new Promise((resolve) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const request = httpRequest(`${url}${path}`, { method, agent, headers: { ...headers, ...length } }, (answer) => {
        count(tally, answer.statusCode ?? 0)
        answer.resume().on('close', resolve)
      })
      request.on('error', () => {
        if (!signal.aborted) count(tally, 'cut off')
        resolve()
      })
      request.end(body)
    })
}

/** Opens an agent's socket and does something with it until it is closed. */
async function withSocket(
  { url, authToken, address }: Abuser,
  tally: Tally,
  signal: AbortSignal,
  act: (socket: WebSocket) => Promise<void>,
): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/agent/`, 'agent.v1', {
    headers: { authorization: `Bearer ${authToken}` },
    localAddress: address,
    perMessageDeflate: false,
  })
  const stop = (): void => socket.terminate()
  signal.addEventListener('abort', stop)
  let refused: number | undefined
  socket.on('unexpected-response', (_request, response) => {
    refused = response.statusCode
    // Ending the request alone would never close the socket.
    socket.terminate()
  })
  socket.on('error', () => undefined)
  // Not by "once" of Node's events, which gives up with the error that comes before.
  const ended = new Promise<number>((resolve) => {
    socket.once('close', resolve)
  })
  socket.once('open', () => void act(socket))
  const code = await ended
  signal.removeEventListener('abort', stop)
  if (!signal.aborted) count(tally, refused ?? code)
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const JSON_TYPE = { 'content-type': 'application/json' }

async function sendUntilClosed(socket: WebSocket, message: () => string | Buffer): Promise<void> {
  while (socket.readyState === WebSocket.OPEN) {
    for (let sent = 0; sent < SENT_AT_ONCE; sent += 1) socket.send(message(), () => undefined)
    // Without a rest this process would not hear that it was closed.
    await delay(socket.bufferedAmount > MIB ? 5 : 0)
  }
}

function formOf(picture: Buffer): { body: Buffer; headers: Record<string, string> } {
  const head = '--x\r\nContent-Disposition: form-data; name="pic"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
  const body = Buffer.concat([Buffer.from(head), picture, Buffer.from('\r\n--x--\r\n')])
  return { body, headers: { 'content-type': 'multipart/form-data; boundary=x' } }
}

/** The abuses by name, in the order of the table. */
export const ABUSES: Readonly<Record<string, Abuse>> = {
  'message flood': async (abuser, tally, signal) => {
    let sequence = 0
    await inLines(1, signal, () =>
      withSocket(abuser, tally, signal, (socket) => sendUntilClosed(socket, () => statusText((sequence += 1)))),
    )
  },
  '10 MB frames': async (abuser, tally, signal) => {
    const frame = Buffer.alloc(10 * MIB, 'x')
    await inLines(2, signal, () =>
      withSocket(abuser, tally, signal, async (socket) => socket.send(frame, () => undefined)),
    )
  },
  'picture flood': async (abuser, tally, signal) => {
    const send = requests(abuser, tally, signal)
    const { body, headers } = formOf(await webcamPicture(1280, 960, 1))
    const sent = {
      method: 'POST',
      path: '/api/v1/agent/pic/',
      body,
      headers: { ...headers, ...bearer(abuser.authToken) },
    }
    await inLines(16, signal, () => send(sent))
  },
  'connect storm': async (abuser, tally, signal) => {
    await inLines(AT_ONCE, signal, () => withSocket(abuser, tally, signal, async (socket) => socket.terminate()))
  },
  'REST flood': async (abuser, tally, signal) => {
    const send = requests(abuser, tally, signal)
    await inLines(AT_ONCE, signal, () => send({ path: '/api/v1/printers/', headers: bearer(abuser.token) }))
  },
  'unknown tokens': async (abuser, tally, signal) => {
    const send = requests(abuser, tally, signal)
    let guess = 0
    await inLines(AT_ONCE, signal, () => {
      return send({ path: '/api/v1/users/me/', headers: bearer(`guess-${(guess += 1)}`) })
    })
  },
  'slow heads': async ({ url, address }, tally, signal) => {
    const { port } = new URL(url)
    await inLines(SILENT, signal, async () => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: address })
      const stop = (): void => void socket.destroy()
      signal.addEventListener('abort', stop)
      const drip = setInterval(() => socket.write('x'), 1000)
      socket.on('error', () => undefined)
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')
      await once(socket, 'close')
      clearInterval(drip)
      signal.removeEventListener('abort', stop)
      if (!signal.aborted) count(tally, 'closed')
    })
  },
  'giant JSON': async (abuser, tally, signal) => {
    const send = requests(abuser, tally, signal)
    const body = `{"first_name":[${'[0],'.repeat(250_000).slice(0, -1)}]}`
    const headers = { ...JSON_TYPE, ...bearer(abuser.token) }
    await inLines(8, signal, () => send({ method: 'PATCH', path: '/api/v1/users/me/', body, headers }))
  },
  'sign-in flood': async (abuser, tally, signal) => {
    const send = requests(abuser, tally, signal)
    let guess = 0
    await inLines(20, signal, () => {
      const body = JSON.stringify({ email: `user${(guess += 1)}@example.test`, password: 'not the password' })
      return send({ method: 'POST', path: '/api/v1/admin/sign_in/', body, headers: JSON_TYPE })
    })
  },
  'expensive queries': async (abuser, tally, signal) => {
    const send = requests(abuser, tally, signal)
    const path = '/api/v1/prints/stats/?from_date=2020-01-01&to_date=2026-12-31&timezone=UTC&group_by=day'
    await inLines(AT_ONCE, signal, () => send({ path, headers: bearer(abuser.token) }))
  },
}
