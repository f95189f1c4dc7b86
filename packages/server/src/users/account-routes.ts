import { endpoints } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Api, Caller } from '../http/api.js'
import { originOf } from '../http/origin.js'
import type { Clock, Database } from '../ports.js'
import { invitationView, sessionView } from './account-view.js'
import type { UserFlow } from './flow.js'
import { deleteInvitation, listInvitations } from './links-store.js'
import { securityEventView } from './security-events.js'
import { countSecurityEvents, listSecurityEvents } from './security-events-store.js'
import { listSessions } from './sessions-store.js'
import { findUser } from './store.js'
import { whenceOf } from './whence.js'

const USUAL_EVENTS = 100

export interface AccountRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly users: UserFlow
}

/** Sessions and security events by the API; invitations and links by administrators. */
export function accountRoutes(api: Api, { database, clock, users }: AccountRoutesDeps): void {
  const { db } = database

  api.handle(endpoints.listSecurityEvents, async ({ query }, { user_id }, { reply, origin }) => {
    const { limit = USUAL_EVENTS, before } = query
    const rows = await listSecurityEvents(db, user_id, { limit: limit + 1, before })
    const shown = rows.slice(0, limit)
    void reply.header('x-total-count', await countSecurityEvents(db, user_id))
    const oldest = rows.length > shown.length ? shown.at(-1)?.id : undefined
    if (oldest !== undefined) {
      const next = `${origin}${endpoints.listSecurityEvents.path}?limit=${limit}&before=${oldest}`
      void reply.header('link', `<${next}>; rel="next"`)
    }
    return shown.map(securityEventView)
  })

  api.handle(endpoints.listSessions, async (_input, caller) => {
    const rows = await listSessions(db, caller.user_id, clock.now())
    return rows.map((row) => sessionView(row, sessionIdOf(caller)))
  })

  api.handle(endpoints.endSession, ({ params }, { user_id }, { request }) =>
    users.accounts.endOneSession(user_id, params.id, whenceOf(request)),
  )

  api.handle(endpoints.signOutEverywhere, (_input, { user_id }, { request }) =>
    users.accounts.signOutEverywhere(user_id, whenceOf(request)),
  )

  api.handle(endpoints.listInvitations, async () => (await listInvitations(db, clock.now())).map(invitationView))

  api.handle(endpoints.createInvitation, async ({ body }, { user_id }, { request, reply }) => {
    void reply.header('cache-control', 'no-store')
    const { email, is_admin: isAdmin = false } = body
    const { row, url, mailed } = await users.invitations.invite({ email, isAdmin }, user_id, originOf(request))
    return { ...invitationView(row), url, mailed }
  })

  api.handle(endpoints.deleteInvitation, async ({ params }) => {
    if (!(await deleteInvitation(db, params.id))) throw new ApiError('not_found')
  })

  api.handle(endpoints.createPasswordResetLink, async ({ params }, { user_id }, { reply, request }) => {
    void reply.header('cache-control', 'no-store')
    const user = await findUser(db, params.id)
    if (user === undefined) throw new ApiError('not_found')
    const { token, expires_at } = await users.accounts.makeResetLink(user.id, user_id)
    const url = `${users.publicUrl() ?? originOf(request)}/password_reset/new/?token=${token}`
    return { url, expires_at: new Date(expires_at).toISOString() }
  })

  api.handle(endpoints.removeTwoStep, ({ params }) => users.removeTwoStep(params.id))
}

const sessionIdOf = ({ via }: Caller): number => (via.type === 'session' ? via.session_id : 0)
