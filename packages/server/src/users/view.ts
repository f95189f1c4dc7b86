import type { User, UserChanges } from '@printwarden/protocol'
import { instantView } from '../prints/view.js'
import type { UserRow } from './store.js'

/** From here on clients take the balance for unlimited; a server of one's own never runs out. */
const UNLIMITED_HOURS = 100_000_000

/** A user as the user sees it. */
export function userView(user: UserRow): User {
  return {
    id: user.id,
    email: user.email,
    first_name: user.first_name,
    last_name: user.last_name,
    username: user.username,
    date_joined: instantView(user.date_joined),
    consented_at: instantView(user.consented_at),
    last_active_at: instantView(user.last_active_at),
    is_primary_email_verified: user.is_primary_email_verified === 1,
    is_pro: true,
    is_admin: user.is_admin === 1,
    dh_balance: UNLIMITED_HOURS,
    is_dh_unlimited: true,
    unsub_token: user.unsub_token,
    account_notification_by_email: user.account_notification_by_email === 1,
    notification_enabled: user.notification_enabled === 1,
    mobile_app_canary: user.mobile_app_canary === 1,
    tunnel_cap_multiplier: 1,
    unseen_printer_events: user.unseen_printer_events,
    detection_export_consent: user.detection_export_consent === 1,
  }
}

/** What the user changed, as columns: the database keeps truth as 0 and 1. What was not sent is not there. */
export function userColumns(changes: UserChanges): Partial<Pick<UserRow, keyof UserChanges>> {
  const columns = Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value] as const)
  return Object.fromEntries(columns)
}
