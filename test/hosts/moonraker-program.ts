import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Program } from '../support/processes.js'
import { freePort, ROOT, startProgram } from '../support/processes.js'

/** A real Moonraker with a real Klippy on a simulated board, and what a person at Mainsail or at the printer would do. */
export interface MoonrakerProgram extends Program {
  readonly url: string
  /** Only where nobody is trusted. */
  readonly apiKey: string | undefined
  /** Stores a file and starts to print it. */
  print(name: string, gCode: string): Promise<void>
  /** `print_stats.state`, or the state of a Klippy that is not ready. */
  state(): Promise<string>
  /** The present values of one of Klipper's objects. */
  object(name: string): Promise<Record<string, unknown>>
  /** A call of the HTTP interface, such as `/printer/print/pause`. */
  post(path: string): Promise<void>
  /** A command to the simulated board, such as `runout 1`. */
  board(command: string): Promise<void>
  /** SIGKILL to one of the programs; it is started again after a second, as systemd does. */
  crash(name: 'moonraker' | 'klippy'): Promise<void>
  /** Memory that is resident now, in KiB, by program. */
  memory(): Promise<Record<string, number>>
}

export interface MoonrakerOptions {
  /** Whether a key is needed. */
  readonly auth?: boolean
  readonly snapshotUrl?: string
}

/** Starts all three in `workDir`; their virtual environments outlive the run, so that they are made once. */
export async function startMoonraker(workDir: string, options: MoonrakerOptions = {}): Promise<MoonrakerProgram> {
  const venvs = join(homedir(), '.cache/printwarden')
  const script = join(ROOT, 'test/hosts/start-moonraker.sh')
  const [port, boardPort] = [await freePort(), await freePort()]
  const program = startProgram('bash', [script, workDir, String(port)], {
    MOONRAKER_VENV: process.env['MOONRAKER_VENV'] ?? join(venvs, 'moonraker-0.11.0'),
    KLIPPY_VENV: process.env['KLIPPY_VENV'] ?? join(venvs, 'klippy-2026.10.0.dev0'),
    MCU_CTL_PORT: String(boardPort),
    ...(options.auth ? { MOONRAKER_AUTH: '1' } : {}),
    ...(options.snapshotUrl ? { MOONRAKER_SNAPSHOT: options.snapshotUrl } : {}),
  })
  // The first start installs both: two minutes, more on a slow network.
  const [, url, key, data] = await program.waitFor(/READY url=(\S+) .*?key=(\S+) .*?data=(\S+)/, 600_000)
  if (url === undefined || key === undefined || data === undefined) throw new Error('Moonraker said nothing useful')
  const apiKey = key === 'none' ? undefined : key

  async function call(path: string, init: RequestInit = {}): Promise<unknown> {
    const headers = new Headers(init.headers)
    if (apiKey !== undefined) headers.set('X-Api-Key', apiKey)
    const response = await fetch(`${url}${path}`, { ...init, headers })
    if (!response.ok) throw new Error(`Moonraker ${path}: ${response.status} ${await response.text()}`)
    const body = asRecord(await response.json())
    return body['result'] ?? body
  }

  const object = async (name: string) => {
    const answer = asRecord(await call(`/printer/objects/query?${encodeURIComponent(name)}`))
    return asRecord(asRecord(answer['status'])[name])
  }
  const pidOf = async (name: string) => Number(await readFile(join(data, `comms/${name}.pid`), 'utf8'))

  return {
    ...program,
    url,
    apiKey,
    print: async (name, gCode) => {
      const form = new FormData()
      form.append('file', new Blob([gCode]), name)
      form.append('print', 'true')
      await call('/server/files/upload', { method: 'POST', body: form })
    },
    state: async () => {
      const klippy = String(asRecord(await call('/server/info'))['klippy_state'])
      return klippy === 'ready' ? String((await object('print_stats'))['state']) : klippy
    },
    object,
    post: async (path) => {
      await call(path, { method: 'POST' })
    },
    board: async (command) => {
      const socket = connect(boardPort, '127.0.0.1')
      socket.write(`${command}\n`)
      await once(socket, 'data')
      socket.destroy()
    },
    crash: async (name) => {
      process.kill(await pidOf(name), 'SIGKILL')
    },
    memory: async () => {
      const names = ['moonraker', 'klippy']
      const sizes = await Promise.all(names.map(async (name) => [name, await residentKiB(await pidOf(name))] as const))
      return Object.fromEntries(sizes)
    },
  }
}

/** Memory of a process that is resident now, in KiB. */
export async function residentKiB(pid: number): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])
}

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error(`not an object: ${JSON.stringify(value)}`)
  return value as Record<string, unknown>
}

/**
 * G-code that takes `seconds` after some seven for homing: dwells, with a little heating, extrusion, five layers, and everything
 * that slicers tell Klipper.
 */
export function klipperGCode(seconds: number): string {
  const steps = seconds * 2
  const header = [
    '; generated by PrusaSlicer 2.7.0 on 2026-01-01',
    'G90',
    'M83',
    'G28',
    'SET_PRINT_STATS_INFO TOTAL_LAYER=5',
    'M104 S60',
    'M140 S40',
  ]
  const body = Array.from({ length: steps }, (_, step) => {
    const layer = Math.floor((step * 5) / steps)
    const isNewLayer = step === 0 || layer > Math.floor(((step - 1) * 5) / steps)
    return [
      ...(isNewLayer
        ? [`SET_PRINT_STATS_INFO CURRENT_LAYER=${layer + 1}`, `G1 Z${(0.2 * (layer + 1)).toFixed(2)} F600`]
        : []),
      `M73 P${Math.floor((step * 100) / steps)}`,
      `G1 X${10 + (step % 50)} Y${20 + (step % 30)} E0.1 F6000`,
      'G4 P500',
    ]
  })
  const footer = [
    'M104 S0',
    'M140 S0',
    `; estimated printing time (normal mode) = ${seconds}s`,
    '; layer_height = 0.2',
    '',
  ]
  return [...header, ...body.flat(), ...footer].join('\n')
}
