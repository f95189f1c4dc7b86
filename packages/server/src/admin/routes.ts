import { endpoints } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Api } from '../http/api.js'
import { addPrinter } from '../printers/add-flow.js'
import { findAccountRow, listAccountRows } from '../users/store.js'
import { whenceOf } from '../users/whence.js'
import { VERSION } from '../version.js'
import { type AdminFlowDeps, adminFlow } from './flow.js'
import { seedFlow } from './seed-flow.js'
import { accountView } from './view.js'

export type AdminRoutesDeps = AdminFlowDeps

/** What administrators may do, and the server's version. */
export function adminRoutes(api: Api, deps: AdminRoutesDeps): void {
  const { database, users, credits } = deps
  const { db } = database
  const admin = adminFlow(deps)
  const seeds = seedFlow({ ...deps, admin })

  api.handle(endpoints.getVersion, async () => ({ version: VERSION }))

  api.handleOpen(endpoints.adminSignIn, async ({ body }, _nobody, { request, reply }) => {
    void reply.header('cache-control', 'no-store')
    return admin.signIn(body.email, body.password, body.code, whenceOf(request))
  })

  api.handle(endpoints.listAccounts, async () => {
    const [rows, quotaOf] = await Promise.all([listAccountRows(db), credits.quotas()])
    return rows.map((row) => accountView(row, { printers: row.printer_count, quota: quotaOf(row.id) }))
  })

  api.handle(endpoints.createAccount, async ({ body }) => {
    const { email, password, is_admin: isAdmin = false } = body
    const user = await users.addUser({ email, password, isAdmin })
    return accountView(user, { printers: 0, quota: (await credits.quotas())(user.id) })
  })

  api.handle(endpoints.updateAccount, async ({ params, body }) => {
    const { ai_credit_free_monthly_quota: quota, ...change } = body
    await users.changeAccount(params.id, change)
    if (quota !== undefined) await credits.setQuota(params.id, quota)
    const row = await findAccountRow(db, params.id)
    if (row === undefined) throw new ApiError('not_found')
    return accountView(row, { printers: row.printer_count, quota: (await credits.quotas())(row.id) })
  })

  api.handle(endpoints.issueToken, ({ body }) => admin.issueToken(body.email, body.scope, body.name))
  api.handle(endpoints.revokeToken, ({ body }) => admin.tokens.revoke(body.token))
  api.handle(endpoints.addClient, ({ body }) => admin.addClient(body))

  api.handle(endpoints.addPrinterFor, async ({ body }) => {
    const user = await admin.userOf(body.email)
    const { printer, auth_token } = await addPrinter(deps, user.id, { name: body.name })
    return { id: printer.id, name: printer.name, auth_token }
  })

  api.handle(endpoints.seed, (_input, _caller, { origin }) => seeds.seed(origin))
}
