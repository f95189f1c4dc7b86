import type { Kysely } from 'kysely'
import type { Secrets } from '../ports.js'
import type { Tables } from '../tables.js'
import type { ItemKey } from './store.js'

/** What is known while one record is taken over, in a transaction of its own. */
export interface Turn {
  readonly trx: Kysely<Tables>
  readonly userId: number
  readonly source: string
  readonly now: number
  /** Nothing stays of a dry run, so what a record builds on need not be there. */
  readonly isDryRun: boolean
  readonly secrets: Pick<Secrets, 'newToken' | 'encrypt' | 'decrypt' | 'keyedHash'>
  /** Run once everything is committed. */
  readonly afterwards: (() => void)[]
}

export function keyOf({ userId, source }: Turn, kind: string, sourceId: number): ItemKey {
  return { user_id: userId, source, kind, source_id: sourceId }
}
