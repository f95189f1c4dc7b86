import { type Driver, Kysely, Migrator, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import { allMigrations } from '../migrations/all.js'
import { sqliteTypes } from '../migrations/types.js'
import type { Database } from '../ports.js'
import type { Tables } from '../tables.js'
import { EmbeddedReader } from './database-embedded-reader.js'
import { EmbeddedDriver, WorkerLink } from './database-embedded-driver.js'
import type { OpenedReply, WorkerOptions } from './database-embedded-messages.js'
import { startWorker } from './worker-thread.js'

/** SQLite can roll back a change of the schema, so a migration that was cut off leaves nothing behind. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** Opens the database in the SQLite file `file`, made if absent, in a thread of its own. */
export async function openEmbeddedDatabase(file: string): Promise<Database> {
  const options: WorkerOptions = { file }
  const worker = startWorker('./database-embedded-worker', import.meta.url, options)
  const opened = await new Promise<OpenedReply>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  if (!opened.opened) throw new Error(`the database ${file} cannot be opened: ${opened.message}`)

  const link = new WorkerLink(worker)
  const db = kyselyOver(new EmbeddedDriver(link))
  const reader = new EmbeddedReader(file)
  return {
    db,
    quick: kyselyOver(reader),
    transaction: (work) => db.transaction().execute(work),
    migrate: () => migrate(db),
    async ping() {
      await sql`select 1`.execute(db)
    },
    // Not through Kysely, which closes only what was used.
    async close() {
      reader.close()
      await link.close()
    },
  }
}

function kyselyOver(driver: Driver): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createDriver: () => driver,
      createAdapter: () => new TransactionalSqliteAdapter(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrations = allMigrations(sqliteTypes)
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  await refuseNewer(db, Object.keys(migrations))
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw new Error('the database could not be brought up to date', { cause: error })
}

/** An older server would not know the newer columns, so it must not write. */
async function refuseNewer(db: Kysely<Tables>, known: readonly string[]): Promise<void> {
  const tables = await sql`select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'`.execute(db)
  if (tables.rows.length === 0) return
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const unknown = rows.map((row) => row.name).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new Error(`the database was made by a newer version of Printwarden (it has ${unknown.join(', ')})`)
}
