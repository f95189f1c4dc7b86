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

/** The target, with what its type does not say. */
const CheckedTarget = ConformanceTarget.extend({
  base_url: z.url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' }),
  agent_ws_url: z.url({ protocol: /^wss?$/, error: 'must be an address that begins with ws:// or wss://' }),
  disposable_printers: ConformanceTarget.shape.disposable_printers.min(
    FEWEST_PRINTERS,
    `must be ${FEWEST_PRINTERS} or more`,
  ),
}).refine(({ owner, other }) => owner.email !== other.email, {
  path: ['other'],
  message: 'must be another user than owner',
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
