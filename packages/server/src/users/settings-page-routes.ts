import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import type { Authenticator } from '../http/authenticate.js'
import { originOf } from '../http/origin.js'
import type { Clock, Database } from '../ports.js'
import { ActionForm, EmailForm, InvitationForm, PasswordForm, problemOfPassword, readEmail } from './account-forms.js'
import { invitationView, sessionView } from './account-view.js'
import { browserSession } from './browser-session-flow.js'
import type { UserFlow } from './flow.js'
import type { FormTokens } from './form-token.js'
import { waitInWords } from './forms.js'
import { deleteInvitation, listInvitations } from './links-store.js'
import { securityEventView } from './security-events.js'
import { listSecurityEvents } from './security-events-store.js'
import { listSessions } from './sessions-store.js'
import {
  accountHomePage,
  emailPage,
  eventsPage,
  invitationsPage,
  passwordPage,
  sessionsPage,
} from './settings-pages.js'
import { ACCOUNT_FORMS, FORGED, forSignedIn, sendPage, type SignedIn } from './signed-in-flow.js'
import { findUser, type UserRow } from './store.js'
import { countRecoveryCodes } from './two-step-store.js'
import { whenceOf } from './whence.js'

export interface SettingsPageRoutesDeps {
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly database: Database
  readonly clock: Clock
  readonly users: UserFlow
  readonly formTokens: FormTokens
}

/** How many events a page shows. */
const EVENTS_PER_PAGE = 50

/** A form's answer: the same page again, with what was wrong or what was done. */
export interface Again {
  readonly status: number
  readonly problem?: string
  readonly said?: string
}

/** A user's pages: the account itself, its sessions and what happened to it; invitations for administrators. */
export function settingsPageRoutes(app: FastifyInstance, deps: SettingsPageRoutesDeps): void {
  const { authenticator, database, clock, users, formTokens } = deps
  const { db } = database
  const browser = browserSession(users)

  const issue = (who: SignedIn): string => formTokens.issue(who.sessionId, ACCOUNT_FORMS)
  const isGenuine = (who: SignedIn, token: string): boolean => formTokens.accepts(who.sessionId, ACCOUNT_FORMS, token)

  type Page = (request: FastifyRequest, reply: FastifyReply, who: SignedIn) => Promise<FastifyReply>
  const get = (path: string, page: Page): void => void app.get(path, forSignedIn(authenticator, page))
  const post = (path: string, page: Page): void => void app.post(path, forSignedIn(authenticator, page))

  get('/account/', async (_request, reply, who) => {
    const user = await getUser(database, who.userId)
    const recoveryCodes = user.totp_confirmed_at === null ? undefined : await countRecoveryCodes(db, user.id)
    return sendPage(reply, 200, accountHomePage({ email: user.email, isAdmin: who.isAdmin, recoveryCodes }))
  })

  const showPassword = (reply: FastifyReply, who: SignedIn, { status, ...rest }: Again): FastifyReply =>
    sendPage(reply, status, passwordPage({ formToken: issue(who), ...rest }))

  get('/account/password/', async (_request, reply, who) => showPassword(reply, who, { status: 200 }))

  post('/account/password/', async (request, reply, who) => {
    const form = PasswordForm.parse(request.body)
    if (!isGenuine(who, form.form_token)) return showPassword(reply, who, { status: 403, problem: FORGED })
    const problem = problemOfPassword(form.password, form.password_again)
    if (problem !== undefined) return showPassword(reply, who, { status: 400, problem })
    const user = await getUser(database, who.userId)
    const refused = await refusePassword(users, user, form.old_password, request, reply)
    if (refused !== undefined) return showPassword(reply, who, refused)
    await users.accounts.changePassword(user, form.password, who.sessionId, whenceOf(request))
    return showPassword(reply, who, { status: 200, said: 'The password was changed. Other browsers were signed out.' })
  })

  async function showEmail(reply: FastifyReply, who: SignedIn, { status, ...rest }: Again & { wanted?: string }) {
    const { email: present } = await getUser(database, who.userId)
    const canMail = users.accounts.canMail()
    return sendPage(reply, status, emailPage({ formToken: issue(who), present, canMail, ...rest }))
  }

  get('/account/email/', async (_request, reply, who) => showEmail(reply, who, { status: 200 }))

  post('/account/email/', async (request, reply, who) => {
    const form = EmailForm.parse(request.body)
    const wanted = form.email
    if (!isGenuine(who, form.form_token)) return showEmail(reply, who, { status: 403, problem: FORGED, wanted })
    const email = readEmail(wanted)
    if (email === undefined)
      return showEmail(reply, who, { status: 400, problem: 'This is not an e-mail address.', wanted })
    const user = await getUser(database, who.userId)
    const refused = await refusePassword(users, user, form.old_password, request, reply)
    if (refused !== undefined) return showEmail(reply, who, { ...refused, wanted })
    const change = await users.accounts.changeEmail(user, email, whenceOf(request))
    switch (change) {
      case 'mailed':
        return showEmail(reply, who, { status: 200, said: `Open the link that was mailed to ${email} to confirm.` })
      case 'done':
        return showEmail(reply, who, { status: 200, said: 'The address was changed.' })
      case 'taken':
        return showEmail(reply, who, { status: 409, problem: 'Another account has this address.', wanted })
      default: {
        void reply.header('retry-after', change.retryAfterSeconds)
        const problem = `There were too many requests. Try again in ${waitInWords(change.retryAfterSeconds)}.`
        return showEmail(reply, who, { status: 429, problem, wanted })
      }
    }
  })

  async function showSessions(reply: FastifyReply, who: SignedIn, { status, ...rest }: Again): Promise<FastifyReply> {
    const rows = await listSessions(db, who.userId, clock.now())
    const sessions = rows.map((row) => sessionView(row, who.sessionId))
    return sendPage(reply, status, sessionsPage(sessions, { formToken: issue(who), ...rest }, clock.now()))
  }

  get('/account/sessions/', async (_request, reply, who) => showSessions(reply, who, { status: 200 }))

  post('/account/sessions/end_all/', async (request, reply, who) => {
    if (!isGenuine(who, ActionForm.parse(request.body).form_token)) {
      return showSessions(reply, who, { status: 403, problem: FORGED })
    }
    await users.accounts.signOutEverywhere(who.userId, whenceOf(request))
    browser.forget(request, reply)
    return reply.redirect('/login/', 303)
  })

  post('/account/sessions/:id/end/', async (request, reply, who) => {
    if (!isGenuine(who, ActionForm.parse(request.body).form_token)) {
      return showSessions(reply, who, { status: 403, problem: FORGED })
    }
    const id = idOf(request.params)
    await users.accounts.endOneSession(who.userId, id, whenceOf(request))
    if (id !== who.sessionId) return showSessions(reply, who, { status: 200, said: 'The browser was signed out.' })
    browser.forget(request, reply)
    return reply.redirect('/login/', 303)
  })

  get('/account/events/', async (request, reply, who) => {
    const before = idFrom(request.query, 'before')
    const rows = await listSecurityEvents(db, who.userId, { limit: EVENTS_PER_PAGE + 1, before })
    const shown = rows.slice(0, EVENTS_PER_PAGE)
    const older = rows.length > shown.length ? shown.at(-1)?.id : undefined
    return sendPage(reply, 200, eventsPage(shown.map(securityEventView), older))
  })

  async function showInvitations(reply: FastifyReply, who: SignedIn, { status, ...rest }: Again & { made?: string }) {
    const rows = await listInvitations(db, clock.now())
    return sendPage(reply, status, invitationsPage(rows.map(invitationView), { formToken: issue(who), ...rest }))
  }

  const forAdministrators =
    (page: Page): Page =>
    async (request, reply, who) => {
      if (!who.isAdmin) throw new ApiError('insufficient_scope', 'Only administrators may do this.')
      return page(request, reply, who)
    }

  get(
    '/account/invitations/',
    forAdministrators(async (_request, reply, who) => showInvitations(reply, who, { status: 200 })),
  )

  post(
    '/account/invitations/',
    forAdministrators(async (request, reply, who) => {
      const form = InvitationForm.parse(request.body)
      if (!isGenuine(who, form.form_token)) return showInvitations(reply, who, { status: 403, problem: FORGED })
      const email = form.email.trim() === '' ? null : readEmail(form.email)
      if (email === undefined)
        return showInvitations(reply, who, { status: 400, problem: 'This is not an e-mail address.' })
      const guest = { email: email ?? undefined, isAdmin: form.is_admin === 'true' }
      try {
        const { url, mailed } = await users.invitations.invite(guest, who.userId, originOf(request))
        const said = mailed
          ? 'The invitation was made and mailed.'
          : 'The invitation was made. Hand its link over yourself.'
        return await showInvitations(reply, who, { status: 201, said, made: url })
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'conflict') throw error
        return showInvitations(reply, who, { status: 409, problem: error.message })
      }
    }),
  )

  post(
    '/account/invitations/:id/delete/',
    forAdministrators(async (request, reply, who) => {
      if (!isGenuine(who, ActionForm.parse(request.body).form_token)) {
        return showInvitations(reply, who, { status: 403, problem: FORGED })
      }
      if (!(await deleteInvitation(db, idOf(request.params)))) throw new ApiError('not_found')
      return showInvitations(reply, who, { status: 200, said: 'The invitation was taken back.' })
    }),
  )
}

/** The signed-in user's row. @throws {ApiError} unauthorized when it is gone */
export async function getUser({ db }: Database, id: number): Promise<UserRow> {
  const user = await findUser(db, id)
  if (user === undefined) throw new ApiError('unauthorized')
  return user
}

/** Asks for the password once more, under the limits of signing in; undefined when it is right. */
export async function refusePassword(
  users: UserFlow,
  user: UserRow,
  password: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<(Again & { readonly problem: string }) | undefined> {
  const check = await users.checkPassword(user.email, password, request.ip, request.headers['user-agent'])
  if (check.type === 'right') return undefined
  if (check.type !== 'limited') return { status: 401, problem: 'The password is wrong.' }
  void reply.header('retry-after', check.retryAfterSeconds)
  const problem = `There were too many wrong tries. Try again in ${waitInWords(check.retryAfterSeconds)}.`
  return { status: 429, problem }
}

/** The id in a page's path. @throws {ApiError} not_found */
function idOf(params: unknown): number {
  const id = idFrom(params, 'id')
  if (id === undefined) throw new ApiError('not_found')
  return id
}

function idFrom(source: unknown, name: string): number | undefined {
  const text: unknown = typeof source === 'object' && source !== null ? Reflect.get(source, name) : undefined
  const id = typeof text === 'string' && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(id) ? id : undefined
}
