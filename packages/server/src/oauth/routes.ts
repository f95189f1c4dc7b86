import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Api } from '../http/api.js'
import type { Authenticator } from '../http/authenticate.js'
import { originOf } from '../http/origin.js'
import type { Bus, Clock, Counters, Database, Secrets } from '../ports.js'
import { accountPageRoutes } from './account-page-routes.js'
import { appRoutes } from './app-routes.js'
import { authorizeFlow } from './authorize-flow.js'
import { authorizeRoutes } from './authorize-routes.js'
import { clientFlow } from './client-flow.js'
import { developerPageRoutes } from './developer-page-routes.js'
import { deviceFlow } from './device-flow.js'
import { deviceRoutes } from './device-routes.js'
import { exchangeFlow } from './exchange-flow.js'
import { formTokens } from '../users/form-token.js'
import { introspectionFlow } from './introspection-flow.js'
import { revocationFlow } from './revocation-flow.js'
import { tokenFlow } from './token-flow.js'
import { tokenRoutes } from './token-routes.js'

export interface OAuthRoutesDeps {
  readonly database: Database
  readonly bus: Bus
  readonly counters: Counters
  readonly clock: Clock
  readonly secrets: Secrets
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  /** The canonical origin, once it is known. */
  readonly publicUrl: () => string | undefined
  readonly accessTokenSeconds: number
}

/** The authorization server, and the pages and endpoints by which apps and tokens are managed. */
export function oauthRoutes(api: Api, app: FastifyInstance, deps: OAuthRoutesDeps): void {
  const issuerOf = (request: FastifyRequest): string => deps.publicUrl() ?? originOf(request)
  const clients = clientFlow(deps)
  const devices = deviceFlow(deps)
  const revocations = revocationFlow(deps)
  const tokens = tokenFlow(deps)
  const forms = formTokens(deps.secrets)

  tokenRoutes(app, {
    ...{ clients, devices, revocations, issuerOf, secrets: deps.secrets },
    exchanges: exchangeFlow(deps),
    introspections: introspectionFlow(deps),
  })
  authorizeRoutes(app, {
    ...{ issuerOf, formTokens: forms, authenticator: deps.authenticator },
    authorize: authorizeFlow(deps),
  })
  deviceRoutes(app, { devices, formTokens: forms, authenticator: deps.authenticator })
  appRoutes(api, { ...deps, clients, revocations, tokens })
  accountPageRoutes(app, { ...deps, revocations, tokens, formTokens: forms })
  developerPageRoutes(app, { ...deps, clients, revocations, formTokens: forms })
}
