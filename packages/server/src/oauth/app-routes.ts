import { endpoints } from '@printwarden/protocol'
import type { Api } from '../http/api.js'
import type { Clock, Database } from '../ports.js'
import { whenceOf } from '../users/whence.js'
import { accountTokenView, appView, connectionViews, tokenView } from './app-view.js'
import type { ClientFlow } from './client-flow.js'
import { listClientUses } from './client-store.js'
import { listAnyTokens, listConnectionRows, listOwnTokens } from './connection-store.js'
import type { RevocationFlow } from './revocation-flow.js'
import type { TokenFlow } from './token-flow.js'

export interface AppRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly clients: ClientFlow
  readonly revocations: RevocationFlow
  readonly tokens: TokenFlow
}

/** Apps and tokens by the API: a user's own, and everybody's for administrators. */
export function appRoutes(api: Api, { database, clock, clients, revocations, tokens }: AppRoutesDeps): void {
  const { db } = database

  api.handle(endpoints.listOAuthApps, async (_input, { user_id }) => {
    return (await listClientUses(db, user_id)).map(appView)
  })

  api.handle(endpoints.createOAuthApp, async ({ body }, { user_id }, { request, reply }) => {
    void reply.header('cache-control', 'no-store')
    const { row, client_secret } = await clients.register(body, user_id, whenceOf(request))
    return { ...appView(await clients.get({ id: row.id }, user_id)), client_secret }
  })

  api.handle(endpoints.getOAuthApp, async ({ params }, { user_id }) => appView(await clients.get(params, user_id)))

  api.handle(endpoints.updateOAuthApp, async ({ params, body }, { user_id }) => {
    await clients.change(await clients.get(params, user_id), body)
    return appView(await clients.get(params, user_id))
  })

  api.handle(endpoints.deleteOAuthApp, async ({ params }, { user_id }, { request }) => {
    await revocations.removeClient(await clients.get(params, user_id), whenceOf(request))
  })

  api.handle(endpoints.rotateOAuthAppSecret, async ({ params }, { user_id }, { reply }) => {
    void reply.header('cache-control', 'no-store')
    const client = await clients.get(params, user_id)
    return { client_id: client.client_id, client_secret: await clients.rotateSecret(client) }
  })

  api.handle(endpoints.listConnectedApps, async (_input, { user_id }) => {
    return connectionViews(await listConnectionRows(db, user_id))
  })

  api.handle(endpoints.disconnectApp, ({ params }, { user_id }, { request }) =>
    revocations.disconnectConnected(params.id, user_id, whenceOf(request)),
  )

  api.handle(endpoints.listPersonalTokens, async (_input, { user_id }) => {
    return (await listOwnTokens(db, user_id, clock.now())).map(tokenView)
  })

  api.handle(endpoints.createPersonalToken, async ({ body }, { user_id }, { request, reply }) => {
    void reply.header('cache-control', 'no-store')
    const made = await tokens.make(user_id, body, whenceOf(request))
    return { ...tokenView(made), access_token: made.access_token }
  })

  api.handle(endpoints.revokePersonalToken, ({ params }, { user_id }, { request }) =>
    revocations.revokePersonal(user_id, params.id, whenceOf(request)),
  )

  api.handle(endpoints.listClients, async () => (await listClientUses(db, undefined)).map(appView))

  api.handle(endpoints.removeClient, async ({ params }) => {
    await revocations.removeClient(await clients.get(params, undefined))
  })

  api.handle(endpoints.rotateClientSecret, async ({ params }, _caller, { reply }) => {
    void reply.header('cache-control', 'no-store')
    const client = await clients.get(params, undefined)
    return { client_id: client.client_id, client_secret: await clients.rotateSecret(client) }
  })

  api.handle(endpoints.allowSlicer, async ({ body }) => appView(await clients.allowSlicer(body.client_id)))

  api.handle(endpoints.listTokens, async ({ query }) => {
    return (await listAnyTokens(db, query.email, clock.now())).map(accountTokenView)
  })

  api.handle(endpoints.revokeTokenById, ({ params }) => revocations.revokeAny(params.id))
}
