import type { ImportedPart, ImportedPrint } from '@printwarden/protocol'
import { findVisibleFeedback, setFeedbackAnswer } from '../prints/feedback-store.js'
import { findPrint, insertPrint, listPrintsNear, type PrintRow, updatePrint } from '../prints/store.js'
import { findVisiblePrinter } from '../printers/store.js'
import { type Columns, mergeColumns } from './merge.js'
import { compared, created, deletedHere, leftOut, type Outcome, present } from './outcome.js'
import { changingColumns, freeTs, isSameStart, NAMES_SECONDS, printColumns } from './print-columns.js'
import { findItem, finishItem, type ImportedItem, insertItem, isTarget, setItemRecord } from './store.js'
import { keyOf, type Turn } from './turn.js'

/** A print that has ended, and which bytes of it are still to come. */
export async function importPrint(turn: Turn, record: ImportedPrint): Promise<Outcome> {
  const { trx, now, userId } = turn
  const key = keyOf(turn, 'print', record.source_id)
  const item = await findItem(trx, key)
  if (item !== undefined) return comparePrint(turn, item, record)
  if (record.finished_at === null && record.cancelled_at === null && record.failed_at === null) {
    return leftOut('it has not ended there; import again once it has')
  }
  const printerItem = await findItem(trx, keyOf(turn, 'printer', record.printer))
  if (printerItem === undefined && turn.isDryRun) return { ...created(null), wants: record.parts.map(wanted) }
  const printer = printerItem?.target_id && (await findVisiblePrinter(trx, userId, printerItem.target_id))
  if (!printer) return leftOut('its printer is not here')
  const startedAt = Date.parse(record.started_at)
  const near = await listPrintsNear(trx, printer.id, Math.floor(startedAt / 1000), NAMES_SECONDS)
  const same = await findSame(turn, near, record)
  const print = same ?? (await addPrint(turn, printer.id, record, near))
  const made = await insertItem(trx, key, { record: changingColumns(record), target: print.id, now })
  const wants = await wantedParts(turn, made, print, record.parts)
  return { ...(same === undefined ? created(print.id) : present(print.id, ['was recorded here too'])), wants }
}

/** The same print as the agent told it to this server. */
async function findSame(
  { trx }: Turn,
  near: readonly PrintRow[],
  { filename, started_at }: ImportedPrint,
): Promise<PrintRow | undefined> {
  const alike = near.filter((print) => print.filename === filename && isSameStart(print.current_print_ts, started_at))
  for (const print of alike) if (!(await isTarget(trx, 'print', print.id))) return print
  return undefined
}

async function addPrint(
  turn: Turn,
  printerId: number,
  record: ImportedPrint,
  near: readonly PrintRow[],
): Promise<PrintRow> {
  const { trx, userId } = turn
  const file = record.g_code_file === null ? undefined : await findItem(trx, keyOf(turn, 'file', record.g_code_file))
  const columns = printColumns(record)
  return insertPrint(trx, {
    ...columns,
    ...{ printer_id: printerId, user_id: userId, g_code_file_id: file?.target_id ?? null },
    current_print_ts: freeTs(columns.started_at, new Set(near.map(({ current_print_ts }) => current_print_ts))),
  })
}

async function comparePrint(turn: Turn, item: ImportedItem, record: ImportedPrint): Promise<Outcome> {
  const { trx } = turn
  const print = item.target_id === null ? undefined : await findPrint(trx, item.target_id)
  if (print === undefined) return deletedHere()
  const theirs = changingColumns(record)
  const merged = mergeColumns(JSON.parse(item.record) as Columns, theirs, { ...print })
  await updatePrint(trx, print.id, merged.changes)
  await setItemRecord(trx, item.id, theirs)
  await linkFile(turn, print, record)
  return { ...compared(print.id, merged), wants: await wantedParts(turn, item, print, record.parts) }
}

/** A file may have come after the print: its bytes took another try. */
async function linkFile(turn: Turn, print: PrintRow, { g_code_file }: ImportedPrint): Promise<void> {
  if (print.g_code_file_id !== null || g_code_file === null) return
  const file = await findItem(turn.trx, keyOf(turn, 'file', g_code_file))
  if (file?.target_id) await updatePrint(turn.trx, print.id, { g_code_file_id: file.target_id })
}

const COLUMN_OF = { video: 'video_key', tagged_video: 'tagged_video_key', poster: 'poster_key' } as const

async function wantedParts(
  turn: Turn,
  printItem: ImportedItem,
  print: PrintRow,
  parts: readonly ImportedPart[],
): Promise<Outcome['wants']> {
  const wants: Outcome['wants'] = []
  for (const part of parts) {
    const found = await findItem(turn.trx, keyOf(turn, part.kind, part.source_id))
    if (found?.done_at != null) {
      if (part.kind === 'shot') await compareShot(turn, found, part)
      continue
    }
    const { answer, answered_at } = part
    const item = found ?? (await addPart(turn, printItem, part, { answer, answered_at }))
    const hasOwn = part.kind in COLUMN_OF && print[COLUMN_OF[part.kind as keyof typeof COLUMN_OF]] !== null
    if (hasOwn) await finishItem(turn.trx, item.id, print.id, turn.now)
    else wants.push({ ...wanted(part), item_id: turn.isDryRun ? null : item.id })
  }
  return wants
}

function addPart(turn: Turn, printItem: ImportedItem, part: ImportedPart, record: object): Promise<ImportedItem> {
  return insertItem(turn.trx, keyOf(turn, part.kind, part.source_id), { record, partOf: printItem.id, now: turn.now })
}

const wanted = ({ kind, source_id }: ImportedPart) => ({ item_id: null, kind, source_id })

/** An answer that was given there since, where none was given here. */
async function compareShot({ trx, userId }: Turn, item: ImportedItem, part: ImportedPart): Promise<void> {
  const shot = item.target_id === null ? undefined : await findVisibleFeedback(trx, userId, item.target_id)
  if (shot === undefined || shot.answer !== null || part.answer === null) return
  const answered_at = part.answered_at === null ? null : Date.parse(part.answered_at)
  await setFeedbackAnswer(trx, shot.id, { answer: part.answer, answered_at })
}
