import { z } from 'zod'
import { Timestamp } from './resources.js'

/** What can happen to an account that its user should know of. */
export const SECURITY_EVENT_TYPES = [
  'account_created',
  'signed_in',
  'sign_in_failed',
  'second_step_failed',
  'signed_out',
  'signed_out_everywhere',
  'session_ended',
  'password_changed',
  'password_reset_requested',
  'password_reset',
  'email_change_requested',
  'email_changed',
  'two_step_enabled',
  'two_step_disabled',
  'recovery_code_used',
  'recovery_codes_renewed',
  'rights_changed',
  'token_made',
  'token_revoked',
  'app_connected',
  'app_disconnected',
  'app_registered',
  'app_removed',
  'auth_token_read',
  'auth_token_rotated',
] as const
export const SecurityEventType = z.enum(SECURITY_EVENT_TYPES)
export type SecurityEventType = z.infer<typeof SecurityEventType>

/** Something that happened to the user's account. */
export const SecurityEvent = z
  .object({
    id: z.int().positive(),
    type: SecurityEventType,
    /** The same in words. */
    title: z.string(),
    created_at: Timestamp,
    ip_address: z.string().nullable(),
    user_agent: z.string().nullable(),
    /** What it was about, such as an app's name. */
    subject: z.string().nullable(),
  })
  .meta({ id: 'SecurityEvent' })
export type SecurityEvent = z.infer<typeof SecurityEvent>

/** A browser that is signed in. */
export const AccountSession = z
  .object({
    id: z.int().positive(),
    created_at: Timestamp,
    /** To the day. */
    last_used_at: Timestamp,
    expires_at: Timestamp,
    ip_address: z.string().nullable(),
    user_agent: z.string().nullable(),
    /** Whether it is the one that asks. */
    is_current: z.boolean(),
  })
  .meta({ id: 'AccountSession' })
export type AccountSession = z.infer<typeof AccountSession>

/** An invitation to make an account. */
export const Invitation = z
  .object({
    id: z.int().positive(),
    /** The address that the account will have; null when the guest chooses it. */
    email: z.string().nullable(),
    is_admin: z.boolean(),
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: 'Invitation' })
export type Invitation = z.infer<typeof Invitation>

/** A new invitation with its link, which is told only now. */
export const MadeInvitation = Invitation.extend({ url: z.url(), mailed: z.boolean() }).meta({ id: 'MadeInvitation' })

/** A link that is told only now. */
export const AccountLink = z.object({ url: z.url(), expires_at: Timestamp }).meta({ id: 'AccountLink' })
