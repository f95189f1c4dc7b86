import { readFile } from 'node:fs/promises'
import { ConformanceTarget } from '#protocol'
import { z } from 'zod'

/** A printer of the target: its id, and the token of its agent. */
export type PrinterToken = ConformanceTarget['printer']

/** The program under test cannot be tried. */
export class TargetError extends Error {
  override readonly name = 'TargetError'
}

/** A case that fails half-way may leave a printer printing, and some cases need several. */
const FEWEST_PRINTERS = 8

/** The target, with what no type says. */
const CheckedTarget = ConformanceTarget.superRefine((target, context) => {
  const complain = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message })
  if (!/^https?:/.test(target.base_url)) complain('base_url', 'must begin with http:// or https://')
  if (!/^wss?:/.test(target.agent_ws_url)) complain('agent_ws_url', 'must begin with ws:// or wss://')
  if (target.owner.email === target.other.email) complain('other', 'must be another user than owner')
  if (target.disposable_printers.length < FEWEST_PRINTERS) {
    complain('disposable_printers', `must be ${FEWEST_PRINTERS} or more`)
  }
})

/**
 * Reads `target.json`: where the server is, and the accounts, tokens and printers that were made for the run.
 * @throws {TargetError} with every problem of the file
 */
export async function readTarget(file: string): Promise<ConformanceTarget> {
  const result = CheckedTarget.safeParse(parseJson(await readText(file), file))
  if (!result.success) throw new TargetError(`${file} is not a target:\n${z.prettifyError(result.error)}`)
  return result.data
}

/**
 * One clear message instead of a failure of every case.
 * @throws {TargetError}
 */
export async function checkReachable(baseUrl: string): Promise<void> {
  try {
    await fetch(baseUrl, { redirect: 'manual', signal: AbortSignal.timeout(30_000) })
  } catch (err) {
    throw new TargetError(`no server answers at ${baseUrl}`, { cause: err })
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (err) {
    throw new TargetError(`${file} cannot be read`, { cause: err })
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (err) {
    throw new TargetError(`${file} is not JSON`, { cause: err })
  }
}
