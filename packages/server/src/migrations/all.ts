import type { Kysely, Migration } from 'kysely'
import * as start from './0001-start.js'
import * as feedback from './0002-feedback.js'
import * as gCode from './0003-g-code.js'
import * as linking from './0004-linking-and-notifications.js'
import * as oauth from './0005-oauth.js'
import * as accounts from './0006-accounts.js'
import * as cameras from './0007-cameras.js'
import * as watching from './0008-watching.js'
import * as context from './0009-camera-context.js'
import * as jobs from './0010-jobs.js'
import * as teaching from './0011-teaching.js'
import * as commandResults from './0012-command-results.js'
import * as imports from './0013-imports.js'
import * as deviations from './0014-deviations.js'
import * as assistant from './0015-assistant.js'
import * as assistantProposals from './0016-assistant-proposals.js'
import * as postMortems from './0017-post-mortems.js'
import * as longNames from './0018-long-names.js'
import type { Types } from './types.js'

const MIGRATIONS: Record<string, { up(db: Kysely<unknown>, types: Types): Promise<void> }> = {
  '0001-start': start,
  '0002-feedback': feedback,
  '0003-g-code': gCode,
  '0004-linking-and-notifications': linking,
  '0005-oauth': oauth,
  '0006-accounts': accounts,
  '0007-cameras': cameras,
  '0008-watching': watching,
  '0009-camera-context': context,
  '0010-jobs': jobs,
  '0011-teaching': teaching,
  '0012-command-results': commandResults,
  '0013-imports': imports,
  '0014-deviations': deviations,
  '0015-assistant': assistant,
  '0016-assistant-proposals': assistantProposals,
  '0017-post-mortems': postMortems,
  '0018-long-names': longNames,
}

/** Every migration by name, in order of names, for one engine. */
export function allMigrations(types: Types): Record<string, Migration> {
  const entries = Object.entries(MIGRATIONS)
  const { plugin } = types
  const dialect = (db: Kysely<unknown>): Kysely<unknown> => (plugin === undefined ? db : db.withPlugin(plugin))
  return Object.fromEntries(
    entries.map(([name, migration]) => [name, { up: (db) => migration.up(dialect(db), types) }]),
  )
}
