import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import type { Authenticator } from '../http/authenticate.js'
import { signInPath } from './next-page.js'
import { saidPage } from './page-parts.js'

/** Who is signed in in this browser. */
export interface SignedIn {
  readonly sessionId: number
  readonly userId: number
  readonly email: string
  readonly isAdmin: boolean
}

type Route = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** What every form of the pages of an account is about. */
export const ACCOUNT_FORMS = 'account'

export const FORGED = 'This form had expired. Please try again.'

/** Our own pages: nothing from elsewhere, no inline script, never inside another page. */
const policyOf = (formAction: string): string =>
  `default-src 'self';img-src 'self' data:;object-src 'none';base-uri 'none';frame-ancestors 'none';form-action ${formAction}`

/** Sends a page that no cache keeps, since it holds what is for this reader alone. */
export function sendPage(reply: FastifyReply, status: number, html: string, formAction = "'self'"): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-security-policy', policyOf(formAction))
    .header('x-frame-options', 'DENY')
    .type('text/html; charset=utf-8')
    .send(html)
}

/** The browser's session. A token does not count: these pages are for people. */
export async function findSignedIn(
  authenticator: Pick<Authenticator, 'authenticate'>,
  request: FastifyRequest,
): Promise<SignedIn | undefined> {
  try {
    const { via, user_id: userId, email, is_admin: isAdmin } = await authenticator.authenticate(request)
    return via.type === 'session' ? { sessionId: via.session_id, userId, email, isAdmin } : undefined
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined
    throw error
  }
}

/** Errors of a page are told as a page. What is no error of the reader's goes on to the log. */
export function asPage(route: Route): Route {
  return async (request, reply) => {
    try {
      return await route(request, reply)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return sendPage(reply, error.status, saidPage(TITLES[error.status] ?? 'That did not work', wordsOf(error)))
    }
  }
}

const TITLES: Readonly<Record<number, string>> = { 403: 'This is not yours to do', 404: 'There is nothing here' }

function wordsOf(error: ApiError): string {
  if (error.status === 404) return 'It is gone, or it never was here.'
  return error.issues?.map(({ message }) => message).join(' ') ?? error.message
}

/** A page for signed-in users: others sign in first, and come back to it. */
export function forSignedIn(
  authenticator: Pick<Authenticator, 'authenticate'>,
  route: (request: FastifyRequest, reply: FastifyReply, who: SignedIn) => Promise<FastifyReply>,
): Route {
  return asPage(async (request, reply) => {
    const who = await findSignedIn(authenticator, request)
    if (who !== undefined) return route(request, reply, who)
    // A form cannot be sent again after signing in, so the page that has it is shown.
    const next = request.method === 'GET' || request.method === 'HEAD' ? request.url : pageOfForm(request.url)
    return reply.redirect(signInPath(next), 303)
  })
}

/** The page on which a form of `/section/part/…` stands. */
function pageOfForm(url: string): string {
  const [section = '', part] = (url.split('?', 1)[0] ?? '').split('/').filter((step) => step !== '')
  return part === undefined ? `/${section}/` : `/${section}/${part}/`
}
