import { z } from 'zod'
import { Timestamp } from './resources.js'

const MAX_URL = 2000

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).max(MAX_URL)
const key = z.string().trim().min(1).max(500)

/** What a user may be told about, as the names of the switches. */
export const NOTIFICATION_FEATURES = [
  'notify_on_failure_alert',
  'notify_on_print_done',
  'notify_on_print_cancelled',
  'notify_on_filament_change',
  'notify_on_heater_status',
  'notify_on_print_start',
  'notify_on_print_pause',
  'notify_on_print_resume',
] as const
export type NotificationFeature = (typeof NOTIFICATION_FEATURES)[number]

/** The channels, each with what it must know about where to send, and what it can tell. */
export const NOTIFICATION_CHANNELS = {
  email: { config: z.object({}), features: NOTIFICATION_FEATURES },
  discord: { config: z.object({ webhook_url: httpUrl }), features: NOTIFICATION_FEATURES },
  pushbullet: { config: z.object({ access_token: key }), features: NOTIFICATION_FEATURES },
  slack: { config: z.object({ access_token: key }), features: NOTIFICATION_FEATURES },
  pushover: { config: z.object({ user_key: key }), features: NOTIFICATION_FEATURES },
  telegram: {
    config: z.object({ chat_id: z.string().regex(/^(-?\d{1,20}|@\w{4,32})$/, 'must be a number or @name') }),
    features: NOTIFICATION_FEATURES,
  },
  twilio: {
    config: z.object({
      phone_country_code: z.string().regex(/^\+?\d{1,4}$/, 'must be a country code such as +49'),
      phone_number: z.string().regex(/^[\d ()/.-]{3,24}$/, 'must be a phone number'),
    }),
    features: ['notify_on_failure_alert'],
  },
  webhook: { config: z.object({ custom_webhook_URL: httpUrl }), features: NOTIFICATION_FEATURES },
  apprise: { config: z.object({ apprise_url: httpUrl }), features: NOTIFICATION_FEATURES },
} as const satisfies Record<string, { config: z.ZodObject; features: readonly NotificationFeature[] }>
export type NotificationChannelName = keyof typeof NOTIFICATION_CHANNELS

/** The name of a channel. */
export const NotificationChannelName = z.enum(
  Object.keys(NOTIFICATION_CHANNELS) as [NotificationChannelName, ...NotificationChannelName[]],
)

/** The switches of a setting: whether the channel is used, and of what it tells. */
export const NOTIFICATION_SWITCHES = {
  enabled: z.boolean(),
  notify_on_failure_alert: z.boolean(),
  notify_on_print_done: z.boolean(),
  notify_on_print_cancelled: z.boolean(),
  notify_on_filament_change: z.boolean(),
  notify_on_heater_status: z.boolean(),
  notify_on_print_start: z.boolean(),
  notify_on_print_pause: z.boolean(),
  notify_on_print_resume: z.boolean(),
}

/** How a new setting is switched. */
export const NOTIFICATION_DEFAULTS = {
  enabled: true,
  notify_on_failure_alert: true,
  notify_on_print_done: true,
  notify_on_print_cancelled: false,
  notify_on_filament_change: true,
  notify_on_heater_status: false,
  notify_on_print_start: false,
  notify_on_print_pause: false,
  notify_on_print_resume: false,
} as const satisfies Record<keyof typeof NOTIFICATION_SWITCHES, boolean>

/**
 * How a user is told things by one channel. `config` says where to; it may hold secrets, so to a token without `write` its values
 * are null.
 */
export const NotificationSetting = z
  .object({
    id: z.int().positive(),
    created_at: Timestamp,
    updated_at: Timestamp,
    name: NotificationChannelName,
    config: z.record(z.string(), z.string().nullable()),
    ...NOTIFICATION_SWITCHES,
  })
  .meta({ id: 'NotificationSetting' })
export type NotificationSetting = z.infer<typeof NotificationSetting>

/** What is to be changed. `config` replaces the one before it; `name` only says again which channel it is. */
export const NotificationSettingChanges = z
  .object({ name: NotificationChannelName, config: z.record(z.string(), z.unknown()), ...NOTIFICATION_SWITCHES })
  .partial()
  .meta({ id: 'NotificationSettingChanges' })
export type NotificationSettingChanges = z.infer<typeof NotificationSettingChanges>

/** A whole setting: what is not said is as in a new one. */
export const NewNotificationSetting = NotificationSettingChanges.required({ name: true }).meta({
  id: 'NewNotificationSetting',
})
export type NewNotificationSetting = z.infer<typeof NewNotificationSetting>

/** The channels for which settings can be kept. */
export const NotificationPlugins = z
  .object({
    plugins: z.record(
      z.string(),
      z.object({
        features: z.array(z.enum(NOTIFICATION_FEATURES)),
        env_vars: z.record(
          z.string(),
          z.object({ is_required: z.boolean(), is_set: z.boolean(), value: z.string().optional() }),
        ),
      }),
    ),
  })
  .meta({ id: 'NotificationPlugins' })
export type NotificationPlugins = z.infer<typeof NotificationPlugins>
