import type { Bus, Clock, Database } from '../ports.js'
import { remembered } from '../remembered.js'
import type { Background } from './background-flow.js'
import { newUserRow } from './new-user-flow.js'
import { noteSecurityEvent } from './security-events-store.js'
import {
  deleteSetting,
  findUserByEmail,
  hasAdministrator,
  insertUser,
  readSetting,
  takeSetting,
  type UserRow,
  updateUser,
  writeSetting,
} from './store.js'

const CLAIM_TOKEN_BYTES = 24

/** Hash of the claim link's token; gone once the server has an administrator. */
const CLAIM_HASH = 'claim_token_hash'

/** The origin at which the server was claimed. */
const PUBLIC_URL = 'public_url'

/** The bus subject on which a node tells that the server was claimed at it. */
const CLAIMED_SUBJECT = 'claimed'

export interface ClaimFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: { hash(text: string): string; newToken(bytes: number): string }
  /** PRINTWARDEN_PUBLIC_URL, which wins over what is remembered. */
  readonly publicUrl: string | undefined
}

/** Whether a claim link can be used: `wrong` is not the newest one, `claimed` means that somebody was first. */
export type ClaimLink = 'valid' | 'wrong' | 'claimed'

/** What came of a claim; `taken` means that another account has the e-mail address. */
export type Claim =
  | { readonly type: 'done'; readonly user: UserRow }
  | { readonly type: Exclude<ClaimLink, 'valid'> | 'taken' }

/** How the server gets its first administrator, and the origin by which it is known. */
export async function claimFlow({
  database,
  bus,
  clock,
  secrets,
  publicUrl: configured,
  background,
}: ClaimFlowDeps & { readonly background: Background }) {
  const { db } = database
  let known: string | undefined
  let listening: string | undefined

  const readKnown = async (): Promise<void> => {
    known = (await readSetting(db, PUBLIC_URL)) ?? known
  }
  // Nobody waits for it: whoever asks for the origin is told what is known by then.
  const look = (): void => background.run('the origin of the server could not be read', readKnown)
  const lookOnceInAWhile = remembered(async () => look())
  // Heard for the life of the process, from before the first reading on.
  bus.subscribe(CLAIMED_SUBJECT, look)
  await readKnown()

  /** Makes the administrator of the configuration, unless there is an administrator. */
  async function ensureAdministrator(admin: { email: string; password: string } | undefined): Promise<void> {
    if (admin === undefined || (await hasAdministrator(db))) return
    const row = await newUserRow({ ...admin, isAdmin: true }, clock.now())
    await database.transaction(async (trx) => {
      const existing = await findUserByEmail(trx, row.email)
      if (existing === undefined) await insertUser(trx, row)
      else await updateUser(trx, existing.id, { is_admin: 1, disabled_at: null, password_hash: row.password_hash })
    })
  }

  /** A new token for the claim link, which ends the one before it; undefined once there is an administrator. */
  async function claimToken(): Promise<string | undefined> {
    if (await hasAdministrator(db)) {
      await deleteSetting(db, CLAIM_HASH)
      return undefined
    }
    const token = secrets.newToken(CLAIM_TOKEN_BYTES)
    await writeSetting(db, CLAIM_HASH, secrets.hash(token))
    return token
  }

  async function checkClaim(token: string): Promise<ClaimLink> {
    if (await hasAdministrator(db)) return 'claimed'
    return (await readSetting(db, CLAIM_HASH)) === secrets.hash(token) ? 'valid' : 'wrong'
  }

  /** Makes the first administrator, once, and remembers the origin that was used. */
  async function claim(token: string, account: { email: string; password: string }, origin: string): Promise<Claim> {
    const link = await checkClaim(token)
    if (link !== 'valid') return { type: link }
    const row = await newUserRow({ ...account, isAdmin: true }, clock.now())
    const result = await database.transaction(async (trx): Promise<Claim> => {
      if ((await findUserByEmail(trx, row.email)) !== undefined) return { type: 'taken' }
      if (!(await takeSetting(trx, CLAIM_HASH, secrets.hash(token)))) return { type: 'claimed' }
      const user = await insertUser(trx, row)
      if (user === undefined) throw new Error('the address was taken in the middle of a claim')
      await writeSetting(trx, PUBLIC_URL, origin)
      await noteSecurityEvent(trx, { userId: user.id, type: 'account_created', at: clock.now() })
      return { type: 'done', user }
    })
    if (result.type === 'done') {
      known = origin
      bus.publish(CLAIMED_SUBJECT, {})
    }
    return result
  }

  return {
    ensureAdministrator,
    claimToken,
    checkClaim,
    claim,
    /** The address to go by when the server was never claimed. */
    async listeningAt(url: string | undefined): Promise<void> {
      listening = url
    },
    /** The canonical origin, if it is known: what leaves the server by another way than an answer goes by it. */
    publicUrl: (): string | undefined => {
      // What another node told may have been lost, while Redis was away for instance.
      if (configured === undefined && known === undefined) void lookOnceInAWhile()
      return configured ?? known ?? listening
    },
  }
}
