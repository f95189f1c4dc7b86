import { readFile } from 'node:fs/promises'
import { ConformanceTarget } from '#protocol'
import { z } from 'zod'

/** A printer of the target: its id, and the token of its agent. */
export type PrinterToken = ConformanceTarget['printer']

/** The file that names the server is missing or not as it should be. */
export class TargetError extends Error {
  override readonly name = 'TargetError'
}

/**
 * Reads `target.json`: where the server is, and the accounts, tokens and printers that were made for the run.
 * @throws {TargetError} with every problem of the file
 */
export async function readTarget(file: string): Promise<ConformanceTarget> {
  const result = ConformanceTarget.safeParse(parseJson(await readText(file), file))
  if (!result.success) throw new TargetError(`${file} is not a target:\n${z.prettifyError(result.error)}`)
  return result.data
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
