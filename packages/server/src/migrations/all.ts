import type { Kysely, Migration } from 'kysely'
import * as start from './0001-start.js'
import type { Types } from './types.js'

const MIGRATIONS: Record<string, { up(db: Kysely<unknown>, types: Types): Promise<void> }> = {
  '0001-start': start,
}

/** Every migration by name, in order of names, for one engine. */
export function allMigrations(types: Types): Record<string, Migration> {
  const entries = Object.entries(MIGRATIONS)
  return Object.fromEntries(entries.map(([name, migration]) => [name, { up: (db) => migration.up(db, types) }]))
}
