import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Program } from '../support/processes.js'
import { ROOT, startProgram } from '../support/processes.js'
import { octoPrintVenv } from './octoprint-program.js'

/** A simulated Marlin printer on a pseudo terminal. */
export interface MarlinProgram extends Program {
  /** The path of its serial device. */
  readonly device: string
  /** Does at the printer itself what nobody can do on the line: "!!DEBUG:drop_connection", or any command. */
  control(line: string): Promise<void>
  /** Puts a file on its card. Names should be long: the simulator fails on short ones. */
  putOnCard(name: string, gCode: string): Promise<void>
}

/** Starts one in `workDir`. `settings` are those of OctoPrint's virtual printer, such as `sendBusy=true`. */
export async function startMarlin(workDir: string, settings: readonly string[] = []): Promise<MarlinProgram> {
  const device = join(workDir, 'ttyMARLIN')
  const data = join(workDir, 'data')
  await mkdir(join(data, 'sd'), { recursive: true })
  const script = join(ROOT, 'test/hosts/start-marlin.sh')
  const args = [script, device, data, ...settings.flatMap((setting) => ['--set', setting])]
  const program = startProgram('bash', args, { OCTOPRINT_VENV: octoPrintVenv() })
  await program.waitFor(/READY port=/, 600_000)
  return {
    ...program,
    device,
    control: (line) => writeFile(join(data, 'control'), `${line}\n`),
    putOnCard: (name, gCode) => writeFile(join(data, 'sd', name), gCode),
  }
}
