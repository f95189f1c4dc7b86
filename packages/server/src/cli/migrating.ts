import { join } from 'node:path'
import { takeDataFolder } from '../adapters/data-folder.js'
import { openDatabase } from '../adapters/database-open.js'
import { placeOf } from '../adapters/database-postgres.js'
import type { Config } from '../config.js'
import { CommandError, reasonOf } from './command-error.js'
import { stderrLog } from './stderr-log.js'

export interface Migrated {
  /** Where the database is, without the password. */
  readonly place: string
  /** The migrations that were missing, by their names. */
  readonly ran: readonly string[]
}

/**
 * Brings the database of the configuration up to date. Servers may run on PostgreSQL meanwhile, and several may do this at once; a data folder is
 * one server's, which must be stopped.
 *
 * @throws {CommandError} with what to do
 */
export async function migrateDatabase(config: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<Migrated> {
  try {
    return await (config.databaseUrl === undefined
      ? migrateFolder(config.dataDir)
      : migrate(config, placeOf(config.databaseUrl), ''))
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(reasonOf(error), { cause: error })
  }
}

async function migrateFolder(dataDir: string): Promise<Migrated> {
  const folder = await takeDataFolder(dataDir)
  try {
    return await migrate({ databaseUrl: undefined }, join(dataDir, 'printwarden.db'), folder.file('printwarden.db'))
  } finally {
    folder.release()
  }
}

async function migrate(config: Pick<Config, 'databaseUrl'>, place: string, file: string): Promise<Migrated> {
  const database = await openDatabase(config, file, stderrLog)
  try {
    return { place, ran: await database.migrate() }
  } finally {
    await database.close()
  }
}
