import type { PrinterChanges } from '@printwarden/protocol'
import type { Bus, Clock, Database } from '../ports.js'
import { printerColumns } from './changes.js'
import { type UserNotice, userSubject } from './notices.js'
import { insertPrinter, type PrinterRow } from './store.js'

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

/** Adds a printer with a new `auth_token`, which is handed back in the clear, and tells the user's subscribers. */
export async function addPrinter(
  { database, bus, clock, secrets }: AddPrinterDeps,
  userId: number,
  { name, ...changes }: PrinterChanges & { name: string },
): Promise<{ printer: PrinterRow; auth_token: string }> {
  const auth_token = secrets.newToken(AUTH_TOKEN_BYTES)
  const printer = await insertPrinter(database.db, {
    ...printerColumns(changes),
    user_id: userId,
    name,
    created_at: clock.now(),
    auth_token_encrypted: secrets.encrypt(auth_token),
    auth_token_hash: secrets.keyedHash(auth_token),
  })
  const notice: UserNotice = { type: 'printer_added', printer_id: printer.id }
  bus.publish(userSubject(userId), notice)
  return { printer, auth_token }
}
