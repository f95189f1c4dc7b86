import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's root. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** One of our programs, or a real printer host, as a child process whose output is kept. */
export interface Program {
  readonly pid: number
  /** Everything it printed so far. */
  output(): string
  /** Resolves with the match once the output matches; rejects with the output when it takes longer or the program ends. */
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<RegExpMatchArray>
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL: what a power cut looks like to the others. */
  kill(): Promise<void>
  /** The exit code once it has ended. */
  readonly ended: Promise<number | null>
}

/** Starts a program in the background. `env` is added to the environment, less all settings of ours. */
export function startProgram(command: string, args: readonly string[], env: Record<string, string> = {}): Program {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PRINTWARDEN_'))
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return watchProgram(child, `${command} ${args.join(' ')}`)
}

function watchProgram(child: ChildProcess, name: string): Program {
  const { pid } = child
  if (pid === undefined) throw new Error(`could not start ${name}`)
  let output = ''
  const append = (chunk: Buffer): void => {
    output += chunk.toString()
  }
  child.stdout?.on('data', append)
  child.stderr?.on('data', append)
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null

  async function waitFor(pattern: RegExp, timeoutMs = 30_000): Promise<RegExpMatchArray> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const match = pattern.exec(output)
      if (match) return match
      if (!isAlive()) throw new Error(`${name} ended before ${pattern} appeared:\n${output}`)
      if (Date.now() > deadline) throw new Error(`${name} did not print ${pattern} in ${timeoutMs} ms:\n${output}`)
      await sleep(50)
    }
  }

  async function endWith(signal: NodeJS.Signals): Promise<number | null> {
    if (isAlive()) child.kill(signal)
    return ended
  }

  return {
    pid,
    output: () => output,
    waitFor,
    stop: () => endWith('SIGTERM'),
    kill: async () => {
      await endWith('SIGKILL')
    },
    ended,
  }
}

/** The command that runs one of our programs: the built one when `PRINTWARDEN_TEST_BUILT` is set, else from its sources. */
export function ourProgram(name: 'server' | 'agent'): { command: string; args: string[] } {
  if (process.env['PRINTWARDEN_TEST_BUILT']) {
    return { command: process.execPath, args: [join(ROOT, `packages/${name}/dist/main.js`)] }
  }
  const source = join(ROOT, `packages/${name}/src/main.ts`)
  return { command: process.execPath, args: ['--conditions=x-source', '--import', 'tsx', source] }
}

export const ADMIN = { email: 'admin@example.test', password: 'correct-horse-battery' }

/** A running server of ours. */
export interface ServerProgram extends Program {
  readonly url: string
}

/** Starts the server on its embedded database in `dataDir`, and waits until it listens. */
export async function startServer(options: {
  dataDir: string
  port?: number
  env?: Record<string, string>
  /** How long the start may take. */
  startMs?: number
}): Promise<ServerProgram> {
  const { command, args } = ourProgram('server')
  const program = startProgram(command, args, {
    PRINTWARDEN_HOST: '127.0.0.1',
    PRINTWARDEN_PORT: String(options.port ?? 0),
    PRINTWARDEN_DATA_DIR: options.dataDir,
    PRINTWARDEN_ADMIN_EMAIL: ADMIN.email,
    PRINTWARDEN_ADMIN_PASSWORD: ADMIN.password,
    ...options.env,
  })
  const match = await program.waitFor(/listening url=(http:\S+)/, options.startMs ?? 150_000)
  const url = match[1]
  if (url === undefined) throw new Error('the server printed no address')
  return { ...program, url }
}

/** Runs one of the server's administration commands and hands back what it printed. */
export async function runServerCommand(url: string, args: readonly string[]): Promise<string> {
  const { command, args: programArgs } = ourProgram('server')
  const program = startProgram(command, [...programArgs, ...args, '--url', url], {
    PRINTWARDEN_ADMIN_EMAIL: ADMIN.email,
    PRINTWARDEN_ADMIN_PASSWORD: ADMIN.password,
  })
  const code = await program.ended
  if (code !== 0) throw new Error(`printwarden-server ${args.join(' ')} ended with ${code}:\n${program.output()}`)
  return program.output()
}

/** Starts the agent with a configuration file. */
export function startAgent(configFile: string): Program {
  const { command, args } = ourProgram('agent')
  return startProgram(command, [...args, 'run', '--config', configFile])
}

/** Any command of the agent, such as `simulate`. */
export function startAgentCommand(commandArgs: readonly string[], env: Record<string, string> = {}): Program {
  const { command, args } = ourProgram('agent')
  return startProgram(command, [...args, ...commandArgs], env)
}

/** A folder that is gone when `remove` has resolved. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'printwarden-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  server.close()
  await once(server, 'close')
  return address.port
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Asks again until `check` gives something; rejects with what it waited for, after `timeoutMs`. */
export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 30_000,
  intervalMs = 100,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const value = await check()
    if (value !== undefined && value !== false) return value
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`)
    await sleep(intervalMs)
  }
}
