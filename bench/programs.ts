import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program of the benchmark, run in a process of its own so that its CPU time can be told apart. */
export interface Measured {
  readonly pid: number
  readonly child: ChildProcess
  /** Resolves with the first line that `find` makes something of. */
  line<Found>(find: (line: string) => Found | undefined): Promise<Found>
  onLine(listener: (line: string) => void): void
  stop(): Promise<void>
}

/** Starts a TypeScript file of this folder. */
export function startBench(file: string, args: readonly string[] = []): Measured {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return measured(spawn(process.execPath, ['--conditions=x-source', '--import', 'tsx', path, ...args], OPTIONS))
}

/** Starts a built program of ours; `nodeArgs` are for Node itself. */
export function startBuilt(
  name: 'server' | 'agent',
  args: readonly string[],
  env: Record<string, string>,
  nodeArgs: readonly string[] = [],
): Measured {
  const path = fileURLToPath(new URL(`../packages/${name}/dist/main.js`, import.meta.url))
  return measured(
    spawn(process.execPath, [...nodeArgs, path, ...args], { ...OPTIONS, env: { ...process.env, ...env } }),
  )
}

/** Starts a JavaScript file of this folder with nothing loaded beside it: what a floor is measured with. */
export function startPlain(file: string, args: readonly string[] = [], nodeArgs: readonly string[] = []): Measured {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return measured(spawn(process.execPath, [...nodeArgs, path, ...args], OPTIONS))
}

const OPTIONS = { stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'] }

function measured(child: ChildProcess): Measured {
  const { pid, stdout } = child
  if (pid === undefined || stdout === null) throw new Error('the program could not be started')
  const listeners = new Set<(line: string) => void>()
  const lines: string[] = []
  createInterface({ input: stdout }).on('line', (line) => {
    lines.push(line)
    for (const listener of listeners) listener(line)
  })
  return {
    pid,
    child,
    onLine: (listener) => listeners.add(listener),
    line: (find) =>
      new Promise((resolve, reject) => {
        const look = (line: string): boolean => {
          const found = find(line)
          if (found === undefined) return false
          listeners.delete(look)
          resolve(found)
          return true
        }
        if (lines.some(look)) return
        listeners.add(look)
        child.once('exit', (code) => reject(new Error(`the program ended with ${code}`)))
      }),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}
