import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  AcceptForm,
  LinkForm,
  NewPasswordForm,
  problemOfPassword,
  readEmail,
  ResetRequestForm,
} from './account-forms.js'
import { browserSession } from './browser-session-flow.js'
import { type FormGuardDeps, formGuard } from './form-guard.js'
import type { UserFlow } from './flow.js'
import { waitInWords } from './forms.js'
import {
  acceptInvitationPage,
  confirmEmailPage,
  deadLinkPage,
  newPasswordPage,
  resetRequestedPage,
  resetRequestPage,
} from './link-pages.js'
import { saidPage } from './page-parts.js'
import { FORGED, sendPage } from './signed-in-flow.js'
import { whenceOf } from './whence.js'

export interface LinkPageRoutesDeps {
  readonly secrets: FormGuardDeps['secrets']
  readonly users: UserFlow
}

/**
 * Pages behind links: a new password, a confirmed address, an invitation. Opening a link changes nothing, since mail programs open
 * links too; the form on its page does.
 */
export function linkPageRoutes(app: FastifyInstance, { secrets, users }: LinkPageRoutesDeps): void {
  const { accounts, invitations } = users
  const guard = formGuard({ secrets, publicUrl: users.publicUrl })
  const browser = browserSession(users)

  const sendDead = (reply: FastifyReply): FastifyReply => sendPage(reply, 404, deadLinkPage())

  function showRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, ...rest }: { status: number; email?: string; problem?: string },
  ): FastifyReply {
    const page = { formToken: guard.issue(request, reply), canMail: accounts.canMail(), ...rest }
    return sendPage(reply, status, resetRequestPage(page))
  }

  app.get('/password_reset/', async (request, reply) => showRequest(request, reply, { status: 200 }))

  app.post('/password_reset/', async (request, reply) => {
    const form = ResetRequestForm.parse(request.body)
    if (!guard.accepts(request, form.form_token)) {
      return showRequest(request, reply, { status: 403, email: form.email, problem: FORGED })
    }
    if (!accounts.canMail()) return showRequest(request, reply, { status: 200 })
    const email = readEmail(form.email)
    if (email === undefined) {
      return showRequest(request, reply, { status: 400, email: form.email, problem: 'This is not an e-mail address.' })
    }
    const limited = await accounts.requestReset(email, whenceOf(request))
    if (limited === undefined) return sendPage(reply, 200, resetRequestedPage())
    void reply.header('retry-after', limited.retryAfterSeconds)
    const problem = `There were too many requests. Try again in ${waitInWords(limited.retryAfterSeconds)}.`
    return showRequest(request, reply, { status: 429, email, problem })
  })

  app.get('/password_reset/new/', async (request, reply) => {
    const token = tokenOf(request)
    if (!(await accounts.isResetLink(token))) return sendDead(reply)
    return sendPage(reply, 200, newPasswordPage({ formToken: guard.issue(request, reply), token }))
  })

  app.post('/password_reset/new/', async (request, reply) => {
    const { form_token, token, password, password_again } = NewPasswordForm.parse(request.body)
    const again = (status: number, problem: string): FastifyReply =>
      sendPage(reply, status, newPasswordPage({ formToken: guard.issue(request, reply), token, problem }))
    if (!guard.accepts(request, form_token)) return again(403, FORGED)
    const problem = problemOfPassword(password, password_again)
    if (problem !== undefined) return again(400, problem)
    if (!(await accounts.resetPassword(token, password, whenceOf(request)))) return sendDead(reply)
    return sendPage(
      reply,
      200,
      saidPage('The password was set', 'Sign in with it now.', { href: '/login/', text: 'Sign in' }),
    )
  })

  app.get('/email_change/', async (request, reply) => {
    const token = tokenOf(request)
    const email = await accounts.emailOfLink(token)
    if (email === undefined) return sendDead(reply)
    return sendPage(reply, 200, confirmEmailPage({ formToken: guard.issue(request, reply), token, email }))
  })

  app.post('/email_change/', async (request, reply) => {
    const { form_token, token } = LinkForm.parse(request.body)
    if (!guard.accepts(request, form_token)) {
      const email = await accounts.emailOfLink(token)
      if (email === undefined) return sendDead(reply)
      const formToken = guard.issue(request, reply)
      return sendPage(reply, 403, confirmEmailPage({ formToken, token, email, problem: FORGED }))
    }
    if (!(await accounts.confirmEmail(token, whenceOf(request)))) return sendDead(reply)
    return sendPage(
      reply,
      200,
      saidPage('The address was changed', 'From now on it is the one with which you sign in.'),
    )
  })

  app.get('/invitation/', async (request, reply) => {
    const token = tokenOf(request)
    const link = await invitations.findInvitation(token)
    if (link === undefined) return sendDead(reply)
    const formToken = guard.issue(request, reply)
    return sendPage(reply, 200, acceptInvitationPage({ formToken, token, fixedEmail: link.email }))
  })

  app.post('/invitation/', async (request, reply) => {
    const form = AcceptForm.parse(request.body)
    const { token, password } = form
    const link = await invitations.findInvitation(token)
    if (link === undefined) return sendDead(reply)
    const again = (status: number, problem: string): FastifyReply => {
      const { email, name } = form
      const page = { token, fixedEmail: link.email, email, name, problem }
      return sendPage(reply, status, acceptInvitationPage({ formToken: guard.issue(request, reply), ...page }))
    }
    if (!guard.accepts(request, form.form_token)) return again(403, FORGED)
    const email = link.email ?? readEmail(form.email)
    if (email === undefined) return again(400, 'This is not an e-mail address.')
    const name = form.name.trim()
    if (name.length > 150) return again(400, 'The name is too long; 150 characters are the most.')
    const problem = problemOfPassword(password, form.password_again)
    if (problem !== undefined) return again(400, problem)
    const user = await invitations.accept(token, { name, email, password }, whenceOf(request))
    if (user === 'gone') return sendDead(reply)
    if (user === 'taken') return again(409, 'Another account has this e-mail address.')
    await browser.open(request, reply, user.id)
    return reply.redirect('/', 303)
  })
}

function tokenOf({ query }: FastifyRequest): string {
  const value: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, 'token') : undefined
  return typeof value === 'string' ? value : ''
}
