import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { isOwnOrigin, originOf } from '../http/origin.js'
import { SecondStepForm } from './account-forms.js'
import { browserSession } from './browser-session-flow.js'
import type { Database } from '../ports.js'
import type { UserFlow } from './flow.js'
import { type FormGuardDeps, formGuard } from './form-guard.js'
import { ClaimForm, problemOfClaim, SignInForm, SignOutForm, waitInWords } from './forms.js'
import { nextPage, signInPath } from './next-page.js'
import { claimPage, messagePage, signInPage } from './pages.js'
import { PAGES_STYLE } from './pages-style.js'
import { FORGED, sendPage } from './signed-in-flow.js'
import { findUser, type UserRow } from './store.js'
import { secondStepPage } from './two-step-pages.js'
import { whenceOf } from './whence.js'

export interface PageRoutesDeps {
  readonly database: Database
  readonly secrets: FormGuardDeps['secrets']
  readonly users: UserFlow
}

/** The pages that are for people without a session: signing in and out, and making the first administrator. */
export function pageRoutes(app: FastifyInstance, { database, secrets, users }: PageRoutesDeps): void {
  const browser = browserSession(users)
  const guard = formGuard({ secrets, publicUrl: users.publicUrl })

  app.get('/pages.css', async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=300').send(PAGES_STYLE),
  )

  function showSignIn(
    request: FastifyRequest,
    reply: FastifyReply,
    page: { status: number; next: string; email?: string; problem?: string },
  ): FastifyReply {
    const formToken = guard.issue(request, reply)
    return sendPage(reply, page.status, signInPage({ ...page, formToken }))
  }

  app.get('/login/', async (request, reply) => {
    return showSignIn(request, reply, { status: 200, next: nextPage(queryOf(request, 'next')) })
  })

  app.post('/login/', async (request, reply) => {
    const { email, password, next: wanted, form_token } = SignInForm.parse(request.body)
    const next = nextPage(wanted)
    if (!guard.accepts(request, form_token)) {
      return showSignIn(request, reply, { status: 403, next, email, problem: FORGED })
    }
    const check = await users.checkPassword(email, password, request.ip, request.headers['user-agent'])
    switch (check.type) {
      case 'right':
        if (users.twoSteps.hasTwoSteps(check.user))
          return showSecondStep(request, reply, check.user, { status: 200, next })
        await browser.open(request, reply, check.user.id)
        return reply.redirect(next, 303)
      case 'limited': {
        void reply.header('retry-after', check.retryAfterSeconds)
        const problem = `There were too many wrong tries. Try again in ${waitInWords(check.retryAfterSeconds)}.`
        return showSignIn(request, reply, { status: 429, next, email, problem })
      }
      case 'disabled':
        return showSignIn(request, reply, { status: 403, next, email, problem: 'This account was disabled.' })
      case 'wrong': {
        const problem = 'The e-mail address or the password is wrong.'
        return showSignIn(request, reply, { status: 401, next, email, problem })
      }
    }
  })

  function showSecondStep(
    request: FastifyRequest,
    reply: FastifyReply,
    user: UserRow,
    { status, next, problem }: { status: number; next: string; problem?: string },
  ): FastifyReply {
    const step = users.twoSteps.issueStep(user)
    return sendPage(reply, status, secondStepPage({ formToken: guard.issue(request, reply), step, next, problem }))
  }

  app.post('/login/code/', async (request, reply) => {
    const { form_token, step, code, next: wanted } = SecondStepForm.parse(request.body)
    const next = nextPage(wanted)
    const userId = guard.accepts(request, form_token) ? users.twoSteps.userIdOfStep(step) : undefined
    const user = userId === undefined ? undefined : await findUser(database.db, userId)
    if (user === undefined || !users.twoSteps.isStepOf(user, step)) {
      return showSignIn(request, reply, { status: 403, next, problem: FORGED })
    }
    const check = await users.twoSteps.checkCode(user, code, whenceOf(request))
    if (check.type === 'limited') {
      void reply.header('retry-after', check.retryAfterSeconds)
      const problem = `There were too many wrong codes. Try again in ${waitInWords(check.retryAfterSeconds)}.`
      return showSecondStep(request, reply, user, { status: 429, next, problem })
    }
    if (check.type === 'wrong') {
      const problem = 'This code is wrong, or it was used already. Wait for the next one.'
      return showSecondStep(request, reply, user, { status: 401, next, problem })
    }
    await browser.open(request, reply, user.id)
    return reply.redirect(next, 303)
  })

  app.post('/logout/', async (request, reply) => {
    if (!isOwnOrigin(request, users.publicUrl())) {
      throw new ApiError('insufficient_scope', "Signing out is of use only to this server's own pages.")
    }
    await browser.close(request, reply)
    if ((request.headers.accept ?? '').includes('application/json')) return reply.code(200).send('')
    const { next } = SignOutForm.parse(request.body)
    return reply.redirect(next === '' ? '/login/' : signInPath(nextPage(next)), 303)
  })

  app.get('/claim/', async (request, reply) => {
    const token = queryOf(request, 'token') ?? ''
    const link = await users.checkClaim(token)
    if (link !== 'valid') return sendDeadLink(reply, link)
    return sendPage(reply, 200, claimPage({ formToken: guard.issue(request, reply), token }))
  })

  app.post('/claim/', async (request, reply) => {
    const form = ClaimForm.parse(request.body)
    const { token, password } = form
    const email = form.email.trim()
    const again = (status: number, problem: string): FastifyReply =>
      sendPage(reply, status, claimPage({ formToken: guard.issue(request, reply), token, email, problem }))

    if (!guard.accepts(request, form.form_token)) return again(403, FORGED)
    const problem = problemOfClaim(form)
    if (problem !== undefined) return again(400, problem)
    const claim = await users.claim(token, { email, password }, originOf(request))
    if (claim.type === 'taken') return again(409, 'Another account has this e-mail address.')
    if (claim.type !== 'done') return sendDeadLink(reply, claim.type)
    await browser.open(request, reply, claim.user.id)
    return reply.redirect('/', 303)
  })
}

function sendDeadLink(reply: FastifyReply, link: 'wrong' | 'claimed'): FastifyReply {
  if (link === 'claimed') {
    const text = 'This server has an administrator already, so the link is of no use any more.'
    return sendPage(reply, 410, messagePage('Already set up', text, { href: '/login/', text: 'Sign in' }))
  }
  const text = 'Each start of the server prints a new link and ends the one before it. Open the newest one.'
  return sendPage(reply, 404, messagePage('This link does not work', text))
}

function queryOf(request: FastifyRequest, name: string): string | undefined {
  const { query } = request
  const value: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined
  return typeof value === 'string' ? value : undefined
}
