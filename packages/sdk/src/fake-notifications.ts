import {
  NOTIFICATION_CHANNELS,
  NOTIFICATION_DEFAULTS,
  type NotificationChannelName,
  type NotificationPlugins,
  type NotificationSetting,
  type NotificationSettingChanges,
} from '@printwarden/protocol'
import { callerOf, given, type Handlers, viewerOf, visible } from './fake-handlers.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import type { FakeState } from './fake-state.js'

type Plugin = NotificationPlugins['plugins'][string]

interface Entry {
  readonly userId: number
  setting: NotificationSetting
}

/** Notification settings: kept as data. A test message counts as sent; nothing leaves the fake. */
export function notificationHandlers(state: FakeState): Handlers {
  const entries = new Map<number, Entry>()
  type Call = Parameters<typeof callerOf>[0] & Parameters<typeof viewerOf>[0]

  function add(userId: number, name: NotificationChannelName, changes: NotificationSettingChanges): Entry {
    const now = state.now()
    const config = configOf(name, changes.config ?? {})
    const setting = { ...NOTIFICATION_DEFAULTS, ...given(changes), id: state.nextId(), name, config }
    const entry = { userId, setting: { ...setting, created_at: now, updated_at: now } }
    entries.set(setting.id, entry)
    return entry
  }

  /** The user's settings. Everybody has one for e-mail. */
  function own(userId: number): Entry[] {
    const found = [...entries.values()].filter((entry) => entry.userId === userId)
    return found.length > 0 ? found : [add(userId, 'email', {})]
  }

  /** To those who may not write, only the names of what is configured are shown. */
  function show(call: Call, { setting }: Entry): NotificationSetting {
    const hidden = Object.fromEntries(Object.keys(setting.config).map((key) => [key, null]))
    return viewerOf(call).canWrite ? setting : { ...setting, config: hidden }
  }

  const find = (call: Call & { readonly params: { readonly id: number } }): Entry =>
    visible(call, entries.get(call.params.id))

  function change(
    call: Call & { readonly params: { readonly id: number }; readonly body: NotificationSettingChanges },
    base: Partial<NotificationSetting>,
  ): NotificationSetting {
    const entry = find(call)
    const { name, config, ...flags } = call.body
    if (name !== undefined && name !== entry.setting.name) throw invalid('name', `must be ${entry.setting.name}`)
    const changes = config === undefined ? {} : { config: configOf(entry.setting.name, config) }
    entry.setting = { ...entry.setting, ...base, ...given(flags), ...changes, updated_at: state.now() }
    return show(call, entry)
  }

  return {
    listNotificationSettings(call) {
      const found = own(callerOf(call).id)
      call.reply.set('x-total-count', String(found.length))
      return found.map((entry) => show(call, entry))
    },
    createNotificationSetting(call) {
      const { id } = callerOf(call)
      const { name } = call.body
      const isKnown = own(id).some(({ setting }) => setting.name === name)
      const config = configOf(name, call.body.config ?? {})
      if (isKnown) throw new FakeRefusal('conflict', `There is a setting for ${name} already; change that one.`)
      return show(call, add(id, name, { ...call.body, config }))
    },
    getNotificationSetting: (call) => show(call, find(call)),
    updateNotificationSetting: (call) => change(call, {}),
    replaceNotificationSetting: (call) =>
      change({ ...call, body: { ...call.body, config: call.body.config ?? {} } }, NOTIFICATION_DEFAULTS),
    deleteNotificationSetting(call) {
      const { setting } = find(call)
      if (setting.name === 'email') throw new FakeRefusal('conflict', 'E-mail stays; switch it off by `enabled`.')
      entries.delete(setting.id)
    },
    sendTestNotification(call) {
      find(call)
      return { status: 'sent' }
    },
    listNotificationPlugins() {
      const plugins = Object.entries(NOTIFICATION_CHANNELS).map(([name, { features }]): [string, Plugin] => [
        name,
        { features: [...features], env_vars: {} },
      ])
      return { plugins: Object.fromEntries(plugins) }
    },
  }
}

function configOf(name: NotificationChannelName, sent: unknown): Record<string, string> {
  const { data, error } = NOTIFICATION_CHANNELS[name].config.safeParse(sent)
  if (data !== undefined) return { ...data }
  const issues = error.issues.map(({ path, message }) => ({ path: ['config', ...path].join('.'), message }))
  throw new FakeRefusal('invalid_request', undefined, { issues })
}
