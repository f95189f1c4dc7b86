import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { AGENT_SOCKET_PATH, AGENT_SUBPROTOCOL } from '#protocol'
import { WebSocketServer } from 'ws'
import { AgentConnection } from './connection.js'
import { Watch } from './watch.js'

/** A picture that the agent uploaded: its headers, and the form. */
export interface Upload {
  readonly headers: IncomingMessage['headers']
  readonly form: FormData
}

/** A try of the agent to open its socket. */
export interface Attempt {
  readonly atMs: number
  readonly path: string
  readonly headers: IncomingMessage['headers']
}

/** A stored file, as the `print` command names it. */
export interface StoredFile {
  readonly id: number
  readonly name: string
  readonly bytes: Buffer
}

const FILE_PATH = '/conformance/file/'
const PRINTER = { id: 1, name: 'Under test', is_pro: true, retract_on_pause: 6.5 }

/** A server that does what the case says: it lets the agent in, keeps what it sends, and answers as told. */
export class ScriptedServer {
  readonly watch = new Watch()
  readonly connections: AgentConnection[] = []
  readonly attempts: Attempt[] = []
  readonly uploads: Upload[] = []
  /** Requests for stored files that were answered. */
  downloads = 0
  /** With false, events are stored but not acknowledged. */
  acknowledges = true
  /** The statuses of the next upgrades; when there is none, the agent is let in. */
  refusals: number[] = []
  readonly #http: Server
  readonly #sockets = new WebSocketServer({ noServer: true, handleProtocols: chooseProtocol })
  /** Requests for stored files wait for it. */
  #fileGate: Promise<void> = Promise.resolve()
  readonly #files = new Map<number, StoredFile>()

  private constructor() {
    this.#http = createServer(
      (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
    )
    this.#http.on('upgrade', (request, socket: Socket, head) => this.#upgrade(request, socket, head))
  }

  /** Listens at the address; port 0 is any free one. */
  static async open(host: string, port: number): Promise<ScriptedServer> {
    const server = new ScriptedServer()
    server.#http.listen(port, host)
    await once(server.#http, 'listening')
    return server
  }

  get url(): string {
    const { address, port, family } = this.#http.address() as AddressInfo
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  }

  /** The open connection; undefined when there is none. */
  get connection(): AgentConnection | undefined {
    return this.connections.findLast(({ isOpen }) => isOpen)
  }

  /** The arguments of a `print` command for this file, which can be fetched from now on. */
  offer(file: StoredFile): Record<string, unknown> {
    this.#files.set(file.id, file)
    return {
      g_code_file_id: file.id,
      filename: file.name,
      num_bytes: file.bytes.byteLength,
      sha256: createHash('sha256').update(file.bytes).digest('hex'),
      url: `${this.url}${FILE_PATH}${file.id}`,
    }
  }

  /** Requests for stored files wait until the function that is given back is called. */
  holdFiles(): () => void {
    let release: () => void = () => undefined
    this.#fileGate = new Promise((resolve) => {
      release = resolve
    })
    return release
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#http.closeAllConnections()
    this.#http.close()
    await once(this.#http, 'close')
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const path = request.url ?? ''
    this.attempts.push({ atMs: performance.now(), path, headers: request.headers })
    socket.on('error', () => undefined)
    const refusal = path.split('?')[0] === AGENT_SOCKET_PATH ? this.refusals.shift() : 404
    this.watch.changed()
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    this.#sockets.handleUpgrade(request, socket, head, (ws) => {
      const onEvent = (connection: AgentConnection, id: string): void =>
        void (this.acknowledges && connection.acknowledgeEvents(id))
      const connection = new AgentConnection(ws, request, this.watch, onEvent)
      this.connections.push(connection)
      connection.send({ remote_status: { viewing: false, should_watch: false } })
      this.watch.changed()
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0]?.replace(/\/?$/, '/') ?? ''
    if (request.method === 'POST' && path === '/api/v1/agent/pic/') return this.#takeUpload(request, response)
    if (request.method === 'GET' && path === '/api/v1/agent/printer/') {
      return answerJson(response, { user: { is_pro: true }, printer: PRINTER, server_ts: Date.now() / 1000 })
    }
    const file = path.startsWith(FILE_PATH) ? this.#files.get(Number(path.slice(FILE_PATH.length, -1))) : undefined
    if (file === undefined) return void response.writeHead(404).end()
    await this.#fileGate
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.bytes.byteLength })
    response.end(file.bytes)
    this.downloads += 1
    this.watch.changed()
  }

  async #takeUpload(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const type = request.headers['content-type'] ?? ''
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
      .formData()
      .catch(() => new FormData())
    this.uploads.push({ headers: request.headers, form })
    answerJson(response, { result: 'ok' })
    this.watch.changed()
  }
}

function chooseProtocol(offered: Set<string>): string | false {
  return offered.has(AGENT_SUBPROTOCOL) ? AGENT_SUBPROTOCOL : false
}

function answerJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
