import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { ConformanceTarget } from '@printwarden/protocol'
import { WebSocket, WebSocketServer } from 'ws'
import type { Answer, Frame, Hooks, Line, Request, World } from './mutation.js'

/** Headers about one connection, which a proxy makes itself. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade'])

/** A proxy before the server, which breaks the rules that it is told to break. */
export interface Proxy {
  /** The target with the proxy's addresses. */
  readonly target: ConformanceTarget
  /** From now on the server seems to behave like this. */
  mutate(hooks: Hooks): void
  close(): Promise<void>
}

/** Opens a proxy before the server of this target. Without a mutation nobody notices it. */
export async function openProxy(target: ConformanceTarget): Promise<Proxy> {
  const upstream = new URL(target.base_url)
  const agent = new Agent({ keepAlive: true })
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (_, { headers }) => chosenProtocol(headers) })
  let hooks: Hooks = {}
  let lines = 0
  const world: World = {
    target,
    ask: (method, url, headers = {}, body = '') => ask(method, url, headers, Buffer.from(body)),
  }

  async function ask(method: string, url: string, headers: Record<string, string>, body: Buffer): Promise<Answer> {
    const sent = httpRequest(new URL(url, upstream), {
      method,
      agent,
      headers: body.byteLength > 0 ? { ...headers, 'content-length': body.byteLength } : headers,
    })
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: response.statusCode ?? 502, headers: plain(response.headers), body: await buffer(response) }
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const now = hooks
    const request = requestOf(incoming, await buffer(incoming))
    const early = await now.request?.(request, world)
    const answer = early ?? (await ask(request.method, request.url, request.headers, request.body))
    if (early === undefined) await now.answer?.(answer, request, world)
    const headers = { ...answer.headers }
    if (incoming.method !== 'HEAD') headers['content-length'] = String(answer.body.byteLength)
    response.writeHead(answer.status, headers).end(answer.body)
  }

  const http = createServer((incoming, response) => void serve(incoming, response).catch(() => response.destroy()))
  http.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => undefined)
    void connect(incoming, socket, head).catch(() => socket.destroy())
  })

  async function connect(incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const now = hooks
    const request = requestOf(incoming, Buffer.alloc(0))
    await now.upgrade?.(request, world)
    const { authorization, origin, cookie } = request.headers
    const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/).filter(Boolean)
    const url = new URL(request.url, upstream)
    url.protocol = 'ws:'
    const headers = { ...(authorization && { authorization }), ...(origin && { origin }), ...(cookie && { cookie }) }
    const server = new WebSocket(url, protocols, { headers })
    // What the server says before the other side is connected is kept.
    const early: string[] = []
    const keep = (data: Buffer): void => void early.push(data.toString())
    server.on('message', keep)
    const refused = once(server, 'unexpected-response').then(
      ([, response]: IncomingMessage[]) => response?.statusCode ?? 502,
    )
    server.on('error', () => undefined)
    const status = await Promise.race([once(server, 'open').then(() => undefined), refused])
    if (status !== undefined) {
      const told = now.refusal?.(status) ?? status
      socket.end(`HTTP/1.1 ${told} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
      server.terminate()
      return
    }
    const protocol = now.subprotocol?.(server.protocol) ?? server.protocol
    if (protocol === '') delete incoming.headers['sec-websocket-protocol']
    else incoming.headers['sec-websocket-protocol'] = protocol
    lines += 1
    const line: Line = { kind: request.path.startsWith('/ws/live') ? 'live' : 'agent', number: lines }
    sockets.handleUpgrade(incoming, socket, head, (client) => {
      server.off('message', keep)
      join(client, server, now, line)
      for (const text of early) pass(now.toClient, text, line, client)
    })
  }

  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const agentUrl = new URL(target.agent_ws_url)
  agentUrl.host = `127.0.0.1:${port}`
  return {
    target: { ...target, base_url: `http://127.0.0.1:${port}`, agent_ws_url: agentUrl.href },
    mutate: (next) => {
      hooks = next
    },
    close: async () => {
      for (const client of sockets.clients) client.terminate()
      http.closeAllConnections()
      http.close()
      agent.destroy()
      await once(http, 'close')
    },
  }
}

/** The protocol was negotiated with the server; `handleUpgrade` finds its choice in the header. */
function chosenProtocol({ 'sec-websocket-protocol': name }: IncomingMessage['headers']): string | false {
  return name || false
}

function join(client: WebSocket, server: WebSocket, hooks: Hooks, line: Line): void {
  client.on('message', (data: Buffer) => pass(hooks.toServer, data.toString(), line, server, client))
  server.on('message', (data: Buffer) => pass(hooks.toClient, data.toString(), line, client))
  client.on('close', (code) => end(server, code))
  server.on('close', (code) => {
    const told = hooks.close === undefined ? code : hooks.close(code, line)
    if (told !== undefined) end(client, told)
  })
  for (const socket of [client, server]) socket.on('error', () => undefined)
}

function pass(
  hook: ((text: string, line: Line) => Frame) | undefined,
  text: string,
  line: Line,
  to: WebSocket,
  closes: WebSocket = to,
): void {
  const frame = hook === undefined ? text : hook(text, line)
  if (typeof frame === 'string') to.send(frame, () => undefined)
  else if (frame !== undefined) closes.close(frame.closeWith)
}

function end(socket: WebSocket, code: number): void {
  // 1005 and 1006 say that there was no code; they cannot be sent.
  if (code === 1006) socket.terminate()
  else if (code === 1005) socket.close()
  else socket.close(code)
}

function requestOf({ method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer): Request {
  const { pathname, searchParams } = new URL(url, 'http://proxy.invalid')
  return { method, url, path: pathname.replace(/\/?$/, '/'), query: searchParams, headers: plain(headers), body }
}

function plain(headers: IncomingMessage['headers']): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && name !== 'content-length')
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().join(', ')]))
}
