import {
  accessSync,
  closeSync,
  constants,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { LinkError } from './link-error.js'

/** Only its owner may read the configuration: it has tokens and keys. */
const PRIVATE = 0o600

/** The text of the configuration, empty when there is none yet. */
export async function readConfigText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw new LinkError('bad_config', `${path} cannot be read (${error.code ?? error.message})`, { cause: error })
  })
}

/**
 * Finds out whether the configuration can be written, before a user has done anything for it.
 *
 * @throws {LinkError} bad_config
 */
export function checkWritable(path: string): void {
  const folder = dirname(target(path))
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new LinkError('bad_config', `${folder} cannot be written (${reason})`, { cause: error })
  }
}

/**
 * Replaces the configuration in one step: whatever happens, the old text is there or the new one. Nothing here waits, so no
 * signal comes in between.
 */
export function writeConfigText(path: string, text: string): void {
  const real = target(path)
  const temporary = `${real}.new`
  try {
    rmSync(temporary, { force: true })
    const file = openSync(temporary, 'wx', PRIVATE)
    try {
      keepOwner(file, real)
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, real)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/**
 * The administrator may link for the user whose agent it is, who must be able to read the file: it belongs to whom the old one
 * belonged to, or the folder where there was none.
 */
function keepOwner(file: number, path: string): void {
  const { uid, gid } = statSync(path, { throwIfNoEntry: false }) ?? statSync(dirname(path))
  if (process.getuid?.() === 0 && uid !== 0) fchownSync(file, uid, gid)
}

/** What a link leads to, so that the link stays. */
function target(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
