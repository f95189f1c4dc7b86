import type { Kysely } from 'kysely'
import { ApiError } from '../errors.js'
import type { Bus, Clock, Counters, Database, Log } from '../ports.js'
import type { Tables } from '../tables.js'
import { AttemptLimiter, REQUEST_LIMITS } from '../limits/attempt-limiter.js'
import type { Background } from './background-flow.js'
import { deleteLinksOf, findLink, insertLink, type LinkRow, takeLink } from './links-store.js'
import type { Mail, Mailer } from './mailer.js'
import { confirmEmailMail, noticeMail, resetMail } from './mails.js'
import { hashPassword } from './passwords-flow.js'
import { publishRevoked } from './revoked.js'
import { noteSecurityEvent, type Whence } from './security-events-store.js'
import { endSessions } from './sessions-store.js'
import { findUser, findUserByEmail, type UserRow, updateUser } from './store.js'

const HOUR_MS = 3_600_000

/** 256 bits: nobody guesses a link. */
export const LINK_BYTES = 32

export interface AccountFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly counters: Counters
  readonly clock: Clock
  readonly log: Log
  readonly secrets: { hash(text: string): string; newToken(bytes: number): string }
  readonly mailer: Mailer | undefined
  readonly publicUrl: () => string | undefined
  readonly background: Background
}

export type Limited = { readonly type: 'limited'; readonly retryAfterSeconds: number }

/** What a user does with the account: sessions, password, address. */
export function accountFlow({
  database,
  bus,
  counters,
  clock,
  log,
  secrets,
  mailer,
  publicUrl,
  background,
}: AccountFlowDeps) {
  const { db } = database
  const requests = new AttemptLimiter({ counters, clock }, 'letter', REQUEST_LIMITS, 'password')

  /** The canonical address of a page, for what leaves by mail; undefined when mail cannot be sent. */
  const mailOrigin = (): string | undefined => (mailer === undefined ? undefined : publicUrl())

  /** Sends a letter; nobody waits for it. */
  function post(mail: Mail): void {
    if (mailer === undefined) return
    background.run('a letter could not be sent', () => mailer.send(mail))
  }

  function postNotice(to: string, what: string): void {
    const origin = mailOrigin()
    if (origin !== undefined) post(noticeMail(to, what, origin))
  }

  /** Counts a request for a letter. Where `email` signed in lately, others who ask for its letters hold nobody up. */
  async function request(about: string, ip: string, email?: string): Promise<Limited | undefined> {
    const attempt = await requests.begin(about, ip, email)
    if (attempt.waitMs > 0) return { type: 'limited', retryAfterSeconds: Math.ceil(attempt.waitMs / 1000) }
    await attempt.end('wrong')
    return undefined
  }

  function tellEnded(sessionIds: readonly number[]): void {
    for (const session_id of sessionIds) publishRevoked(bus, { type: 'session', session_id })
  }

  /** Sets a password in a transaction: sessions end save one, and links that were made before do not work any more. */
  async function putPassword(trx: Kysely<Tables>, userId: number, hash: string, except?: number): Promise<number[]> {
    await updateUser(trx, userId, { password_hash: hash })
    await deleteLinksOf(trx, userId, ['password_reset', 'email_change'])
    return endSessions(trx, userId, { except })
  }

  /** Whose account a link changes, if it may be changed. */
  async function userOf(trx: Kysely<Tables>, link: LinkRow | undefined): Promise<UserRow | undefined> {
    const user = link?.user_id == null ? undefined : await findUser(trx, link.user_id)
    return user?.disabled_at === null ? user : undefined
  }

  async function makeResetLink(
    userId: number,
    createdBy: number | null,
  ): Promise<{ token: string; expires_at: number }> {
    const token = secrets.newToken(LINK_BYTES)
    const now = clock.now()
    const expires_at = now + HOUR_MS
    await database.transaction((trx) =>
      insertLink(trx, {
        ...{ purpose: 'password_reset', user_id: userId, created_by: createdBy, email: null },
        ...{ token_hash: secrets.hash(token), created_at: now, expires_at },
      }),
    )
    return { token, expires_at }
  }

  return {
    /** Tells a user by mail about a change, where mail can be sent. */
    tell: postNotice,
    canMail: (): boolean => mailOrigin() !== undefined,
    post,
    makeResetLink,

    /** Signs one browser of the user's out. @throws {ApiError} not_found */
    async endOneSession(userId: number, id: number, whence: Whence): Promise<void> {
      const ended = await database.transaction(async (trx) => {
        const ids = await endSessions(trx, userId, { id })
        if (ids.length === 0) throw new ApiError('not_found')
        await noteSecurityEvent(trx, { userId, type: 'session_ended', at: clock.now(), whence })
        return ids
      })
      tellEnded(ended)
    },
    async signOutEverywhere(userId: number, whence: Whence): Promise<void> {
      const ended = await database.transaction(async (trx) => {
        await noteSecurityEvent(trx, { userId, type: 'signed_out_everywhere', at: clock.now(), whence })
        return endSessions(trx, userId, { except: undefined })
      })
      tellEnded(ended)
    },

    /** Sets a password; every session but `keep` ends. That the old one is known has been checked. */
    async changePassword(user: UserRow, password: string, keep: number, whence: Whence): Promise<void> {
      const hash = await hashPassword(password)
      const ended = await database.transaction(async (trx) => {
        await noteSecurityEvent(trx, { userId: user.id, type: 'password_changed', at: clock.now(), whence })
        return putPassword(trx, user.id, hash, keep)
      })
      tellEnded(ended)
      postNotice(user.email, 'The password was changed')
    },

    /**
     * Mails a link for a new password, if somebody has the address. Only the look-up is waited for, which takes the same time for
     * every address.
     */
    async requestReset(email: string, whence: Whence): Promise<Limited | undefined> {
      const limited = await request(`reset ${email}`, whence.ip ?? '', email)
      if (limited !== undefined) return limited
      const user = await findUserByEmail(db, email.trim())
      const origin = mailOrigin()
      if (user === undefined || user.disabled_at !== null || origin === undefined) return undefined
      background.run('a letter for a new password could not be sent', async () => {
        const { token } = await makeResetLink(user.id, null)
        const at = clock.now()
        await noteSecurityEvent(db, { userId: user.id, type: 'password_reset_requested', at, whence })
        await mailer?.send(resetMail(user.email, `${origin}/password_reset/new/?token=${token}`))
      })
      return undefined
    },
    async isResetLink(token: string): Promise<boolean> {
      const link = await findLink(db, 'password_reset', secrets.hash(token), clock.now())
      return (await userOf(db, link)) !== undefined
    },
    /** Sets the password that a link was for, once; says whether the link was good. */
    async resetPassword(token: string, password: string, whence: Whence): Promise<boolean> {
      if ((await findLink(db, 'password_reset', secrets.hash(token), clock.now())) === undefined) return false
      const hash = await hashPassword(password)
      const done = await database.transaction(async (trx) => {
        const now = clock.now()
        const user = await userOf(trx, await takeLink(trx, 'password_reset', secrets.hash(token), now))
        if (user === undefined) return undefined
        await noteSecurityEvent(trx, { userId: user.id, type: 'password_reset', at: now, whence })
        return { user, ended: await putPassword(trx, user.id, hash) }
      })
      if (done === undefined) return false
      tellEnded(done.ended)
      postNotice(done.user.email, 'A new password was set')
      return true
    },

    /**
     * Gives the account another address: by a link to it where mail can be sent, else at once. That the password is known has been
     * checked. With mail, nobody learns whether another account has the address.
     */
    async changeEmail(user: UserRow, email: string, whence: Whence): Promise<'mailed' | 'done' | 'taken' | Limited> {
      const origin = mailOrigin()
      const at = clock.now()
      if (origin === undefined) {
        const isDone = await database.transaction((trx) =>
          putEmail(trx, user, email, { at, whence, isVerified: false }),
        )
        if (isDone) publishRevoked(bus, { type: 'user', user_id: user.id })
        return isDone ? 'done' : 'taken'
      }
      const limited = await request(`address ${email}`, whence.ip ?? '')
      if (limited !== undefined) return limited
      const token = secrets.newToken(LINK_BYTES)
      await database.transaction(async (trx) => {
        const link = { purpose: 'email_change', user_id: user.id, created_by: user.id, email } as const
        await insertLink(trx, { ...link, token_hash: secrets.hash(token), created_at: at, expires_at: at + HOUR_MS })
        await noteSecurityEvent(trx, { userId: user.id, type: 'email_change_requested', at, whence, subject: email })
      })
      background.run('a letter to a new address could not be sent', async () => {
        if ((await findUserByEmail(db, email)) !== undefined) return
        await mailer?.send(confirmEmailMail(email, `${origin}/email_change/?token=${token}`))
      })
      return 'mailed'
    },
    /** The address that a link confirms. */
    async emailOfLink(token: string): Promise<string | undefined> {
      const link = await findLink(db, 'email_change', secrets.hash(token), clock.now())
      return (await userOf(db, link)) === undefined ? undefined : (link?.email ?? undefined)
    },
    /** Makes a confirmed address count, once; says whether the link was good. */
    async confirmEmail(token: string, whence: Whence): Promise<boolean> {
      const at = clock.now()
      const before = await database.transaction(async (trx) => {
        const link = await takeLink(trx, 'email_change', secrets.hash(token), at)
        const user = await userOf(trx, link)
        if (user === undefined || link?.email == null) return undefined
        return (await putEmail(trx, user, link.email, { at, whence, isVerified: true })) ? user : undefined
      })
      if (before === undefined) return false
      // Who is signed in goes on; only what is remembered about them is read anew.
      publishRevoked(bus, { type: 'user', user_id: before.id })
      postNotice(before.email, 'The e-mail address was changed')
      log.info({ user_id: before.id }, 'an e-mail address was changed')
      return true
    },
  }
}

export type AccountFlow = ReturnType<typeof accountFlow>

/** The new address, unless another account has it. */
async function putEmail(
  trx: Kysely<Tables>,
  user: UserRow,
  email: string,
  { at, whence, isVerified }: { readonly at: number; readonly whence: Whence; readonly isVerified: boolean },
): Promise<boolean> {
  const other = await findUserByEmail(trx, email)
  if (other !== undefined && other.id !== user.id) return false
  await updateUser(trx, user.id, { email: email.toLowerCase(), is_primary_email_verified: isVerified ? 1 : 0 })
  await deleteLinksOf(trx, user.id, ['password_reset', 'email_change'])
  const subject = `${user.email} → ${email.toLowerCase()}`
  await noteSecurityEvent(trx, { userId: user.id, type: 'email_changed', at, whence, subject })
  return true
}
