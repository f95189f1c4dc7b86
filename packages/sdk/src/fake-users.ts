import type { User } from '@printwarden/protocol'
import { type FakeState, hex } from './fake-state.js'

/** An account as it is when it was just made. */
export function newUser(state: FakeState, email: string | undefined, is_admin: boolean): User {
  const id = state.nextId()
  return {
    id,
    email: email ?? `user${id}@example.test`,
    first_name: '',
    last_name: '',
    username: null,
    date_joined: state.now(),
    consented_at: null,
    last_active_at: null,
    is_primary_email_verified: true,
    is_pro: true,
    is_admin,
    dh_balance: 100_000_000,
    is_dh_unlimited: true,
    unsub_token: hex(40),
    account_notification_by_email: true,
    notification_enabled: true,
    mobile_app_canary: false,
    tunnel_cap_multiplier: 1,
    unseen_printer_events: 0,
    detection_export_consent: false,
  }
}
