import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Program } from '../support/processes.js'
import { freePort, ROOT, startProgram, until } from '../support/processes.js'

/** A real OctoPrint with its virtual printer, and the few calls that a person at its web page would make. */
export interface OctoPrintProgram extends Program {
  readonly url: string
  readonly apiKey: string
  /** SIGKILL to OctoPrint itself: to everyone else a crashed printer host. */
  crash(): Promise<void>
  /** Uploads a file and starts to print it. */
  print(name: string, gCode: string): Promise<void>
  /** `state.text` of `GET /api/job`. */
  state(): Promise<string>
  job(command: Record<string, unknown>): Promise<void>
}

/** The virtual environment with OctoPrint. It outlives the run, so that it is made once. */
export const octoPrintVenv = (): string =>
  process.env['OCTOPRINT_VENV'] ?? join(homedir(), '.cache/printwarden/octoprint-1.11.8')

/** Starts OctoPrint in `workDir`. */
export async function startOctoPrint(workDir: string, port?: number): Promise<OctoPrintProgram> {
  const wantedPort = port ?? (await freePort())
  const script = join(ROOT, 'test/hosts/start-octoprint.sh')
  const program = startProgram('bash', [script, workDir, String(wantedPort)], { OCTOPRINT_VENV: octoPrintVenv() })
  // The first start installs it: one to two minutes, more on a slow network.
  const match = await program.waitFor(/READY url=(\S+) key=(\S+) .*?pid=(\d+)/, 600_000)
  const [, url, apiKey, pid] = match
  if (url === undefined || apiKey === undefined || pid === undefined) throw new Error('OctoPrint said nothing useful')

  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('X-Api-Key', apiKey)
    const response = await fetch(`${url}${path}`, { ...init, headers })
    if (!response.ok) throw new Error(`OctoPrint ${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const asJson = (body: unknown): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

  const state = async (): Promise<string> => {
    const body: unknown = await (await call('/api/job')).json()
    if (typeof body !== 'object' || body === null || !('state' in body)) throw new Error('no state in the job')
    return String(body.state)
  }

  return {
    ...program,
    url,
    apiKey,
    crash: async () => {
      process.kill(Number(pid), 'SIGKILL')
      await program.ended
    },
    print: async (name, gCode) => {
      // While it still connects or cancels, it takes the file but does not print it, and does not say so.
      await until('OctoPrint to be ready for a print', async () => (await state()) === 'Operational')
      const form = new FormData()
      form.append('file', new Blob([gCode]), name)
      form.append('select', 'true')
      form.append('print', 'true')
      await call('/api/files/local', { method: 'POST', body: form })
    },
    state,
    job: async (command) => {
      await call('/api/job', asJson(command))
    },
  }
}

/**
 * G-code that takes about `seconds` on the virtual printer: dwells, since its moves take no real time (about half a second a
 * step), with a little heating, layers and extrusion so that every reported value moves.
 */
export function dwellGCode(seconds: number): string {
  const lines = ['G90', 'M83', 'M104 S60', 'M140 S40', 'G28', 'G1 F6000']
  for (let step = 0; step < seconds * 2; step += 1) {
    if (step % 20 === 0) lines.push(`G1 Z${(0.2 + step * 0.01).toFixed(2)}`)
    lines.push(`G1 X${10 + (step % 50)} Y${20 + (step % 30)} E0.1`, 'G4 P500')
  }
  lines.push('M104 S0', 'M140 S0')
  return `${lines.join('\n')}\n`
}
