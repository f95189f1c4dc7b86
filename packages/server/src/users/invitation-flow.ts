import { ApiError } from '../errors.js'
import type { Clock, Database } from '../ports.js'
import { LINK_BYTES } from './account-flow.js'
import type { AccountFlow } from './account-flow.js'
import { findLink, insertLink, type LinkRow, takeLink } from './links-store.js'
import { invitationMail } from './mails.js'
import { newUserRow } from './new-user-flow.js'
import { noteSecurityEvent, type Whence } from './security-events-store.js'
import { findUserByEmail, insertUser, type UserRow } from './store.js'

const INVITATION_LIFETIME_MS = 7 * 24 * 3_600_000

export interface InvitationFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly secrets: { hash(text: string): string; newToken(bytes: number): string }
  readonly accounts: AccountFlow
  readonly publicUrl: () => string | undefined
}

/** Who takes an invitation up. */
export interface Guest {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** How others come to an account: an administrator makes a link, which works once. */
export function invitationFlow({ database, clock, secrets, accounts, publicUrl }: InvitationFlowDeps) {
  const { db } = database

  return {
    /** @throws {ApiError} conflict when somebody has the address already */
    async invite(
      { email, isAdmin }: { readonly email: string | undefined; readonly isAdmin: boolean },
      createdBy: number,
      origin: string,
    ): Promise<{ row: LinkRow; url: string; mailed: boolean }> {
      if (email !== undefined && (await findUserByEmail(db, email)) !== undefined) {
        throw new ApiError('conflict', 'There is an account with this e-mail address already.')
      }
      const token = secrets.newToken(LINK_BYTES)
      const now = clock.now()
      const row = await insertLink(db, {
        ...{ purpose: 'invitation', user_id: null, created_by: createdBy, email: email?.toLowerCase() ?? null },
        ...{ is_admin: isAdmin ? 1 : 0, token_hash: secrets.hash(token), created_at: now },
        expires_at: now + INVITATION_LIFETIME_MS,
      })
      const url = `${publicUrl() ?? origin}/invitation/?token=${token}`
      const mailed = email !== undefined && accounts.canMail()
      if (mailed) accounts.post(invitationMail(email, url))
      return { row, url, mailed }
    },

    findInvitation: (token: string): Promise<LinkRow | undefined> =>
      findLink(db, 'invitation', secrets.hash(token), clock.now()),

    /** Makes the account, once. An address that is taken leaves the link as it was. */
    async accept(token: string, guest: Guest, whence: Whence): Promise<UserRow | 'gone' | 'taken'> {
      const { name, password } = guest
      const known = await findLink(db, 'invitation', secrets.hash(token), clock.now())
      if (known === undefined) return 'gone'
      const now = clock.now()
      const email = known.email ?? guest.email
      const row = await newUserRow({ email, password, isAdmin: known.is_admin === 1 }, now)
      return database.transaction(async (trx) => {
        if ((await findUserByEmail(trx, email)) !== undefined) return 'taken'
        if ((await takeLink(trx, 'invitation', secrets.hash(token), now)) === undefined) return 'gone'
        const user = await insertUser(trx, { ...row, first_name: name })
        if (user === undefined) throw new Error('the address was taken in the middle of an invitation')
        await noteSecurityEvent(trx, { userId: user.id, type: 'account_created', at: now, whence })
        return user
      })
    },
  }
}

export type InvitationFlow = ReturnType<typeof invitationFlow>
