import { ApiError } from '../errors.js'
import type { Bus, Clock, Database } from '../ports.js'
import { type AuthTokenSecrets, addPrinterRow, newAuthToken, tellPrinterAdded } from '../printers/add-flow.js'
import { printerSubject, type PrinterNotice } from '../printers/notices.js'
import { findVisiblePrinter, type PrinterRow, updatePrinter } from '../printers/store.js'
import type { Kysely } from 'kysely'
import { publishRevoked } from '../users/revoked.js'
import type { Tables } from '../tables.js'
import { drawCode, drawUntil } from './linking-digits-flow.js'
import {
  expireLinkCodes,
  findLiveLinkCode,
  insertLinkCode,
  type LinkCodeRow,
  setLinkedPrinter,
  takeLinkCode,
} from './linking-store.js'

const CODE_LIFETIME_MS = 2 * 3_600_000

/** What became of a code can be read for so long after its end. */
const KEEP_CODES_MS = 24 * 3_600_000

/** What a printer is called until somebody gives it a name. */
const NEW_PRINTER_NAME = 'New printer'

export interface LinkCodeFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: AuthTokenSecrets
}

/** A printer that an agent was just linked to. */
export interface Linked {
  readonly printer: PrinterRow
  readonly isNew: boolean
}

export type LinkCodeFlow = ReturnType<typeof linkCodeFlow>

/** Codes that a user types at an agent, and what using one does. */
export function linkCodeFlow({ database, bus, clock, secrets }: LinkCodeFlowDeps) {
  /**
   * The code that is good now for this printer, or for a new one; made if there is none.
   * @throws {ApiError} not_found, unavailable
   */
  async function liveCode(userId: number, printerId: number | null): Promise<LinkCodeRow> {
    const now = clock.now()
    return database.transaction(async (trx) => {
      if (printerId !== null && (await findVisiblePrinter(trx, userId, printerId)) === undefined) {
        throw new ApiError('not_found')
      }
      await expireLinkCodes(trx, now, now - KEEP_CODES_MS)
      const row = { user_id: userId, printer_id: printerId, created_at: now, expired_at: now + CODE_LIFETIME_MS }
      return drawUntil(drawCode, async (code) => {
        const live = await findLiveLinkCode(trx, userId, printerId, now)
        return live ?? insertLinkCode(trx, { ...row, code, live_code: code, verified_at: null })
      })
    })
  }

  /** Uses a code up: the agent that sent it gets a printer. @throws {ApiError} not_found */
  async function verify(code: string): Promise<{ code: LinkCodeRow; printer: PrinterRow }> {
    const { row, linked } = await database.transaction(async (trx) => {
      const taken = await takeLinkCode(trx, code, clock.now())
      if (taken === undefined) throw new ApiError('not_found')
      const got = await link(trx, taken.user_id, { printer_id: taken.printer_id, name: NEW_PRINTER_NAME })
      await setLinkedPrinter(trx, taken.id, got.printer.id)
      return { row: taken, linked: got }
    })
    tellLinked(linked)
    return { code: row, printer: linked.printer }
  }

  /**
   * A new printer, or a printer of the user's with a new `auth_token`. To be told once the transaction is committed.
   * @throws {ApiError} not_found
   */
  async function link(
    trx: Kysely<Tables>,
    userId: number,
    { printer_id, name }: { printer_id: number | null; name: string },
  ): Promise<Linked> {
    if (printer_id === null) {
      return { printer: (await addPrinterRow(trx, { clock, secrets }, userId, { name })).printer, isNew: true }
    }
    const own = await findVisiblePrinter(trx, userId, printer_id)
    const printer = own && (await updatePrinter(trx, own.id, newAuthToken(secrets).columns))
    if (printer === undefined) throw new ApiError('not_found')
    return { printer, isNew: false }
  }

  /** Tells of a printer that was linked. The agent that a printer had before is let in no longer. */
  function tellLinked({ printer, isNew }: Linked): void {
    if (isNew) {
      tellPrinterAdded(bus, printer)
      return
    }
    publishRevoked(bus, { type: 'printer', printer_id: printer.id })
    const notice: PrinterNotice = { type: 'row' }
    bus.publish(printerSubject(printer.id), notice)
  }

  return { liveCode, verify, link, tellLinked }
}
