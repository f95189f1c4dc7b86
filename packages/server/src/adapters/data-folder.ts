import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'

/** A data folder that belongs to this process alone. */
export interface DataFolder {
  readonly path: string
  /** Path of something in the folder. */
  file(name: string): string
  release(): void
}

/**
 * Takes a data folder, making it when it is absent. Two servers in one folder would overwrite what the other one keeps in memory, so
 * a lock is held on a small database beside the real one: the operating system frees it however the process ends.
 *
 * @throws when another process holds it, or the folder cannot be made or written
 */
export async function takeDataFolder(path: string): Promise<DataFolder> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    const lock = takeLock(join(path, 'lock.db'))
    return { path, file: (name) => join(path, name), release: () => lock.close() }
  } catch (error) {
    throw new Error(isHeld(error) ? inUse(path) : unusable(path, error), { cause: error })
  }
}

function takeLock(file: string): InstanceType<typeof DatabaseSync> {
  const lock = new DatabaseSync(file)
  try {
    lock.exec('pragma locking_mode = exclusive; pragma journal_mode = delete; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}

/** SQLITE_BUSY; a full or read-only disk fails in other ways. */
const isHeld = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === 5

const inUse = (path: string): string =>
  `the data folder ${path} is in use by another printwarden-server; stop it first, or set PRINTWARDEN_DATA_DIR`

const unusable = (path: string, error: unknown): string =>
  `the data folder ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}`
