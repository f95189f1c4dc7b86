import type { SecurityEvent, SecurityEventType } from '@printwarden/protocol'
import { SecurityEventType as Type } from '@printwarden/protocol'

/** What happened, in the reader's words. */
const TITLES: Readonly<Record<SecurityEventType, string>> = {
  account_created: 'The account was made',
  signed_in: 'Signed in',
  sign_in_failed: 'A sign-in failed: wrong password',
  second_step_failed: 'A sign-in failed: wrong code',
  signed_out: 'Signed out',
  signed_out_everywhere: 'Signed out everywhere',
  session_ended: 'A session was ended',
  password_changed: 'The password was changed',
  password_reset_requested: 'A new password was asked for by mail',
  password_reset: 'A new password was set',
  email_change_requested: 'Another e-mail address was asked for',
  email_changed: 'The e-mail address was changed',
  two_step_enabled: 'Sign-in in two steps was turned on',
  two_step_disabled: 'Sign-in in two steps was turned off',
  recovery_code_used: 'A recovery code was used',
  recovery_codes_renewed: 'New recovery codes were made',
  rights_changed: 'An administrator changed the account',
  token_made: 'An access token was made',
  token_revoked: 'An access token was revoked',
  app_connected: 'An app was allowed',
  app_disconnected: 'An app was disconnected',
  app_registered: 'An app was registered',
  app_removed: 'An app was deleted',
  auth_token_read: "An access token was shown a printer's auth_token",
  auth_token_rotated: "A printer's auth_token was replaced",
}

/** Events of which the reader should be sure. */
const ALARMING: readonly SecurityEventType[] = [
  'sign_in_failed',
  'second_step_failed',
  'password_reset',
  'two_step_disabled',
  'recovery_code_used',
  'email_changed',
]

interface Row {
  readonly id: number
  readonly type: string
  readonly created_at: number
  readonly ip_address: string | null
  readonly user_agent: string | null
  readonly subject: string | null
}

/** An event as its user sees it. */
export function securityEventView({ id, type: text, created_at, ip_address, user_agent, subject }: Row): SecurityEvent {
  const type = Type.parse(text)
  const created = new Date(created_at).toISOString()
  return { id, type, title: TITLES[type], created_at: created, ip_address, user_agent, subject }
}

export const isAlarming = (type: SecurityEventType): boolean => ALARMING.includes(type)

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const

/** A browser by its user agent, as far as that can be told. */
export function browserInWords(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown browser'
  const browser = BROWSERS.find(([mark]) => userAgent.includes(mark))?.[1]
  const system = SYSTEMS.find(([mark]) => userAgent.includes(mark))?.[1]
  if (browser === undefined) return userAgent.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
