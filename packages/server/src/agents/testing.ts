import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AGENT_SOCKET_PATH, AGENT_SUBPROTOCOL, flagsOf, type StateText } from '@printwarden/protocol'
import { Registry } from 'prom-client'
import { type ClientOptions, WebSocket } from 'ws'
import { openDiskBlobs } from '../adapters/blobs-disk.js'
import { memoryCounters } from '../adapters/counters-memory.js'
import { openSecrets } from '../adapters/secrets.js'
import type { Frame } from '../detection/frame.js'
import { authenticator } from '../http/authenticate.js'
import { fastifyApi } from '../http/register.js'
import { NO_REQUEST_LIMITS } from '../http/request-limits.js'
import { OTHER_ROUTES } from '../http/other-routes.js'
import { openHttpServer } from '../http/server.js'
import { openRefusals } from '../limits/refusals.js'
import { DEFAULT_LIMITS } from '../limits/settings.js'
import type { Database } from '../ports.js'
import { addPrinter } from '../printers/add-flow.js'
import { temperaturesFlow } from '../prints/temperatures-flow.js'
import { printerFlow } from '../printers/flow.js'
import { openTestWorld } from '../printers/testing.js'
import { framesFlow } from '../timelapse/frames-flow.js'
import { agentFlow } from './flow.js'
import { deviationsFlow } from './upstream/deviations-flow.js'
import type { AgentLimits } from './limits.js'
import { pictureFlow } from './picture-flow.js'
import { agentRoutes } from './routes.js'
import { agentSocket, MAX_FRAME_BYTES } from './socket.js'

export interface AgentServerOptions {
  readonly limits?: Partial<AgentLimits>
  readonly maxSnapshotBytes?: number
  readonly uploadTimeoutMs?: number
  /** Puts something between the flows and the database. */
  readonly wrap?: (database: Database) => Database
}

export type AgentServer = Awaited<ReturnType<typeof startAgentServer>>

/** The agents' part of the server, listening, on a real database and real files. */
export async function startAgentServer(options: AgentServerOptions = {}) {
  const world = await openTestWorld()
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-blobs-'))
  const blobs = await openDiskBlobs(folder)
  const secrets = openSecrets('0'.repeat(64))
  const { bus, live, clock, log } = world
  const database = options.wrap?.(world.database) ?? world.database
  const counters = memoryCounters(clock)
  const refusals = openRefusals({ log, clock, metrics: new Registry() })
  const deps = { database, blobs, bus, live, counters, clock, log, secrets }
  const printers = printerFlow(deps)
  const offered: Frame[] = []
  const viewed = new Set<number>()

  const app = await openHttpServer({ log, trustedProxies: [], maxFrameBytes: MAX_FRAME_BYTES, decisions: OTHER_ROUTES })
  const admission = authenticator({ ...deps, publicUrl: () => undefined })
  const detection = {
    offer: (frame: Frame) => void offered.push(frame),
    idle: async () => {},
    reset: () => {},
    warmUp: () => {},
    watch: { seen: async () => {} },
  }
  const pictures = pictureFlow({ ...deps, detection, frames: framesFlow(deps), awaitPics: async () => true })
  agentRoutes(fastifyApi(app, admission), {
    ...deps,
    pictures,
    refusals,
    limits: DEFAULT_LIMITS,
    maxSnapshotBytes: options.maxSnapshotBytes ?? 1024 * 1024,
    uploadTimeoutMs: options.uploadTimeoutMs ?? 5000,
  })
  const deviations = deviationsFlow(deps)
  const temperatures = temperaturesFlow(deps)
  const sockets = agentSocket(app, {
    ...deps,
    deviations,
    authenticator: admission,
    agents: agentFlow({ ...deps, printers, detection, noteEnded: async () => {}, temperatures }),
    isViewed: async (id) => viewed.has(id),
    settle: async () => () => {},
    refusals,
    requests: NO_REQUEST_LIMITS,
    ...(options.limits && { limits: options.limits }),
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const userId = await world.addUser()

  return {
    ...world,
    database,
    blobs,
    printers,
    sockets,
    deviations,
    temperatures,
    offered,
    viewed,
    url,
    userId,
    /** Adds a printer; its token is what an agent brings. */
    async addAgent(): Promise<{ id: number; token: string }> {
      const { printer, auth_token } = await addPrinter({ ...deps, database: world.database }, userId, { name: 'mk3' })
      return { id: printer.id, token: auth_token }
    },
    /** Sends a request as an agent. */
    async request(path: string, token: string, init: RequestInit = {}): Promise<Response> {
      const headers = { ...Object.fromEntries(new Headers(init.headers)), authorization: `Token ${token}` }
      return fetch(`${url}${path}`, { ...init, headers })
    },
    connect: (token: string | undefined, protocols: string[] = [AGENT_SUBPROTOCOL], changes: ClientOptions = {}) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      return TestAgent.open(url, protocols, { headers, ...changes })
    },
    async close(): Promise<void> {
      await sockets.close()
      await deviations.close()
      await app.close()
      await temperatures.flush()
      printers.close()
      await world.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until `check` gives something; fails the test when it does not within half a minute. */
export async function until<T>(check: () => T | undefined | Promise<T | undefined>, what: string): Promise<T> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const value = await check()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

type Received = Record<string, unknown>

/** An agent at the wire: a bare websocket that keeps what it is told. */
export class TestAgent {
  readonly socket: WebSocket
  readonly received: Received[] = []
  /** Resolves with the code with which the socket was closed. */
  readonly closed: Promise<number>

  private constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) => socket.on('close', resolve))
    socket.on('message', (data: Buffer) => void this.received.push(JSON.parse(data.toString()) as Received))
    socket.on('error', () => {})
  }

  /** Connects; rejects with the HTTP status when the server refuses. */
  static async open(url: string, protocols: string[], options: ClientOptions): Promise<TestAgent> {
    const socket = new WebSocket(url.replace('http', 'ws') + AGENT_SOCKET_PATH, protocols, options)
    const agent = new TestAgent(socket)
    await new Promise<void>((resolve, reject) => {
      socket.on('open', resolve)
      socket.on('error', reject)
      socket.on('unexpected-response', (_, response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => reject(new Refused(response.statusCode ?? 0, String(Buffer.concat(chunks)))))
      })
    })
    return agent
  }

  send(value: unknown): void {
    this.socket.send(typeof value === 'string' ? value : JSON.stringify(value))
  }

  /** The first frame with this key, taken out of what was received. */
  async next(key: string): Promise<unknown> {
    return until(() => {
      const index = this.received.findIndex((frame) => key in frame)
      return index < 0 ? undefined : (this.received.splice(index, 1)[0]?.[key] ?? undefined)
    }, `a frame with ${key}`)
  }

  /** Resolves once everything sent so far is applied: the answer to this message, which is not one, comes after them. */
  async settled(): Promise<void> {
    const path = `sync${Math.random()}`
    this.send({ ack: { id: path } })
    await until(() => this.received.some(({ error }) => error !== undefined), 'the answer')
    const index = this.received.findIndex(({ error }) => error !== undefined)
    this.received.splice(index, 1)
  }

  /** Ends the connection without a word, as a power cut does. */
  async kill(): Promise<void> {
    this.socket.terminate()
    await this.closed
  }
}

/** The server answered the upgrade by plain HTTP. */
export class Refused extends Error {
  override readonly name = 'Refused'

  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super(`refused with ${status}`)
  }
}

let counter = 0

/** A name for an event, new each time. */
export function newEventId(): string {
  counter += 1
  return `a1b2c3d4-0000-4000-8000-${String(counter).padStart(12, '0')}`
}

/** A status message as an agent writes it. `now` in milliseconds. */
export function statusMessage(
  now: number,
  text: StateText,
  ts: number,
  more: { event?: object; status?: object } = {},
) {
  const file = { name: 'boat.gcode', path: 'boat.gcode', display: 'boat.gcode' }
  return {
    current_print_ts: ts,
    ...(more.event && { event: more.event }),
    status: { _ts: now / 1000, state: { text, flags: flagsOf(text) }, job: { file }, ...more.status },
  }
}
