import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CommandAck, type ServerToAgent, StatusMessage } from '@printwarden/protocol'
import { WebSocketServer, type WebSocket } from 'ws'
import { frameText } from './frame-text.js'

/** How the fake server answers for now. The test changes it at will. */
export interface FakeServerMood {
  /** The status of the answer to the agent's token; 101 lets it in. */
  upgradeStatus: number
  /** What it says with that answer of when to come back. */
  retryAfter: string | undefined
  /** How far its clock is ahead of ours. */
  clockOffsetS: number
  /** Whether stored events are acknowledged. */
  acknowledges: boolean
  /** Answers a picture; undefined leaves it hanging. */
  picture: (() => { status: number; headers?: Record<string, string> }) | undefined
}

export interface ReceivedPicture {
  readonly atMs: number
  readonly body: Buffer
  readonly authorization: string | undefined
}

/** The server's side of the wire: takes what the agent sends, and does what the test says. */
export interface FakeServer {
  readonly url: string
  readonly port: number
  readonly mood: FakeServerMood
  /** Every status message of all connections, in order of arrival. */
  readonly messages: StatusMessage[]
  /** Ids of events, each as often as it came. */
  readonly eventIds: string[]
  readonly acks: CommandAck['ack'][]
  readonly pictures: ReceivedPicture[]
  readonly authorizations: (string | undefined)[]
  readonly subprotocols: string[]
  /** How many agents are connected now. */
  connected(): number
  send(message: ServerToAgent | string): void
  /** Closes connections with a code, all or those of one token; or cuts them. */
  closeAll(code: number, authToken?: string): void
  dropAll(): void
  /** From now on nothing is read or answered any more, not even pings. */
  freezeAll(): void
  close(): Promise<void>
}

export async function startFakeServer(port = 0): Promise<FakeServer> {
  const mood: FakeServerMood = {
    upgradeStatus: 101,
    retryAfter: undefined,
    clockOffsetS: 0,
    acknowledges: true,
    picture: () => ({ status: 200 }),
  }
  const messages: StatusMessage[] = []
  const eventIds: string[] = []
  const acks: CommandAck['ack'][] = []
  const pictures: ReceivedPicture[] = []
  const authorizations: (string | undefined)[] = []
  const subprotocols: string[] = []
  const sockets = new Map<WebSocket, string | undefined>()

  const http = createServer((request, response) => void answer(request, response))
  const webSockets = new WebSocketServer({ noServer: true })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.url === '/api/v1/agent/printer/') return sayWhichPrinter(response)
    if (request.url !== '/api/v1/agent/pic/') return void response.writeHead(404).end()
    pictures.push({
      atMs: performance.now(),
      body: Buffer.concat(chunks),
      authorization: request.headers.authorization,
    })
    const reply = mood.picture?.()
    if (reply)
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end('{"result":"ok"}')
  }

  function sayWhichPrinter(response: ServerResponse): void {
    const isLetIn = mood.upgradeStatus === 101
    const printer = { id: 1, name: 'MK3', is_pro: true, retract_on_pause: 6.5 }
    const body = { user: { is_pro: true }, printer, server_ts: Date.now() / 1000 + mood.clockOffsetS }
    response.writeHead(isLetIn ? 200 : mood.upgradeStatus, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isLetIn ? body : {}))
  }

  http.on('upgrade', (request, socket, head) => {
    authorizations.push(request.headers.authorization)
    if (mood.upgradeStatus !== 101 || request.url !== '/ws/agent/') {
      const asked = mood.retryAfter === undefined ? '' : `retry-after: ${mood.retryAfter}\r\n`
      socket.end(`HTTP/1.1 ${mood.upgradeStatus} No\r\nconnection: close\r\n${asked}content-length: 0\r\n\r\n`)
      return
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, request.headers.authorization))
  })

  function accept(socket: WebSocket, authorization: string | undefined): void {
    sockets.set(socket, authorization)
    subprotocols.push(socket.protocol)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    socket.on('message', (data) => receive(socket, frameText(data)))
  }

  function receive(socket: WebSocket, text: string): void {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && 'ack' in value) {
      acks.push((value as CommandAck).ack)
      return
    }
    const message = StatusMessage.parse(value)
    messages.push(message)
    const id = message.event?.id
    if (id === undefined) return
    eventIds.push(id)
    if (mood.acknowledges) socket.send(JSON.stringify({ ack: { events: [id] } }))
  }

  http.listen(port, '127.0.0.1')
  await once(http, 'listening')
  const { port: listening } = http.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${listening}`,
    port: listening,
    mood,
    messages,
    eventIds,
    acks,
    pictures,
    authorizations,
    subprotocols,
    connected: () => sockets.size,
    send: (message) => {
      for (const socket of sockets.keys()) socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    },
    closeAll: (code, authToken) => {
      for (const [socket, authorization] of sockets) {
        if (authToken === undefined || authorization === `Bearer ${authToken}`) socket.close(code)
      }
    },
    dropAll: () => {
      for (const socket of sockets.keys()) socket.terminate()
    },
    freezeAll: () => {
      for (const socket of sockets.keys()) socket.pause()
    },
    close: async () => {
      for (const socket of sockets.keys()) socket.terminate()
      webSockets.close()
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}
