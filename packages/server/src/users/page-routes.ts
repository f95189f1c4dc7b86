import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { sessionCookieName } from '../http/credentials.js'
import { isOwnOrigin, originOf } from '../http/origin.js'
import type { UserFlow } from './flow.js'
import { type FormGuardDeps, formGuard } from './form-guard.js'
import { ClaimForm, problemOfClaim, SignInForm, SignOutForm, waitInWords } from './forms.js'
import { nextPage, signInPath } from './next-page.js'
import { claimPage, messagePage, signInPage } from './pages.js'
import { PAGES_STYLE } from './pages-style.js'
import { COOKIE_LIFETIME_SECONDS } from './session-life.js'

export interface PageRoutesDeps {
  readonly secrets: FormGuardDeps['secrets']
  readonly users: UserFlow
}

const FORGED = 'This form had expired. Please try again.'

/** The pages that are for people without a session: signing in and out, and making the first administrator. */
export function pageRoutes(app: FastifyInstance, { secrets, users }: PageRoutesDeps): void {
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
    const check = await users.checkPassword(email, password, request.ip)
    switch (check.type) {
      case 'right':
        await openSession(request, reply, check.user.id)
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

  app.post('/logout/', async (request, reply) => {
    if (!isOwnOrigin(request, users.publicUrl())) {
      throw new ApiError('insufficient_scope', "Signing out is of use only to this server's own pages.")
    }
    const isHttps = request.protocol === 'https'
    await users.endSession(request.cookies[sessionCookieName(isHttps)])
    void reply.clearCookie(sessionCookieName(isHttps), cookieOptions(isHttps))
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
    await openSession(request, reply, claim.user.id)
    return reply.redirect('/', 303)
  })

  /** Begins a session in this browser; one that it had before ends. */
  async function openSession(request: FastifyRequest, reply: FastifyReply, userId: number): Promise<void> {
    const isHttps = request.protocol === 'https'
    const name = sessionCookieName(isHttps)
    await users.endSession(request.cookies[name])
    const value = await users.beginSession(userId, request.headers['user-agent'])
    void reply.setCookie(name, value, { ...cookieOptions(isHttps), maxAge: COOKIE_LIFETIME_SECONDS })
  }
}

function cookieOptions(isHttps: boolean): { path: string; httpOnly: boolean; sameSite: 'lax'; secure: boolean } {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isHttps }
}

/** A page that no cache keeps: it holds what is for this reader alone. */
function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(html)
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
