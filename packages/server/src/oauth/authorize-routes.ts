import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OAuthError } from '../errors.js'
import type { Authenticator } from '../http/authenticate.js'
import { originOf } from '../http/origin.js'
import { signInPath } from '../users/next-page.js'
import { type AuthorizationRequest, carriedParameters } from './authorization.js'
import { whenceOf } from '../users/whence.js'
import type { AuthorizeFlow } from './authorize-flow.js'
import type { FormTokens } from '../users/form-token.js'
import { type OAuthParameters, readParameters } from './parameters.js'
import { authorizationErrorPage, consentPage, outlookText, SLICER_PAGE, SLICER_SCRIPT } from './pages.js'
import { asPage, findSignedIn, sendPage, type SignedIn } from '../users/signed-in-flow.js'

export interface AuthorizeRoutesDeps {
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly authorize: AuthorizeFlow
  readonly formTokens: FormTokens
  readonly issuerOf: (request: FastifyRequest) => string
}

/** The authorization endpoint, which is a page for people (section 5, steps 1 to 3). */
export function authorizeRoutes(app: FastifyInstance, deps: AuthorizeRoutesDeps): void {
  const { authenticator, authorize, formTokens, issuerOf } = deps

  /** What is asked and by whom it is answered, or the reply that ends it here. */
  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
  ): Promise<{ asked: AuthorizationRequest; who: SignedIn } | { ended: FastifyReply }> {
    const prepared = await authorize.prepare(parameters, originOf(request), issuerOf(request))
    if (prepared.type === 'refuse') return { ended: reply.redirect(prepared.location, 302) }
    const who = await findSignedIn(authenticator, request)
    if (who !== undefined) return { asked: prepared.request, who }
    return { ended: reply.redirect(signInPath(pathOf(parameters)), 302) }
  }

  function ask(
    reply: FastifyReply,
    status: number,
    { asked, who }: { asked: AuthorizationRequest; who: SignedIn },
    parameters: OAuthParameters,
    problem?: string,
  ): FastifyReply {
    const { client, scopes, redirectUri } = asked
    const { name, description, is_self_registered: isSelfRegistered } = client
    const fields = carriedParameters(parameters)
    const page = consentPage({
      app: { name, description, isSelfRegistered },
      scopes,
      email: who.email,
      action: '/o/authorize/',
      fields: [...fields, ['form_token', formTokens.issue(who.sessionId, aboutOf(parameters))]],
      again: pathOf(parameters),
      outlook: outlookText(redirectUri),
      problem,
    })
    return sendPage(reply, status, page, formActionFor(redirectUri))
  }

  app.get(
    '/o/authorize/',
    shown(async (request, reply) => {
      const parameters = readParameters(request.query)
      const begun = await begin(request, reply, parameters)
      if ('ended' in begun) return begun.ended
      const { asked, who } = begun
      if (!(await authorize.isAllowedBefore(who.userId, asked))) return ask(reply, 200, begun, parameters)
      return reply.redirect(await authorize.goOn(who.userId, asked, issuerOf(request)), 302)
    }),
  )

  app.post(
    '/o/authorize/',
    { bodyLimit: 64 * 1024 },
    shown(async (request, reply) => {
      const parameters = readParameters(request.body)
      const begun = await begin(request, reply, parameters)
      if ('ended' in begun) return begun.ended
      const { asked, who } = begun
      if (!formTokens.accepts(who.sessionId, aboutOf(parameters), parameters.get('form_token') ?? '')) {
        return ask(reply, 403, begun, parameters, 'This form had expired. Please answer again.')
      }
      const answer = parameters.get('allow') ?? ''
      switch (answer) {
        case 'true':
          return reply.redirect(await authorize.allow(who.userId, asked, issuerOf(request), whenceOf(request)), 303)
        case 'false':
          return reply.redirect(authorize.deny(asked, issuerOf(request)), 303)
        default:
          return ask(reply, 400, begun, parameters, 'Please choose.')
      }
    }),
  )

  app.get('/o/slicer/', async (_request, reply) => sendPage(reply, 200, SLICER_PAGE))
  app.get('/o/slicer.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('cache-control', 'public, max-age=300').send(SLICER_SCRIPT),
  )
}

/** A request that cannot be answered to the app is explained to whoever looks at the page; never a redirect. */
function shown(route: Parameters<typeof asPage>[0]): ReturnType<typeof asPage> {
  return asPage(async (request, reply) => {
    try {
      return await route(request, reply)
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      return sendPage(reply, 400, authorizationErrorPage(error.code, error.message))
    }
  })
}

/** The form's signature covers the whole request, so that no answer is taken for another question. */
const aboutOf = (parameters: OAuthParameters): string => `authorize ${JSON.stringify(carriedParameters(parameters))}`

const pathOf = (parameters: OAuthParameters): string =>
  `/o/authorize/?${new URLSearchParams(carriedParameters(parameters)).toString()}`

/**
 * Chromium holds a form's whole chain of redirects to form-action. An app's callback often goes on to another of its hosts, so its
 * scheme is allowed, not the one host.
 */
function formActionFor(redirectUri: string): string {
  const { protocol } = new URL(redirectUri)
  return protocol === 'https:' ? "'self' https:" : `'self' https: ${protocol}`
}
