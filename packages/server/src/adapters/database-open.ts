import type { Config } from '../config.js'
import type { Database, Log } from '../ports.js'
import { openEmbeddedDatabase } from './database-embedded.js'

/** The database that the configuration names, or the embedded one in `file`. */
export async function openDatabase(
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  file: string,
  log: Log,
): Promise<Database> {
  if (databaseUrl === undefined) return openEmbeddedDatabase(file)
  // Read only where it is used.
  return (await import('./database-postgres.js')).openPostgresDatabase(databaseUrl, log)
}
