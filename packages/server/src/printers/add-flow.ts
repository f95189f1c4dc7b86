import type { PrinterChanges } from '@printwarden/protocol'
import type { Kysely } from 'kysely'
import type { Bus, Clock, Database } from '../ports.js'
import { printerColumns } from './changes.js'
import { type UserNotice, userSubject } from './notices.js'
import { insertPrinter, type PrinterRow } from './store.js'
import type { Tables } from '../tables.js'

/** 40 hexadecimal digits (decision 15). */
const AUTH_TOKEN_BYTES = 20

/** How an `auth_token` is made and kept: encrypted, with a keyed hash for look-up. */
export interface AuthTokenSecrets {
  newToken(bytes: number): string
  encrypt(text: string): string
  keyedHash(text: string): string
}

export interface AddPrinterDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: AuthTokenSecrets
}

/** A new `auth_token`, in the clear and as the columns that keep it. */
export function newAuthToken(secrets: AuthTokenSecrets) {
  const auth_token = secrets.newToken(AUTH_TOKEN_BYTES)
  const columns = { auth_token_encrypted: secrets.encrypt(auth_token), auth_token_hash: secrets.keyedHash(auth_token) }
  return { auth_token, columns }
}

/** Adds a printer with a new `auth_token`, which is handed back in the clear, and tells the user's subscribers. */
export async function addPrinter(
  deps: AddPrinterDeps,
  userId: number,
  printer: PrinterChanges & { name: string },
): Promise<{ printer: PrinterRow; auth_token: string }> {
  const added = await addPrinterRow(deps.database.db, deps, userId, printer)
  tellPrinterAdded(deps.bus, added.printer)
  return added
}

/** The row of a new printer, for a transaction. Once that is committed, subscribers are to be told. */
export async function addPrinterRow(
  trx: Kysely<Tables>,
  { clock, secrets }: Pick<AddPrinterDeps, 'clock' | 'secrets'>,
  userId: number,
  { name, ...changes }: PrinterChanges & { name: string },
): Promise<{ printer: PrinterRow; auth_token: string }> {
  const { auth_token, columns } = newAuthToken(secrets)
  const printer = await insertPrinter(trx, {
    ...printerColumns(changes),
    user_id: userId,
    name,
    created_at: clock.now(),
    ...columns,
  })
  return { printer, auth_token }
}

/** Tells the user's subscribers that there is a new printer. */
export function tellPrinterAdded(bus: Bus, { id, user_id }: PrinterRow): void {
  const notice: UserNotice = { type: 'printer_added', printer_id: id }
  bus.publish(userSubject(user_id), notice)
}
