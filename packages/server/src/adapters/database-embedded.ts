import {
  type Driver,
  Kysely,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { sqliteTypes } from '../migrations/types.js'
import type { Database } from '../ports.js'
import type { Tables } from '../tables.js'
import { EmbeddedReader } from './database-embedded-reader.js'
import { EmbeddedDriver, WorkerLink } from './database-embedded-driver.js'
import type { OpenedReply, WorkerOptions } from './database-embedded-messages.js'
import { migrateToLatest } from './database-migrations.js'
import { startWorker } from './worker-thread.js'

/** SQLite can roll back a change of the schema, so a migration that was cut off leaves nothing behind. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

const LOCKS_OF_ROWS: readonly unknown[] = [
  'ForUpdate',
  'ForShare',
  'ForNoKeyUpdate',
  'ForKeyShare',
  'NoWait',
  'SkipLocked',
]

/** One statement writes at a time here, so there are no locks of rows, nor words for them. */
class LocklessSqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!LOCKS_OF_ROWS.includes(node.modifier)) super.visitSelectModifier(node)
  }
}

/** Opens the database in the SQLite file `file`, made if absent, in a thread of its own. */
export async function openEmbeddedDatabase(file: string): Promise<Database> {
  const options: WorkerOptions = { file }
  const worker = startWorker('database-embedded-worker', options)
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
    migrate: () => migrateToLatest(db, sqliteTypes),
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
      createQueryCompiler: () => new LocklessSqliteCompiler(),
    },
  })
}
