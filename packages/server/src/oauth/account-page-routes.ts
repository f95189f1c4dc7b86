import type { FastifyInstance } from 'fastify'
import type { Authenticator } from '../http/authenticate.js'
import type { Clock, Database } from '../ports.js'
import { whenceOf } from '../users/whence.js'
import { connectedAppsPage, tokensPage } from './account-pages.js'
import { connectionViews, tokenView } from './app-view.js'
import { listConnectionRows, listOwnTokens } from './connection-store.js'
import type { FormTokens } from '../users/form-token.js'
import { ActionForm, readTokenForm, TokenForm } from './forms.js'
import { APPS_STYLE } from './pages-style.js'
import { idOf } from './id.js'
import type { RevocationFlow } from './revocation-flow.js'
import { ACCOUNT_FORMS, FORGED, forSignedIn, sendPage, type SignedIn } from '../users/signed-in-flow.js'
import type { TokenFlow } from './token-flow.js'
import { STYLE_PATH } from '../users/page-parts.js'

export interface AccountPageRoutesDeps {
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly database: Database
  readonly clock: Clock
  readonly revocations: RevocationFlow
  readonly tokens: TokenFlow
  readonly formTokens: FormTokens
}

/** A user's pages: connected apps and access tokens. */
export function accountPageRoutes(app: FastifyInstance, deps: AccountPageRoutesDeps): void {
  const { authenticator, database, clock, revocations, tokens, formTokens } = deps
  const { db } = database

  app.get(STYLE_PATH, async (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=300').send(APPS_STYLE),
  )

  const issue = (who: SignedIn): string => formTokens.issue(who.sessionId, ACCOUNT_FORMS)

  async function showApps(who: SignedIn, said?: string): Promise<string> {
    const apps = connectionViews(await listConnectionRows(db, who.userId))
    return connectedAppsPage(apps, issue(who), clock.now(), said)
  }

  async function showTokens(
    who: SignedIn,
    rest: { made?: string; problem?: string; name?: string; said?: string } = {},
  ) {
    const own = (await listOwnTokens(db, who.userId, clock.now())).map(tokenView)
    return tokensPage({ tokens: own, formToken: issue(who), now: clock.now(), ...rest })
  }

  app.get(
    '/account/apps/',
    forSignedIn(authenticator, async (_request, reply, who) => sendPage(reply, 200, await showApps(who))),
  )

  app.post(
    '/account/apps/:id/disconnect/',
    forSignedIn(authenticator, async (request, reply, who) => {
      const { form_token } = ActionForm.parse(request.body)
      if (!formTokens.accepts(who.sessionId, ACCOUNT_FORMS, form_token)) {
        return sendPage(reply, 403, await showApps(who, FORGED))
      }
      await revocations.disconnectConnected(idOf(request.params), who.userId, whenceOf(request))
      return sendPage(
        reply,
        200,
        await showApps(
          who,
          'The app was disconnected. If it read the tokens of your printers, “Printer tokens” says so.',
        ),
      )
    }),
  )

  app.get(
    '/account/tokens/',
    forSignedIn(authenticator, async (_request, reply, who) => sendPage(reply, 200, await showTokens(who))),
  )

  app.post(
    '/account/tokens/',
    forSignedIn(authenticator, async (request, reply, who) => {
      const form = TokenForm.parse(request.body)
      const { name } = form
      if (!formTokens.accepts(who.sessionId, ACCOUNT_FORMS, form.form_token)) {
        return sendPage(reply, 403, await showTokens(who, { problem: FORGED, name }))
      }
      const wanted = readTokenForm(form)
      if (wanted === undefined) {
        const problem = 'The token needs a name of at most 100 characters, and one of the choices below.'
        return sendPage(reply, 400, await showTokens(who, { problem, name }))
      }
      const { access_token } = await tokens.make(who.userId, wanted, whenceOf(request))
      return sendPage(reply, 201, await showTokens(who, { made: access_token }))
    }),
  )

  app.post(
    '/account/tokens/:id/revoke/',
    forSignedIn(authenticator, async (request, reply, who) => {
      const { form_token } = ActionForm.parse(request.body)
      if (!formTokens.accepts(who.sessionId, ACCOUNT_FORMS, form_token)) {
        return sendPage(reply, 403, await showTokens(who, { problem: FORGED }))
      }
      await revocations.revokePersonal(who.userId, idOf(request.params), whenceOf(request))
      return sendPage(
        reply,
        200,
        await showTokens(who, {
          said: 'The token was revoked. If it read the tokens of your printers, “Printer tokens” says so.',
        }),
      )
    }),
  )
}
