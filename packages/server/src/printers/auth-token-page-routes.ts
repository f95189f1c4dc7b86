import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import type { Authenticator } from '../http/authenticate.js'
import type { Database } from '../ports.js'
import { ActionForm } from '../users/account-forms.js'
import { type FormSecrets, formTokens } from '../users/form-token.js'
import { ACCOUNT_FORMS, FORGED, forSignedIn, sendPage, type SignedIn } from '../users/signed-in-flow.js'
import { whenceOf } from '../users/whence.js'
import type { AuthTokenFlow } from './auth-token-flow.js'
import { type AuthTokensPage, authTokensPage } from './auth-token-pages.js'
import { listExposedPrinters } from './auth-token-store.js'
import { findVisiblePrinter, listPrinters } from './store.js'

export interface AuthTokenPageRoutesDeps {
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly database: Database
  readonly secrets: FormSecrets
  readonly authTokens: AuthTokenFlow
}

const Params = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number)
    .refine(Number.isSafeInteger),
})

/** The page on which a user replaces printers' auth_tokens, for instance after an app that read them was cut off. */
export function authTokenPageRoutes(app: FastifyInstance, deps: AuthTokenPageRoutesDeps): void {
  const { authenticator, database, authTokens } = deps
  const { db } = database
  const forms = formTokens(deps.secrets)

  async function show(
    reply: FastifyReply,
    { userId, sessionId }: SignedIn,
    { status, ...rest }: { status: number } & Pick<AuthTokensPage, 'problem' | 'made'>,
  ): Promise<FastifyReply> {
    const printers = await listPrinters(db, userId, { withArchived: true })
    const exposed = (await listExposedPrinters(db, userId)).map(({ id }) => id)
    const formToken = forms.issue(sessionId, ACCOUNT_FORMS)
    return sendPage(reply, status, authTokensPage({ printers, exposed, formToken, ...rest }))
  }

  app.get(
    '/account/printers/',
    forSignedIn(authenticator, (_request, reply, who) => show(reply, who, { status: 200 })),
  )

  app.post(
    '/account/printers/:id/rotate/',
    forSignedIn(authenticator, async (request, reply, who) => {
      if (!forms.accepts(who.sessionId, ACCOUNT_FORMS, ActionForm.parse(request.body).form_token)) {
        return show(reply, who, { status: 403, problem: FORGED })
      }
      const params = Params.safeParse(request.params).data
      const printer = params === undefined ? undefined : await findVisiblePrinter(db, who.userId, params.id)
      if (printer === undefined) throw new ApiError('not_found')
      const token = await authTokens.rotate(printer, whenceOf(request))
      return show(reply, who, { status: 200, made: { name: printer.name, token } })
    }),
  )
}
