import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { statusText } from '../status-load.js'
import { addressOf, requireLoopback } from './loopback.js'

/** A printer's agent at the wire: it sends what the load asks for and takes every command at once. */
export interface LoadAgent {
  /** A full status of a running print, 1.8 kB. */
  sendStatus(): void
  send(text: string): void
  /** Resolves when everything that was sent before is applied. */
  applied(): Promise<void>
  /** Tells of each command, at the time of its frame (`performance.now()`). */
  onCommand: ((cmd: string, at: number) => void) | undefined
  close(): Promise<void>
}

/** What is no message is answered by an error, after everything before it was applied. */
const MARKER = JSON.stringify({ ack: { id: 'no-such-id' } })
const CONNECT_MS = 60_000

/**
 * Connects one agent from a loopback address of its own; resolves when the server has told it its first words.
 *
 * @throws when it is refused, with the server's reason
 */
export async function connectAgent(url: string, authToken: string, index: number): Promise<LoadAgent> {
  const base = requireLoopback(url).origin.replace('http', 'ws')
  const socket = new WebSocket(`${base}/ws/agent/`, 'agent.v1', {
    headers: { authorization: `Bearer ${authToken}` },
    perMessageDeflate: false,
    localAddress: addressOf(index),
    handshakeTimeout: CONNECT_MS,
  })
  const waiting: { resolve: () => void; reject: (reason: Error) => void }[] = []
  let sequence = index
  const agent: LoadAgent = {
    sendStatus() {
      sequence += 1
      socket.send(statusText(sequence))
    },
    send: (text) => socket.send(text),
    applied: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject })
        socket.send(MARKER)
      }),
    onCommand: undefined,
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return
      socket.terminate()
      await once(socket, 'close')
    },
  }
  socket.on('close', (code) => {
    const reason = new Error(`the server closed an agent's socket with ${code}`)
    for (const { reject } of waiting.splice(0)) reject(reason)
  })
  socket.on('message', (data: Buffer) => {
    const at = performance.now()
    const frame = JSON.parse(data.toString()) as { error?: object; commands?: { id: string; cmd: string }[] }
    if (frame.error !== undefined) waiting.shift()?.resolve()
    for (const { id, cmd } of frame.commands ?? []) {
      agent.onCommand?.(cmd, at)
      socket.send(JSON.stringify({ ack: { id, result: null } }))
    }
  })
  await Promise.race([once(socket, 'message'), refusalOf(socket)])
  return agent
}

async function refusalOf(socket: WebSocket): Promise<never> {
  return new Promise((_, reject) => {
    socket.once('error', reject)
    socket.once('close', (code, reason) => reject(new Error(`an agent was refused: ${code} ${reason.toString()}`)))
  })
}

const AT_ONCE = 50

/** Connects an agent for each token, some at a time; `from` is the index of the first one's address. */
export async function connectAgents(
  url: string | readonly string[],
  authTokens: readonly string[],
  from = 0,
): Promise<LoadAgent[]> {
  const urls = typeof url === 'string' ? [url] : url
  const agents: LoadAgent[] = []
  for (let start = 0; start < authTokens.length; start += AT_ONCE) {
    const some = authTokens.slice(start, start + AT_ONCE)
    const connected = some.map((token, offset) => {
      const index = start + offset
      return connectAgent(urls[index % urls.length] ?? '', token, from + index)
    })
    agents.push(...(await Promise.all(connected)))
  }
  return agents
}

/** Beginning is not what is measured: a few at a time, since serializable transactions of many get in each other's way. */
const BEGIN_AT_ONCE = 4

/** Lets each agent tell that its print has begun; resolves when all are applied. */
export async function beginPrints(agents: readonly LoadAgent[]): Promise<void> {
  for (let start = 0; start < agents.length; start += BEGIN_AT_ONCE) {
    const some = agents.slice(start, start + BEGIN_AT_ONCE)
    for (const agent of some) agent.send(statusText(1, { event_type: 'PrintStarted', id: randomUUID() }))
    await Promise.all(some.map((agent) => agent.applied()))
  }
}

export async function closeAgents(agents: readonly LoadAgent[]): Promise<void> {
  await Promise.all(agents.map((agent) => agent.close()))
}
