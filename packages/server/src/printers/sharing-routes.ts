import { endpoints, type SharedResource } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Api, Caller } from '../http/api.js'
import type { Bus, Clock, Database } from '../ports.js'
import { publishRevoked } from '../users/revoked.js'
import type { AuthTokenSecrets } from './add-flow.js'
import {
  deleteSharedResource,
  findSharedResource,
  insertSharedResource,
  type SharedResourceRow,
} from './sharing-store.js'
import { findVisiblePrinter } from './store.js'

/** 36 hexadecimal digits (wire facts, section 1.10). */
const SHARE_TOKEN_BYTES = 18

export interface SharingRoutesDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: AuthTokenSecrets & { decrypt(text: string): string }
}

/** Printers that strangers may look at (wire facts, section 1.10). */
export function sharingRoutes(api: Api, { database, bus, clock, secrets }: SharingRoutesDeps): void {
  const { db } = database

  async function ownPrinter(caller: Caller, printerId: number | undefined): Promise<number> {
    const printer = printerId === undefined ? undefined : await findVisiblePrinter(db, caller.user_id, printerId)
    if (printer === undefined) throw new ApiError('not_found')
    return printer.id
  }

  function view({ id, printer_id, share_token_encrypted }: SharedResourceRow): SharedResource {
    return { id, printer_id, share_token: secrets.decrypt(share_token_encrypted) }
  }

  /** Shares the printer unless it is shared. Of two who do so at once, both get the token of the one who came first. */
  async function share(printer_id: number): Promise<SharedResourceRow | undefined> {
    const token = secrets.newToken(SHARE_TOKEN_BYTES)
    const inserted = await insertSharedResource(db, {
      printer_id,
      share_token_encrypted: secrets.encrypt(token),
      share_token_hash: secrets.keyedHash(token),
      created_at: clock.now(),
    })
    return inserted ?? findSharedResource(db, printer_id)
  }

  api.handle(endpoints.listSharedResources, async ({ query }, caller, { reply }) => {
    const shared = await findSharedResource(db, await ownPrinter(caller, query.printer_id))
    reply.header('x-total-count', shared === undefined ? 0 : 1)
    return shared === undefined ? [] : [view(shared)]
  })

  api.handle(endpoints.sharePrinter, async ({ query }, caller, { reply }) => {
    const shared = await share(await ownPrinter(caller, query.printer_id))
    if (shared === undefined) throw new ApiError('conflict', 'Sharing was stopped at the same moment; try again.')
    reply.header('x-total-count', 1)
    return [view(shared)]
  })

  api.handle(endpoints.unsharePrinter, async ({ params }, caller) => {
    if (!(await deleteSharedResource(db, caller.user_id, params.id))) throw new ApiError('not_found')
    publishRevoked(bus, { type: 'share', share_id: params.id })
  })
}
