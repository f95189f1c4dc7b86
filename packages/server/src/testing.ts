import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDiskBlobs } from './adapters/blobs-disk.js'
import { memoryBus } from './adapters/bus-memory.js'
import { memoryCounters } from './adapters/counters-memory.js'
import { openNoDetector } from './adapters/detector-none.js'
import { openHttpDiscoverySecrets } from './adapters/discovery-secrets-http.js'
import { memoryLiveStore } from './adapters/live-memory.js'
import { openGuardedOutbound } from './adapters/outbound-guarded.js'
import { ffmpegPoster } from './adapters/poster-ffmpeg.js'
import { openSecrets } from './adapters/secrets.js'
import { openTestDatabase } from './adapters/testing.js'
import { type AppDeps, buildApp } from './app.js'
import type { LimitSettings } from './limits/settings.js'
import { insertToken } from './oauth/store.js'
import type { Clock, Log } from './ports.js'
import { addPrinter } from './printers/add-flow.js'
import { hashPassword } from './users/passwords-flow.js'
import { insertUser } from './users/store.js'

// A whole server for tests: the real app on a real embedded database in a folder of its own, with a clock that the test sets.

/** A log that keeps what was said. */
export interface KeptLog extends Log {
  readonly lines: { readonly level: string; readonly text: string; readonly fields: object }[]
}

export function keptLog(): KeptLog {
  const lines: { level: string; text: string; fields: object }[] = []
  const keep = (level: string) => (fields: object, text: string) => lines.push({ level, text, fields })
  return { lines, error: keep('error'), warn: keep('warn'), info: keep('info'), debug: keep('debug') }
}

/** Tests ask as one user, and from one address, what in real life thousands would. Tests of limits set their own. */
const WIDE = { perSecond: 1e6, burst: 1e6 }
const WIDE_LIMITS: Partial<LimitSettings> = {
  ...{ user_requests: WIDE, agent_requests: WIDE, address_requests: WIDE, address_unknown_credentials: WIDE },
  ...{ agent_sockets_opened: WIDE, address_sockets_opened: WIDE, address_connections_opened: WIDE },
  user_requests_at_once: 10_000,
}

/** A clock that goes on from the real time, and that the test can move. */
export interface TestClock extends Clock {
  advance(ms: number): void
}

function testClock(): TestClock {
  let moved = 0
  return {
    now: () => Date.now() + moved,
    advance: (ms) => {
      moved += ms
    },
  }
}

export interface TestUser {
  readonly id: number
  readonly email: string
  readonly password: string
  /** A token with both scopes. */
  readonly token: string
}

/** An answer with its body, as text and as what it says in JSON. */
export interface TestAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: unknown
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>

/** Starts the server on a free port of 127.0.0.1. `overrides` replaces parts, such as the detector. */
export async function startTestServer(overrides: Partial<AppDeps> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-server-'))
  const clock = testClock()
  const log = keptLog()
  const database = await openTestDatabase(folder)
  const deps: AppDeps = {
    config: {
      trustedProxies: [],
      tls: undefined,
      maxSnapshotBytes: 8 * 1024 * 1024,
      maxGCodeBytes: 8 * 1024 * 1024,
      smoothing: 'default',
      publicUrl: undefined,
      accessTokenSeconds: 3600,
    },
    database,
    blobs: await openDiskBlobs(join(folder, 'blobs')),
    bus: memoryBus(log),
    live: memoryLiveStore(clock),
    counters: memoryCounters(clock),
    clock,
    log,
    secrets: openSecrets('a key that only this test server has'),
    videos: { scratchFolder: join(folder, 'videos'), grabPoster: ffmpegPoster() },
    detector: openNoDetector(),
    outbound: openGuardedOutbound({ allow: [] }),
    discoverySecrets: openHttpDiscoverySecrets(),
    checksAnswers: true,
    limits: WIDE_LIMITS,
    ...overrides,
  }
  const { http: app, users } = await buildApp(deps)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })

  async function addToken(userId: number, scope = 'read write', expiresAt: number | null = null): Promise<string> {
    const token = deps.secrets.newToken(20)
    await insertToken(database.db, {
      ...{ user_id: userId, client_id: null, name: null, revoked_at: null, scope },
      token_hash: deps.secrets.hash(token),
      created_at: clock.now(),
      expires_at: expiresAt,
    })
    return token
  }

  async function addUser(name: string, isAdmin = false): Promise<TestUser> {
    const password = `password of ${name}`
    const email = `${name}@example.test`
    const user = await insertUser(database.db, {
      ...{ email, username: null, disabled_at: null, consented_at: null, last_active_at: null },
      password_hash: await hashPassword(password),
      is_admin: isAdmin ? 1 : 0,
      date_joined: clock.now(),
      unsub_token: deps.secrets.newToken(16),
    })
    if (user === undefined) throw new Error(`there is a user ${name} already`)
    return { id: user.id, email, password, token: await addToken(user.id) }
  }

  const owner = await addUser('owner', true)
  return {
    ...deps,
    app,
    users,
    url,
    /** Where database and blobs are. */
    folder,
    wsUrl: url.replace('http', 'ws'),
    clock,
    log,
    /** An administrator. */
    owner,
    /** Somebody else. */
    other: await addUser('other'),
    addUser,
    addToken,
    addPrinter: (userId: number, name = 'Left') => addPrinter(deps, userId, { name }),
    /** A request as JSON, with the owner's token unless another one is given; `null` sends none. */
    async call(
      method: string,
      path: string,
      options: { token?: string | null; body?: unknown } = {},
    ): Promise<TestAnswer> {
      const { token, body } = options
      const headers = new Headers()
      const bearer = token === undefined ? owner.token : token
      if (bearer !== null) headers.set('authorization', `Bearer ${bearer}`)
      if (body !== undefined) headers.set('content-type', 'application/json')
      const response = await fetch(`${url}${path}`, {
        method,
        headers,
        redirect: 'manual',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: text === '' ? undefined : parse(text) }
    },
    async close() {
      await app.close()
      await deps.detector.close()
      await deps.bus.close()
      await deps.live.close()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
