import type { Bus, Clock, Database } from '../ports.js'
import type { Caller } from '../http/api.js'
import { publishRevoked } from '../users/revoked.js'
import { noteSecurityEvent, type Whence } from '../users/security-events-store.js'
import { type AuthTokenSecrets, newAuthToken } from './add-flow.js'
import { insertReads, replaceAuthToken } from './auth-token-store.js'
import { listPrinters, type PrinterRow } from './store.js'

/** So many reads are remembered in memory before they are asked of the database again. */
const MOST_KNOWN = 50_000

export interface AuthTokenFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: AuthTokenSecrets
}

/** What must be known of a printer whose auth_token is shown. */
type ReadPrinter = Pick<PrinterRow, 'id' | 'name' | 'auth_token_encrypted'>

export type AuthTokenFlow = ReturnType<typeof authTokenFlow>

/** Printers' auth_tokens: who was shown them, and replacing them (decision 15). */
export function authTokenFlow({ database, bus, clock, secrets }: AuthTokenFlowDeps) {
  // A token asks for its printers again and again; only the first time is news. Kept with the auth_token that was read, since another node
  // may replace it at any time, and what says so may come late or be lost.
  const known = new Map<string, string>()
  const keyOf = (tokenId: number, printerId: number): string => `${tokenId} ${printerId}`

  async function noteRead(
    { via, scopes, user_id: userId }: Caller,
    printers: readonly ReadPrinter[],
    whence?: Whence,
  ): Promise<void> {
    if (via.type !== 'token' || !scopes.includes('write')) return
    const { token_id } = via
    const fresh = printers.filter((printer) => known.get(keyOf(token_id, printer.id)) !== printer.auth_token_encrypted)
    if (fresh.length === 0) return
    const at = clock.now()
    await database.transaction(async (trx) => {
      const ids = await insertReads(
        trx,
        token_id,
        fresh.map(({ id }) => id),
        at,
      )
      if (ids.length === 0) return
      const names = fresh.filter(({ id }) => ids.includes(id)).map(({ name }) => name)
      await noteSecurityEvent(trx, { userId, type: 'auth_token_read', at, whence, subject: names.join(', ') })
    })
    if (known.size > MOST_KNOWN) known.clear()
    for (const { id, auth_token_encrypted } of fresh) known.set(keyOf(token_id, id), auth_token_encrypted)
  }

  return {
    /** Remembers which printers' auth_tokens a caller is about to be shown. A session is the owner's own, and sees them anyway. */
    noteRead,
    /** The same for a caller who is about to be told of every printer, now and later. */
    async noteReadOfAll(caller: Caller, whence: Whence): Promise<void> {
      if (caller.via.type !== 'token' || !caller.scopes.includes('write')) return
      await noteRead(caller, await listPrinters(database.db, caller.user_id, { withArchived: false }), whence)
    },

    /** Replaces a printer's auth_token. Its agent is let in no more, and its socket is closed. */
    async rotate({ id, name, user_id: userId }: PrinterRow, whence: Whence): Promise<string> {
      const { auth_token, columns } = newAuthToken(secrets)
      await database.transaction(async (trx) => {
        await replaceAuthToken(trx, id, columns)
        await noteSecurityEvent(trx, { userId, type: 'auth_token_rotated', at: clock.now(), whence, subject: name })
      })
      publishRevoked(bus, { type: 'printer', printer_id: id })
      return auth_token
    },
  }
}
