import type { NotificationChannelName } from '@printwarden/protocol'
import { NOTIFICATION_CHANNELS, NOTIFICATION_DEFAULTS } from '@printwarden/protocol'
import { ApiError } from '../errors.js'

/** What a channel must know about where to send. */
export type ChannelConfig = Readonly<Record<string, string>>

/**
 * A channel's config. What the channel has no use for is left out.
 * @throws {ApiError} invalid_request
 */
export function readConfig(name: NotificationChannelName, sent: unknown): ChannelConfig {
  const { data, error } = NOTIFICATION_CHANNELS[name].config.safeParse(sent)
  if (data !== undefined) return data
  const issues = error.issues.map(({ path, message }) => ({ path: ['config', ...path].join('.'), message }))
  throw new ApiError('invalid_request', undefined, { issues })
}

type Flag = keyof typeof NOTIFICATION_DEFAULTS

export const FLAGS = Object.keys(NOTIFICATION_DEFAULTS) as Flag[]

/** The switches that were sent, as columns: the database keeps truth as 0 and 1. */
export function flagColumns(changes: { readonly [F in Flag]?: boolean | undefined }): { [F in Flag]?: number } {
  const sent = FLAGS.filter((flag) => changes[flag] !== undefined)
  return Object.fromEntries(sent.map((flag) => [flag, Number(changes[flag])]))
}
