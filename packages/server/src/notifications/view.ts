import { NotificationChannelName, type NotificationSetting } from '@printwarden/protocol'
import { instantView } from '../prints/view.js'
import { type ChannelConfig, FLAGS } from './channel-config.js'
import type { NotificationSettingRow } from './store.js'

/** A setting as its user sees it. What `config` holds is as good as a password, so a token that may only read sees its keys alone. */
export function settingView(
  row: NotificationSettingRow,
  config: ChannelConfig,
  { canWrite }: { readonly canWrite: boolean },
): NotificationSetting {
  return {
    ...switches(row),
    id: row.id,
    created_at: instantView(row.created_at),
    updated_at: instantView(row.updated_at),
    name: NotificationChannelName.parse(row.name),
    config: canWrite ? { ...config } : Object.fromEntries(Object.keys(config).map((key) => [key, null])),
  }
}

type Switches = Pick<NotificationSetting, (typeof FLAGS)[number]>

function switches(row: NotificationSettingRow): Switches {
  return Object.fromEntries(FLAGS.map((flag) => [flag, row[flag] !== 0])) as Switches
}
