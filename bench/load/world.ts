import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type EngineProgram, startPostgres, startRedis } from '../../test/support/engine-programs.js'
import { type Measured, startBuilt } from '../programs.js'
import { requireLoopback } from './loopback.js'
import { type Population, SECRET_KEY, seed, type SeededUser } from './seed.js'

/** `embedded`: one server with everything in it. `fleet`: servers on a PostgreSQL and a Redis of their own. */
export type Engine = 'embedded' | 'fleet'

export interface WorldOptions {
  readonly engine: Engine
  readonly populations: readonly Population[]
  /** Servers; more than one only in a fleet. */
  readonly nodes?: number
  /** What the servers do. No detector unless stated: what it costs is measured by itself. */
  readonly roles?: string
  readonly env?: Readonly<Record<string, string>>
  /** Where each server leaves its CPU profile when it stops. */
  readonly cpuProf?: string | undefined
  /** For Node itself. */
  readonly nodeArgs?: readonly string[]
}

/** A whole deployment of the built server with people and printers in it, on loopback, for one benchmark. */
export interface World {
  /** Of each server. */
  readonly urls: readonly string[]
  readonly pids: readonly number[]
  /** PostgreSQL and Redis; none when the engine is embedded. */
  readonly enginePids: { readonly postgres: readonly number[]; readonly redis: readonly number[] }
  readonly postgresUrl: string | undefined
  readonly folder: string
  /** The users of each population. */
  readonly people: readonly (readonly SeededUser[])[]
  /** Ends the servers and starts them again with the same records. */
  restart(): Promise<void>
  close(): Promise<void>
}

const READY_MS = 60_000
const MAX_SAID = 600
const NO_DETECTOR = 'web,jobs'

/** A benchmark asks as one user, and from one address, what in real life many would. What limits do is measured by itself. */
const NO_LIMITS = ['user_requests', 'agent_requests', 'agent_sockets_opened', 'agent_pictures', 'agent_picture_bytes']
  .concat(['address_requests', 'address_sockets_opened', 'address_connections_opened'])
  .map((name) => `${name}=1000000/1000000000`)
  .concat(['user_requests_at_once', 'address_sockets', 'address_connections'].map((name) => `${name}=1000000`))
  .join(',')

export async function openWorld(options: WorldOptions): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))
  const engines = options.engine === 'fleet' ? await startEngines() : undefined
  let nodes: Node[] = []
  const close = async (): Promise<void> => {
    await Promise.all(nodes.map(({ program }) => program.stop()))
    await Promise.all([engines?.postgres.close(), engines?.redis.close()])
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const people = await seed(
      engines === undefined ? { file: join(folder, 'printwarden.db') } : { postgres: engines.postgres.url },
      options.populations,
    )
    const startAll = async (): Promise<void> => {
      nodes = await Promise.all(
        Array.from({ length: options.nodes ?? 1 }, (_, index) => {
          return startNode(index === 0 ? folder : join(folder, `node-${index}`), options, engines)
        }),
      )
    }
    await startAll()
    return {
      get urls() {
        return nodes.map(({ url }) => url)
      },
      get pids() {
        return nodes.map(({ program }) => program.pid)
      },
      enginePids: {
        postgres: engines === undefined ? [] : [engines.postgres.pid],
        redis: engines === undefined ? [] : [engines.redis.pid],
      },
      postgresUrl: engines?.postgres.url,
      folder,
      people,
      async restart() {
        await Promise.all(nodes.map(({ program }) => program.stop()))
        await startAll()
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface Node {
  readonly program: Measured
  readonly url: string
}

interface Engines {
  readonly postgres: EngineProgram
  readonly redis: EngineProgram
}

async function startEngines(): Promise<Engines> {
  const [postgres, redis] = await Promise.all([startPostgres({ isDurable: true }), startRedis()])
  return { postgres, redis }
}

async function startNode(dataDir: string, options: WorldOptions, engines: Engines | undefined): Promise<Node> {
  const program = startBuilt('server', [], serverEnv(dataDir, options, engines), [
    ...profileArgs(options.cpuProf),
    ...(options.nodeArgs ?? []),
  ])
  // A figure beside errors is none.
  program.onLine((line) => {
    if (line.startsWith('{"level":50')) console.error(`a server says: ${line.slice(0, MAX_SAID)}`)
  })
  try {
    const url = await program.line((line) => /listening url=(\S+)/.exec(line)?.[1])
    requireLoopback(url)
    await untilReady(url, options.roles ?? NO_DETECTOR)
    return { program, url }
  } catch (error) {
    await program.stop()
    throw error
  }
}

/** The whole environment of a server that a benchmark starts. */
export function serverEnv(
  dataDir: string,
  { roles = NO_DETECTOR, env = {} }: Pick<WorldOptions, 'roles' | 'env'> = {},
  engines?: { readonly postgres: { readonly url: string }; readonly redis: { readonly url: string } },
): Record<string, string> {
  return {
    PRINTWARDEN_HOST: '127.0.0.1',
    PRINTWARDEN_PORT: '0',
    PRINTWARDEN_DATA_DIR: dataDir,
    PRINTWARDEN_SECRET_KEY: SECRET_KEY,
    PRINTWARDEN_ROLES: roles,
    PRINTWARDEN_DISCOVERY: 'off',
    PRINTWARDEN_LOG_LEVEL: 'error',
    PRINTWARDEN_LIMITS: NO_LIMITS,
    ...(engines === undefined
      ? {}
      : { PRINTWARDEN_DATABASE_URL: engines.postgres.url, PRINTWARDEN_REDIS_URL: engines.redis.url }),
    ...env,
  }
}

const profileArgs = (folder: string | undefined): string[] =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]

/** Resolves when the server says that nothing is missing, or nothing but the detector that it was started without. */
async function untilReady(url: string, roles: string): Promise<void> {
  const until = Date.now() + READY_MS
  for (;;) {
    const answer = await fetch(`${url}/readyz`)
    const { missing = [] } = (await answer.json()) as { missing?: readonly string[] }
    const needed = missing.filter((part) => part !== 'detector' || roles.includes('detector'))
    if (answer.ok || needed.length === 0) return
    if (Date.now() > until) throw new Error(`the server was not ready in time: ${needed.join(', ')} missing`)
    await delay(25)
  }
}
