import type { ImportedPrinter } from '@printwarden/protocol'
import { newAuthToken, tellPrinterAdded } from '../printers/add-flow.js'
import { replaceAuthToken } from '../printers/auth-token-store.js'
import { printerColumns } from '../printers/changes.js'
import { printerSubject } from '../printers/notices.js'
import {
  findPrinterByTokenHash,
  findVisiblePrinter,
  insertPrinter,
  type PrinterRow,
  updatePrinter,
} from '../printers/store.js'
import type { Bus } from '../ports.js'
import { publishRevoked } from '../users/revoked.js'
import { type Columns, conflictNotes, mergeColumns } from './merge.js'
import { compared, created, deletedHere, leftOut, type Outcome, present } from './outcome.js'
import { findItem, insertItem, setItemRecord } from './store.js'
import { keyOf, type Turn } from './turn.js'

type Compared = ReturnType<typeof settingsOf>

/** What of a printer may change on both sides. */
function settingsOf(record: ImportedPrinter, turn: Turn) {
  const {
    kind: _,
    source_id: __,
    auth_token,
    created_at: ___,
    archived_at,
    agent_name: ____,
    agent_version: _____,
    ...settings
  } = record
  return {
    ...(printerColumns(settings) as Required<ReturnType<typeof printerColumns>>),
    archived_at: archived_at === null ? null : Date.parse(archived_at),
    ...(auth_token === null ? {} : { auth_token_hash: turn.secrets.keyedHash(auth_token) }),
  }
}

/** A printer with its settings and its agent's token. */
export async function importPrinter(turn: Turn, bus: Bus, record: ImportedPrinter): Promise<Outcome> {
  const { trx, userId } = turn
  const theirs = settingsOf(record, turn)
  const item = await findItem(trx, keyOf(turn, 'printer', record.source_id))
  if (item === undefined) return addPrinterOf(turn, bus, record, theirs)
  const printer = item.target_id === null ? undefined : await findVisiblePrinter(trx, userId, item.target_id)
  if (printer === undefined) return deletedHere()
  const merged = mergeColumns(JSON.parse(item.record) as Columns, theirs, comparable(printer))
  const taken = await withoutTakenToken(turn, printer, merged.changes)
  if (Object.keys(taken.changes).length > 0) {
    await updatePrinter(trx, printer.id, taken.changes)
    turn.afterwards.push(() => bus.publish(printerSubject(printer.id), { type: 'row' }))
  }
  if (record.auth_token !== null && 'auth_token_hash' in taken.changes) {
    await replaceAuthToken(trx, printer.id, tokenColumns(turn, record.auth_token))
    turn.afterwards.push(() => publishRevoked(bus, { type: 'printer', printer_id: printer.id }))
  }
  await setItemRecord(trx, item.id, theirs)
  return compared(printer.id, {
    changes: taken.changes,
    conflicts: [...merged.conflicts, ...taken.conflicts].map(wordOf),
  })
}

/** A token that another printer has cannot be this one's. */
async function withoutTakenToken(turn: Turn, printer: PrinterRow, changes: Partial<Compared>) {
  const { auth_token_hash, ...rest } = changes as Partial<Compared> & { auth_token_hash?: string }
  if (auth_token_hash === undefined) return { changes, conflicts: [] as string[] }
  const other = await findPrinterByTokenHash(turn.trx, auth_token_hash)
  if (other === undefined || other.id === printer.id) return { changes, conflicts: [] as string[] }
  return { changes: rest, conflicts: ['auth_token_hash'] }
}

function tokenColumns({ secrets }: Turn, auth_token: string) {
  return { auth_token_encrypted: secrets.encrypt(auth_token), auth_token_hash: secrets.keyedHash(auth_token) }
}

async function addPrinterOf(turn: Turn, bus: Bus, record: ImportedPrinter, theirs: Compared): Promise<Outcome> {
  const { trx, userId, now, secrets } = turn
  const key = keyOf(turn, 'printer', record.source_id)
  const { auth_token } = record
  const known = auth_token === null ? undefined : await findPrinterByTokenHash(trx, secrets.keyedHash(auth_token))
  if (known !== undefined && known.user_id !== userId) {
    return leftOut(
      "another account's printer here has its agent's token; delete that one, or give its agent a new token",
    )
  }
  if (known !== undefined) {
    await insertItem(trx, key, { record: theirs, target: known.id, now })
    const { conflicts } = mergeColumns(undefined, theirs, comparable(known))
    return present(known.id, ["here already, by its agent's token", ...conflictNotes(conflicts.map(wordOf))])
  }
  const columns = auth_token === null ? newAuthToken(secrets).columns : tokenColumns(turn, auth_token)
  const printer = await insertPrinter(trx, {
    ...theirs,
    ...columns,
    ...{ user_id: userId, created_at: Date.parse(record.created_at) },
    ...{ agent_name: record.agent_name, agent_version: record.agent_version },
  })
  await insertItem(trx, key, { record: theirs, target: printer.id, now })
  turn.afterwards.push(() => tellPrinterAdded(bus, printer))
  return created(printer.id, auth_token === null ? ['its agent has a new token here: link it anew'] : [])
}

const wordOf = (column: string): string => (column === 'auth_token_hash' ? 'auth_token' : column)

/** A row's values as they can be compared: what is no text or number is in no comparison. */
function comparable(printer: PrinterRow): Columns {
  return { ...printer }
}
