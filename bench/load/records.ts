import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { World } from './world.js'

/** What is kept at one moment. */
export interface Kept {
  /** Tables and indexes, in bytes. */
  readonly recordBytes: number
  /** Rows inserted, changed and removed so far; 0 on the embedded engine, which does not count them. */
  readonly rowsWritten: number
  /** Pictures and videos, in bytes. */
  readonly blobBytes: number
}

/** What a world's servers keep now: in their database and among their blobs. */
export function keptBy({ folder, postgresUrl }: World): Kept {
  const records =
    postgresUrl === undefined ? embeddedRecords(join(folder, 'printwarden.db')) : postgresRecords(postgresUrl)
  return { ...records, blobBytes: bytesUnder(join(folder, 'blobs')) }
}

interface Sqlite {
  readonly DatabaseSync: new (
    file: string,
    options: { readOnly: boolean },
  ) => { prepare(statement: string): { get(): Record<string, number> }; close(): void }
}

/** The library belongs to the server's package. */
const { DatabaseSync } = createRequire(new URL('../../packages/server/package.json', import.meta.url))(
  '@photostructure/sqlite',
) as Sqlite

/** Pages in use: the file itself grows in steps, and some of it waits in the write-ahead log. */
function embeddedRecords(file: string): Omit<Kept, 'blobBytes'> {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const pragma = (name: string): number => database.prepare(`pragma ${name}`).get()[name] ?? 0
    return { recordBytes: (pragma('page_count') - pragma('freelist_count')) * pragma('page_size'), rowsWritten: 0 }
  } finally {
    database.close()
  }
}

const POSTGRES_QUERY = `select sum(pg_total_relation_size(relid)), sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables`

/** Asked by PostgreSQL's own program, which is there where its server is. */
function postgresRecords(url: string): Omit<Kept, 'blobBytes'> {
  const answer = execFileSync('psql', ['-XAt', '-F', ' ', '-c', POSTGRES_QUERY, url], { encoding: 'utf8' })
  const [recordBytes = 0, rowsWritten = 0] = answer.trim().split(' ').map(Number)
  return { recordBytes, rowsWritten }
}

function bytesUnder(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    try {
      bytes += statSync(join(entry.parentPath, entry.name)).size
    } catch {
      // It was removed meanwhile.
    }
  }
  return bytes
}
