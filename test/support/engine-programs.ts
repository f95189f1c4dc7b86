import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

// PostgreSQL and Redis of the tests' own: real programs, each in a temporary folder and on a free port of 127.0.0.1.

/** A database server that a test may stop and start again, as an operator would. */
export interface EngineProgram {
  readonly url: string
  /** Of the program that runs now. */
  readonly pid: number
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>
  /** Ends it and removes its data. */
  close(): Promise<void>
}

/** PostgreSQL refuses to run as root, so root lets nobody run it. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const asNobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {}

const READY_TIMEOUT_MS = 60_000

function folderFor(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `printwarden-${name}-`))
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  chmodSync(folder, 0o700)
  return folder
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no free port')
  server.close()
  await once(server, 'close')
  return address.port
}

/** Debian keeps PostgreSQL's programs out of the path, one folder a version. */
function postgresPath(): string {
  const root = '/usr/lib/postgresql'
  let versions: string[] = []
  try {
    versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  } catch {
    // Elsewhere they are in the path.
  }
  return [...versions.map((version) => join(root, version, 'bin')), process.env['PATH'] ?? ''].join(delimiter)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** Starts `begin` and waits until `isReady`; a program that ends before is an error with what it said. */
async function startProgram(begin: () => ChildProcess, isReady: () => boolean): Promise<ChildProcess> {
  const child = begin()
  let said = ''
  const hear = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-4000)
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  const spawned = new Promise<never>((_, reject) => child.once('error', reject))
  const until = Date.now() + READY_TIMEOUT_MS
  const waiting = (async () => {
    while (!isReady()) {
      if (child.exitCode !== null) throw new Error(`it ended before it was ready: ${said}`)
      if (Date.now() > until) throw new Error(`it was not ready in time: ${said}`)
      await delay(50)
    }
  })()
  await Promise.race([waiting, spawned])
  return child
}

function succeeds(program: string, args: readonly string[], env: NodeJS.ProcessEnv): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', env })
    return true
  } catch {
    return false
  }
}

function programOf(
  url: string,
  folder: string,
  start: () => Promise<ChildProcess>,
  first: ChildProcess,
): EngineProgram {
  let child = first
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended(child)
  }
  return {
    url,
    get pid() {
      return child.pid ?? 0
    },
    kill,
    async start() {
      child = await start()
    },
    async close() {
      // PostgreSQL's immediate stop, so that its own children end too; Redis takes it for an end as well.
      child.kill('SIGQUIT')
      await Promise.race([ended(child), delay(5000)])
      await kill()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** For tests: the data need not outlive a power cut, only a crash. */
const UNSYNCED = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

/**
 * A PostgreSQL server with one superuser, `printwarden`, and its empty database of the same name.
 *
 * @param options.isDurable as an operator would run it: every commit is on the disk
 */
export async function startPostgres({ isDurable = false } = {}): Promise<EngineProgram> {
  const folder = folderFor('postgres')
  const env = { PATH: postgresPath(), LC_ALL: 'C.UTF-8', PGCONNECT_TIMEOUT: '2' }
  const run = (program: string, args: readonly string[]) =>
    execFileSync(program, args, { env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], ...asNobody })
  const data = join(folder, 'data')
  run('initdb', ['-D', data, '-U', 'printwarden', '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  const port = await freePort()
  const options = [...(isDurable ? [] : UNSYNCED), 'max_connections=300']
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...options.flatMap((o) => ['-c', o])]
  const start = () =>
    startProgram(
      () => spawn('postgres', args, { env, cwd: folder, ...asNobody }),
      () => succeeds('pg_isready', ['-q', '-h', '127.0.0.1', '-p', String(port)], env),
    )
  const child = await start()
  run('createdb', ['-h', '127.0.0.1', '-p', String(port), '-U', 'printwarden', 'printwarden'])
  return programOf(`postgres://printwarden@127.0.0.1:${port}/printwarden`, folder, start, child)
}

/** A Redis server that keeps nothing on the disk. */
export async function startRedis(): Promise<EngineProgram> {
  const folder = folderFor('redis')
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
  const env = { PATH: process.env['PATH'] ?? '' }
  const start = () =>
    startProgram(
      () => spawn('redis-server', args, { env, cwd: folder, ...asNobody }),
      () => succeeds('redis-cli', ['-h', '127.0.0.1', '-p', String(port), 'ping'], env),
    )
  return programOf(`redis://127.0.0.1:${port}`, folder, start, await start())
}
