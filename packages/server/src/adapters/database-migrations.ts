import { type Kysely, Migrator } from 'kysely'
import { allMigrations } from '../migrations/all.js'
import type { Types } from '../migrations/types.js'
import type { Tables } from '../tables.js'

const MIGRATION_TABLE = 'kysely_migration'

/**
 * Runs the migrations that are missing, in order, and names them; those that ran already stay as they are.
 *
 * @throws for a database of a newer version
 */
export async function migrateToLatest(db: Kysely<Tables>, types: Types): Promise<readonly string[]> {
  const migrations = allMigrations(types)
  await refuseNewer(db, Object.keys(migrations))
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) throw new Error('the database could not be brought up to date', { cause: error })
  return results.map(({ migrationName }) => migrationName)
}

/**
 * Refuses a database that is not exactly this version's, for who only reads it. `names` are its migrations.
 *
 * @throws with what to do
 */
export function checkMigrations(names: readonly string[], types: Types): void {
  const known = Object.keys(allMigrations(types))
  refuseUnknown(names, known)
  const missing = known.filter((name) => !names.includes(name))
  if (missing.length === 0) return
  throw new Error(
    `the database is of an older version of Printwarden (it lacks ${missing.join(', ')}); start this version's server on it once, and stop it`,
  )
}

/** An older server would not know the newer columns, so it must not write. */
async function refuseNewer(db: Kysely<Tables>, known: readonly string[]): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === MIGRATION_TABLE)) return
  const rows = await db
    .withTables<{ [MIGRATION_TABLE]: { name: string } }>()
    .selectFrom(MIGRATION_TABLE)
    .select('name')
    .execute()
  refuseUnknown(
    rows.map(({ name }) => name),
    known,
  )
}

function refuseUnknown(names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new Error(`the database was made by a newer version of Printwarden (it has ${unknown.join(', ')})`)
}
