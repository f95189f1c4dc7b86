import { endpoints } from '@printwarden/protocol'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.js'
import type { Api } from '../http/api.js'
import type { Authenticator } from '../http/authenticate.js'
import type { Clock, Secrets } from '../ports.js'
import { accountRoutes } from './account-routes.js'
import { formTokens } from './form-token.js'
import { linkPageRoutes } from './link-page-routes.js'
import { type PageRoutesDeps, pageRoutes } from './page-routes.js'
import { settingsPageRoutes } from './settings-page-routes.js'
import { findUser, type UserRow, updateUser } from './store.js'
import { twoStepPageRoutes } from './two-step-page-routes.js'
import { userColumns, userView } from './view.js'

export interface UserRoutesDeps extends PageRoutesDeps {
  readonly clock: Clock
  readonly secrets: Secrets
  readonly authenticator: Pick<Authenticator, 'authenticate'>
}

/** The signed-in user, and the pages for signing in. */
export function userRoutes(api: Api, app: FastifyInstance, deps: UserRoutesDeps): void {
  const { db } = deps.database

  api.handle(endpoints.getMe, async (_input, caller) => userView(found(await findUser(db, caller.user_id))))

  api.handle(endpoints.updateMe, async ({ body }, caller) => {
    return userView(found(await updateUser(db, caller.user_id, userColumns(body))))
  })

  accountRoutes(api, deps)
  pageRoutes(app, deps)
  linkPageRoutes(app, deps)
  const pages = { ...deps, formTokens: formTokens(deps.secrets) }
  settingsPageRoutes(app, pages)
  twoStepPageRoutes(app, pages)
}

function found(user: UserRow | undefined): UserRow {
  if (user === undefined) throw new ApiError('unauthorized')
  return user
}
