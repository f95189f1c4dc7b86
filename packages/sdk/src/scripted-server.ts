import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** A request as the server saw it. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Answer = (request: SeenRequest, response: ServerResponse) => void

/** A server for tests: it speaks HTTP and the live websocket on a real port, and does what the test says. */
export interface ScriptedServer {
  readonly url: string
  readonly requests: SeenRequest[]
  /** What live clients have sent, parsed. */
  readonly heard: unknown[]
  /** The address and headers with which each live socket came. */
  readonly upgrades: { readonly url: string; readonly authorization: string | undefined }[]
  /** Answers all requests from now on. */
  answer(answer: Answer): void
  answerJson(body: unknown, status?: number, headers?: Record<string, string>): void
  /** Refuses live sockets with this status, and header lines as they are sent; undefined lets them in again. */
  refuseLive(status: number | undefined, headers?: string): void
  /** Called with what a live client sends. */
  onLive(listener: (message: unknown, socket: WebSocket) => void): void
  /** Sends to every live socket. */
  tell(message: unknown): void
  /** Ends every live socket with this close code; without one, breaks the connection. */
  dropLive(code?: number): void
  close(): Promise<void>
}

/** Starts a scripted server on a free port of the loopback address. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const requests: SeenRequest[] = []
  const heard: unknown[] = []
  const upgrades: { url: string; authorization: string | undefined }[] = []
  let answer: Answer = (_request, response) => response.writeHead(404).end()
  let refusal: number | undefined
  let refusalHeaders = ''
  let onLive: (message: unknown, socket: WebSocket) => void = () => undefined

  const server = createServer((message, response) => {
    void readBody(message).then((body) => {
      const seen = { method: message.method ?? '', url: message.url ?? '', headers: message.headers, body }
      requests.push(seen)
      answer(seen, response)
    })
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    upgrades.push({ url: request.url ?? '', authorization: request.headers.authorization })
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} Refused\r\n${refusalHeaders}content-length: 0\r\nconnection: close\r\n\r\n`)
      return
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.on('error', () => undefined)
      client.on('message', (data: Buffer) => {
        const message: unknown = JSON.parse(data.toString('utf8'))
        heard.push(message)
        onLive(message, client)
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    heard,
    upgrades,
    answer: (next) => {
      answer = next
    },
    answerJson: (body, status = 200, headers = {}) => {
      answer = (_request, response) =>
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    },
    refuseLive: (status, headers = '') => {
      refusal = status
      refusalHeaders = headers
    },
    onLive: (listener) => {
      onLive = listener
    },
    tell: (message) => {
      for (const client of sockets.clients) client.send(JSON.stringify(message))
    },
    dropLive: (code) => {
      for (const client of sockets.clients) {
        if (code === undefined) client.terminate()
        else client.close(code)
      }
    },
    close: async () => {
      for (const client of sockets.clients) client.terminate()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
