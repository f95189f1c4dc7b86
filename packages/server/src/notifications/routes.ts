import {
  endpoints,
  NOTIFICATION_CHANNELS,
  NOTIFICATION_DEFAULTS,
  NotificationChannelName,
  type NotificationSetting,
} from '@printwarden/protocol'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import type { Api, Caller } from '../http/api.js'
import type { Clock, Database } from '../ports.js'
import { type ChannelConfig, flagColumns, readConfig } from './channel-config.js'
import {
  deleteNotificationSetting,
  findNotificationSetting,
  insertNotificationSetting,
  listNotificationSettings,
  type NotificationSettingRow,
  updateNotificationSetting,
} from './store.js'
import { settingView } from './view.js'

export interface NotificationRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly secrets: { encrypt(text: string): string; decrypt(text: string): string }
}

const StoredConfig = z.record(z.string(), z.string())

/** Nothing changes by asking again soon. */
const NOT_SET_UP_RETRY_SECONDS = 3600

/** How users are notified, as data (wire facts, section 1.12). */
export function notificationRoutes(api: Api, { database, clock, secrets }: NotificationRoutesDeps): void {
  const { db } = database

  function view(row: NotificationSettingRow | undefined, caller: Caller): NotificationSetting {
    if (row === undefined) throw new ApiError('not_found')
    const { config_encrypted } = row
    const config = config_encrypted === null ? {} : StoredConfig.parse(JSON.parse(secrets.decrypt(config_encrypted)))
    return settingView(row, config, { canWrite: caller.scopes.includes('write') })
  }

  function configColumn(config: ChannelConfig): string | null {
    return Object.keys(config).length === 0 ? null : secrets.encrypt(JSON.stringify(config))
  }

  async function ownSetting(caller: Caller, id: number): Promise<NotificationSettingRow> {
    const row = await findNotificationSetting(db, caller.user_id, id)
    if (row === undefined) throw new ApiError('not_found')
    return row
  }

  /** The channel of a setting, which stays what it is. @throws {ApiError} invalid_request when another one was sent */
  function channelOf(row: NotificationSettingRow, sent: NotificationChannelName | undefined): NotificationChannelName {
    const name = NotificationChannelName.parse(row.name)
    if (sent === undefined || sent === name) return name
    throw new ApiError('invalid_request', undefined, { issues: [{ path: 'name', message: `must be ${name}` }] })
  }

  api.handle(endpoints.listNotificationSettings, async (_, caller, { reply }) => {
    const rows = await listNotificationSettings(db, caller.user_id)
    reply.header('x-total-count', rows.length)
    return rows.map((row) => view(row, caller))
  })

  api.handle(endpoints.createNotificationSetting, async ({ body }, caller) => {
    const { name, config = {} } = body
    const now = clock.now()
    const row = await insertNotificationSetting(db, {
      ...{ user_id: caller.user_id, name, created_at: now, updated_at: now },
      ...flagColumns(body),
      config_encrypted: configColumn(readConfig(name, config)),
    })
    if (row === undefined) throw new ApiError('conflict', `There is a setting for ${name} already; change that one.`)
    return view(row, caller)
  })

  api.handle(endpoints.getNotificationSetting, async ({ params }, caller) => {
    return view(await ownSetting(caller, params.id), caller)
  })

  api.handle(endpoints.updateNotificationSetting, async ({ params, body }, caller) => {
    const name = channelOf(await ownSetting(caller, params.id), body.name)
    const changes = {
      ...flagColumns(body),
      ...(body.config === undefined ? {} : { config_encrypted: configColumn(readConfig(name, body.config)) }),
      updated_at: clock.now(),
    }
    return view(await updateNotificationSetting(db, caller.user_id, params.id, changes), caller)
  })

  api.handle(endpoints.replaceNotificationSetting, async ({ params, body }, caller) => {
    const name = channelOf(await ownSetting(caller, params.id), body.name)
    const changes = {
      ...flagColumns(NOTIFICATION_DEFAULTS),
      ...flagColumns(body),
      config_encrypted: configColumn(readConfig(name, body.config ?? {})),
      updated_at: clock.now(),
    }
    return view(await updateNotificationSetting(db, caller.user_id, params.id, changes), caller)
  })

  api.handle(endpoints.deleteNotificationSetting, async ({ params }, caller) => {
    const { name } = await ownSetting(caller, params.id)
    if (name === 'email') throw new ApiError('conflict', 'E-mail stays; switch it off by `enabled`.')
    if (!(await deleteNotificationSetting(db, caller.user_id, params.id))) throw new ApiError('not_found')
  })

  api.handle(endpoints.listNotificationPlugins, async () => {
    const plugins = Object.entries(NOTIFICATION_CHANNELS).map(([name, { features }]) => [
      name,
      { features: [...features], env_vars: {} },
    ])
    return { plugins: Object.fromEntries(plugins) }
  })

  api.handle(endpoints.sendTestNotification, async ({ params }, caller) => {
    await ownSetting(caller, params.id)
    throw new ApiError('unavailable', 'Sending notifications is not set up on this server.', {
      retryAfterSeconds: NOT_SET_UP_RETRY_SECONDS,
    })
  })
}
