import type { OAuthApp } from '@printwarden/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticator } from '../http/authenticate.js'
import type { Clock, Database } from '../ports.js'
import { idOf } from './id.js'
import { appView } from './app-view.js'
import type { ClientFlow } from './client-flow.js'
import { type ClientUse, listClientUses } from './client-store.js'
import { type AppFormState, appPage, appsPage, newAppPage, type QUESTIONS, questionPage } from './developer-pages.js'
import type { FormTokens } from '../users/form-token.js'
import { ActionForm, AppForm, readAppForm } from './forms.js'
import type { RevocationFlow } from './revocation-flow.js'
import { ACCOUNT_FORMS, FORGED, forSignedIn, sendPage, type SignedIn } from '../users/signed-in-flow.js'
import { whenceOf } from '../users/whence.js'

export interface DeveloperPageRoutesDeps {
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly database: Database
  readonly clock: Clock
  readonly clients: ClientFlow
  readonly revocations: RevocationFlow
  readonly formTokens: FormTokens
}

type Shown = { readonly secret?: string; readonly said?: string }

/** Where developers register apps; administrators see everybody's. */
export function developerPageRoutes(app: FastifyInstance, deps: DeveloperPageRoutesDeps): void {
  const { authenticator, database, clock, clients, revocations, formTokens } = deps

  const issue = (who: SignedIn): string => formTokens.issue(who.sessionId, ACCOUNT_FORMS)
  const isGenuine = (who: SignedIn, token: string): boolean => formTokens.accepts(who.sessionId, ACCOUNT_FORMS, token)

  /** The app of this page, if it is the user's, or anybody's for an administrator. @throws {ApiError} not_found */
  const find = (request: FastifyRequest, who: SignedIn): Promise<ClientUse> =>
    clients.get({ id: idOf(request.params) }, who.isAdmin ? undefined : who.userId)

  async function showAll(reply: FastifyReply, who: SignedIn, said?: string): Promise<FastifyReply> {
    const rows = await listClientUses(database.db, who.isAdmin ? undefined : who.userId)
    return sendPage(reply, 200, appsPage(rows.map(appView), { now: clock.now(), isAdmin: who.isAdmin, said }))
  }

  function show(
    reply: FastifyReply,
    who: SignedIn,
    shown: OAuthApp,
    {
      status = 200,
      problems = [],
      form,
      ...rest
    }: Shown & Partial<Omit<AppFormState, 'formToken'>> & { status?: number },
  ): FastifyReply {
    const state = { form: form ?? formOf(shown), formToken: issue(who), problems }
    return sendPage(reply, status, appPage(shown, state, { now: clock.now(), ...rest }))
  }

  const forged = { status: 403, problems: [{ field: '', text: FORGED }] }

  /** A button of an app's page: asks once more, does its work, and shows what there is then. */
  function button(
    action: keyof typeof QUESTIONS,
    work: (row: ClientUse, request: FastifyRequest) => Promise<Shown | 'gone'>,
  ): void {
    app.post(
      `/developer/apps/:id/${action}/`,
      forSignedIn(authenticator, async (request, reply, who) => {
        const row = await find(request, who)
        const { form_token, sure } = ActionForm.parse(request.body)
        if (!isGenuine(who, form_token)) return show(reply, who, appView(row), forged)
        if (sure !== 'yes') return sendPage(reply, 200, questionPage(appView(row), action, issue(who)))
        const done = await work(row, request)
        if (done === 'gone') return showAll(reply, who, 'The app was deleted.')
        return show(reply, who, appView(await find(request, who)), done)
      }),
    )
  }

  app.get(
    '/developer/apps/',
    forSignedIn(authenticator, async (_request, reply, who) => showAll(reply, who)),
  )

  app.get(
    '/developer/apps/new/',
    forSignedIn(authenticator, async (_request, reply, who) => {
      return sendPage(reply, 200, newAppPage({ form: AppForm.parse(undefined), formToken: issue(who), problems: [] }))
    }),
  )

  app.post(
    '/developer/apps/new/',
    forSignedIn(authenticator, async (request, reply, who) => {
      const form = AppForm.parse(request.body)
      const again = (status: number, problems: AppFormState['problems']): FastifyReply =>
        sendPage(reply, status, newAppPage({ form, formToken: issue(who), problems }))
      if (!isGenuine(who, form.form_token)) return again(403, forged.problems)
      const read = readAppForm(form, form.type)
      if ('problems' in read) return again(400, read.problems)
      const { row, client_secret } = await clients.register(read.app, who.userId, whenceOf(request))
      const shown = appView(await clients.get({ id: row.id }, who.userId))
      const said = 'The app was registered.'
      return show(reply, who, shown, {
        status: 201,
        said,
        ...(client_secret === null ? {} : { secret: client_secret }),
      })
    }),
  )

  app.get(
    '/developer/apps/:id/',
    forSignedIn(authenticator, async (request, reply, who) => show(reply, who, appView(await find(request, who)), {})),
  )

  app.post(
    '/developer/apps/:id/',
    forSignedIn(authenticator, async (request, reply, who) => {
      const row = await find(request, who)
      const form = AppForm.parse(request.body)
      if (!isGenuine(who, form.form_token)) return show(reply, who, appView(row), { ...forged, form })
      const read = readAppForm(form, row.type)
      if ('problems' in read) return show(reply, who, appView(row), { status: 400, problems: read.problems, form })
      const { name, description, redirect_uris } = read.app
      await clients.change(row, { name, description, redirect_uris })
      return show(reply, who, appView(await find(request, who)), { said: 'Saved.' })
    }),
  )

  button('rotate_secret', async (row) => ({
    secret: await clients.rotateSecret(row),
    said: 'The secret was replaced.',
  }))

  button('disconnect_all', async (row) => {
    await revocations.disconnect(row.id, undefined)
    return { said: 'Everybody was disconnected.' }
  })

  button('delete', async (row, request) => {
    await revocations.removeClient(row, whenceOf(request))
    return 'gone'
  })
}

function formOf({ name, description, redirect_uris, type }: OAuthApp): AppForm {
  return { name, description, redirect_uris: redirect_uris.join('\n'), type, form_token: '' }
}
