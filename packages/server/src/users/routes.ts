import { endpoints } from '@printwarden/protocol'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.js'
import type { Api } from '../http/api.js'
import type { Database } from '../ports.js'
import { type PageRoutesDeps, pageRoutes } from './page-routes.js'
import { findUser, type UserRow, updateUser } from './store.js'
import { userColumns, userView } from './view.js'

export interface UserRoutesDeps extends PageRoutesDeps {
  readonly database: Database
}

/** The signed-in user, and the pages for signing in. */
export function userRoutes(api: Api, app: FastifyInstance, deps: UserRoutesDeps): void {
  const { db } = deps.database

  api.handle(endpoints.getMe, async (_input, caller) => userView(found(await findUser(db, caller.user_id))))

  api.handle(endpoints.updateMe, async ({ body }, caller) => {
    return userView(found(await updateUser(db, caller.user_id, userColumns(body))))
  })

  pageRoutes(app, deps)
}

function found(user: UserRow | undefined): UserRow {
  if (user === undefined) throw new ApiError('unauthorized')
  return user
}
