import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import type { UsersTable } from '../tables.js'
import { hashPassword } from './passwords-flow.js'

/** Who an account is for. */
export interface NewUser {
  readonly email: string
  readonly password: string
  readonly isAdmin: boolean
}

/** The row of a new account. Made before a transaction begins: hashing takes its time. */
export async function newUserRow({ email, password, isAdmin }: NewUser, now: number): Promise<Insertable<UsersTable>> {
  return {
    email,
    password_hash: await hashPassword(password),
    is_admin: isAdmin ? 1 : 0,
    date_joined: now,
    unsub_token: randomUUID(),
    username: null,
    disabled_at: null,
    consented_at: null,
    last_active_at: null,
  }
}
