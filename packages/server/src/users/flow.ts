import { ApiError } from '../errors.js'
import { type AccountChange, accountColumns, cutsOff, endsSessions, losesAdministrator } from './account.js'
import { type ClaimFlowDeps, claimFlow } from './claim-flow.js'
import { type NewUser, newUserRow } from './new-user-flow.js'
import { hashPassword } from './passwords-flow.js'
import { publishRevoked } from './revoked.js'
import { type SignInFlowDeps, signInFlow } from './sign-in-flow.js'
import { countOtherAdministrators, deleteSessionsOf, findUser, insertUser, type UserRow, updateUser } from './store.js'

export type UserFlowDeps = SignInFlowDeps & ClaimFlowDeps

export type UserFlow = Awaited<ReturnType<typeof userFlow>>

/** Accounts: signing in and out, the first administrator, and what administrators do with the others. */
export async function userFlow(deps: UserFlowDeps) {
  const { database, bus, clock } = deps

  /** @throws {ApiError} conflict when the address is taken */
  async function addUser(account: NewUser): Promise<UserRow> {
    const user = await insertUser(database.db, await newUserRow(account, clock.now()))
    if (user === undefined) throw new ApiError('conflict', 'There is an account with this e-mail address already.')
    return user
  }

  /**
   * Changes an account. What takes rights away ends its sessions at once.
   * @throws {ApiError} not_found; conflict when the last administrator would be gone
   */
  async function changeAccount(id: number, change: AccountChange): Promise<UserRow> {
    const password = change.password === undefined ? undefined : await hashPassword(change.password)
    const { user, isCutOff } = await database.transaction(async (trx) => {
      const before = await findUser(trx, id)
      if (before === undefined) throw new ApiError('not_found')
      if (losesAdministrator(before, change) && (await countOtherAdministrators(trx, id)) === 0) {
        throw new ApiError('conflict', 'This is the last administrator; make another one first.')
      }
      const after = (await updateUser(trx, id, accountColumns(before, change, password, clock.now()))) ?? before
      if (endsSessions(change)) await deleteSessionsOf(trx, id)
      return { user: after, isCutOff: cutsOff(before, change) }
    })
    if (isCutOff) publishRevoked(bus, { type: 'user', user_id: id })
    return user
  }

  return { ...(await signInFlow(deps)), ...(await claimFlow(deps)), addUser, changeAccount }
}
