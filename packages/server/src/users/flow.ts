import { ApiError } from '../errors.js'
import { accountFlow, type AccountFlowDeps } from './account-flow.js'
import { type AccountChange, accountColumns, cutsOff, endsSessions, losesAdministrator } from './account.js'
import { background } from './background-flow.js'
import { type ClaimFlowDeps, claimFlow } from './claim-flow.js'
import { invitationFlow } from './invitation-flow.js'
import { deleteLinksOf } from './links-store.js'
import { type NewUser, newUserRow } from './new-user-flow.js'
import { hashPassword } from './passwords-flow.js'
import { publishRevoked } from './revoked.js'
import { noteSecurityEvent } from './security-events-store.js'
import { type SignInFlowDeps, signInFlow } from './sign-in-flow.js'
import { countOtherAdministrators, deleteSessionsOf, findUser, insertUser, type UserRow, updateUser } from './store.js'
import { type TwoStepFlowDeps, twoStepFlow } from './two-step-flow.js'

export type UserFlowDeps = SignInFlowDeps & ClaimFlowDeps & TwoStepFlowDeps & Pick<AccountFlowDeps, 'mailer'>

export type UserFlow = Awaited<ReturnType<typeof userFlow>>

/** Accounts: signing in and out, the first administrator, and what administrators do with the others. */
export async function userFlow(deps: UserFlowDeps) {
  const { database, bus, clock } = deps
  const errands = background(deps.log)
  const claims = await claimFlow({ ...deps, background: errands })
  const shared = { ...deps, background: errands, publicUrl: claims.publicUrl }
  const accounts = accountFlow(shared)
  const twoSteps = twoStepFlow(deps)

  /** @throws {ApiError} conflict when the address is taken */
  async function addUser(account: NewUser): Promise<UserRow> {
    const row = await newUserRow(account, clock.now())
    return database.transaction(async (trx) => {
      const user = await insertUser(trx, row)
      if (user === undefined) throw new ApiError('conflict', 'There is an account with this e-mail address already.')
      await noteSecurityEvent(trx, { userId: user.id, type: 'account_created', at: clock.now() })
      return user
    })
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
      if (change.password !== undefined) await deleteLinksOf(trx, id, ['password_reset', 'email_change'])
      if (Object.values(change).some((value) => value !== undefined)) {
        const type = change.password === undefined ? 'rights_changed' : 'password_reset'
        await noteSecurityEvent(trx, { userId: id, type, at: clock.now(), subject: 'by an administrator' })
      }
      return { user: after, isCutOff: cutsOff(before, change) }
    })
    if (isCutOff) publishRevoked(bus, { type: 'user', user_id: id })
    return user
  }

  /** For somebody who lost the authenticator and the codes: the password alone lets in, once more from the start. */
  async function removeTwoStep(id: number): Promise<void> {
    if ((await findUser(database.db, id)) === undefined) throw new ApiError('not_found')
    await twoSteps.remove(id, undefined)
    await deleteSessionsOf(database.db, id)
    publishRevoked(bus, { type: 'user', user_id: id })
  }

  return {
    ...(await signInFlow({ ...deps, background: errands })),
    ...claims,
    addUser,
    changeAccount,
    removeTwoStep,
    accounts,
    twoSteps,
    invitations: invitationFlow({ ...shared, accounts }),
    /** Resolves when what nobody waits for (letters, notes) is done. */
    settled: (): Promise<void> => errands.settled(),
  }
}
