import {
  type ImportedNotificationSetting,
  type ImportedPreferences,
  NOTIFICATION_DEFAULTS,
  NotificationChannelName,
} from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import { type ChannelConfig, FLAGS, flagColumns, readConfig } from '../notifications/channel-config.js'
import {
  insertNotificationSetting,
  listNotificationSettings,
  type NotificationSettingRow,
  updateNotificationSetting,
} from '../notifications/store.js'
import { findUser, updateUser } from '../users/store.js'
import { type Columns, conflictNotes, mergeColumns } from './merge.js'
import { compared, created, deletedHere, leftOut, type Outcome } from './outcome.js'
import { findItem, insertItem, setItemRecord } from './store.js'
import { keyOf, type Turn } from './turn.js'

/** How the user is told things by one channel. */
export async function importNotificationSetting(turn: Turn, record: ImportedNotificationSetting): Promise<Outcome> {
  const { trx, userId, now } = turn
  const name = NotificationChannelName.safeParse(record.name).data
  if (name === undefined) return leftOut(`this server has no channel ${record.name}`)
  const read = configOf(name, record.config)
  if ('problem' in read) return leftOut(read.problem)
  const theirs = { ...flagColumns(record), config_hash: hashOf(turn, read.config) }
  const key = keyOf(turn, 'notification_setting', record.source_id)
  const item = await findItem(trx, key)
  const existing = (await listNotificationSettings(trx, userId)).find((row) => row.name === name)
  if (existing === undefined) {
    if (item !== undefined) return deletedHere()
    const row = await insertNotificationSetting(trx, {
      ...{ user_id: userId, name, created_at: now, updated_at: now, ...flagColumns(record) },
      config_encrypted: encrypted(turn, read.config),
    })
    if (row === undefined) throw new ApiError('conflict')
    await insertItem(trx, key, { record: theirs, target: row.id, now })
    return created(row.id)
  }
  // Everybody has e-mail from the start: as long as nobody touched it, it may be set.
  const untouched =
    name === 'email' ? { ...flagColumns(NOTIFICATION_DEFAULTS), config_hash: hashOf(turn, {}) } : undefined
  const base = item === undefined ? untouched : (JSON.parse(item.record) as Columns)
  const merged = mergeColumns(base, theirs, comparable(turn, existing))
  const { config_hash, ...flags } = merged.changes
  if (Object.keys(merged.changes).length > 0) {
    const config = config_hash === undefined ? {} : { config_encrypted: encrypted(turn, read.config) }
    await updateNotificationSetting(trx, userId, existing.id, { ...flags, ...config, updated_at: now })
  }
  if (item === undefined) await insertItem(trx, key, { record: theirs, target: existing.id, now })
  else await setItemRecord(trx, item.id, theirs)
  const conflicts = merged.conflicts.map((column) => (column === 'config_hash' ? 'config' : column))
  return { ...compared(existing.id, merged), notes: conflictNotes(conflicts) }
}

function configOf(
  name: NotificationChannelName,
  config: ChannelConfig,
): { readonly config: ChannelConfig } | { readonly problem: string } {
  try {
    return { config: readConfig(name, config) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const words = (error.issues ?? []).map(({ path, message }) => `${path} ${message}`)
    return { problem: `its config cannot be used here: ${words.join('; ')}` }
  }
}

const encrypted = ({ secrets }: Turn, config: ChannelConfig): string | null =>
  Object.keys(config).length === 0 ? null : secrets.encrypt(JSON.stringify(config))

/** The config may hold secrets, so only a hash of it is kept for comparing. */
function hashOf({ secrets }: Turn, config: ChannelConfig): string {
  return secrets.keyedHash(JSON.stringify(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1))))
}

function comparable(turn: Turn, row: NotificationSettingRow): Columns {
  const flags = Object.fromEntries(FLAGS.map((flag) => [flag, row[flag]]))
  const config =
    row.config_encrypted === null ? {} : (JSON.parse(turn.secrets.decrypt(row.config_encrypted)) as ChannelConfig)
  return { ...flags, config_hash: hashOf(turn, config) }
}

/** How a new account is set. */
const UNTOUCHED = { first_name: '', last_name: '', account_notification_by_email: 1, notification_enabled: 1 }

/** What the user had set for the account as a whole. */
export async function importPreferences(turn: Turn, record: ImportedPreferences): Promise<Outcome> {
  const { trx, userId, now } = turn
  const key = keyOf(turn, 'preferences', record.source_id)
  const item = await findItem(trx, key)
  const user = await findUser(trx, userId)
  if (user === undefined) throw new ApiError('not_found')
  const theirs = {
    ...{ first_name: record.first_name, last_name: record.last_name },
    account_notification_by_email: Number(record.account_notification_by_email),
    notification_enabled: Number(record.notification_enabled),
  }
  const base = item === undefined ? UNTOUCHED : (JSON.parse(item.record) as Columns)
  const merged = mergeColumns(base, theirs, {
    ...{ first_name: user.first_name, last_name: user.last_name },
    account_notification_by_email: user.account_notification_by_email,
    notification_enabled: user.notification_enabled,
  })
  await updateUser(trx, userId, merged.changes)
  if (item === undefined) await insertItem(trx, key, { record: theirs, target: userId, now })
  else await setItemRecord(trx, item.id, theirs)
  return compared(userId, merged)
}
