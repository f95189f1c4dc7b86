import type { ImportedFile, ImportedFolder } from '@printwarden/protocol'
import { findReportedFile, findVisibleFile, insertFile } from '../g-code/file-store.js'
import { findFolderNamed, findVisibleFolder, insertFolder, lockTree } from '../g-code/folder-store.js'
import { isTooDeep } from '../g-code/folder-tree.js'
import { safeName, searchName } from '../g-code/names.js'
import { usableFileName, usableFolderName, type UsableName } from './names.js'
import { created, deletedHere, leftOut, type Outcome, present } from './outcome.js'
import { findItem, finishItem, type ImportedItem, insertItem } from './store.js'
import { keyOf, type Turn } from './turn.js'

const notesOf = ({ note }: UsableName): string[] => (note === undefined ? [] : [note])

/** A folder; one of the same name in the same place is the same. */
export async function importFolder(turn: Turn, record: ImportedFolder): Promise<Outcome> {
  const { trx, userId, now } = turn
  const key = keyOf(turn, 'folder', record.source_id)
  const item = await findItem(trx, key)
  if (item !== undefined) {
    const folder = await findVisibleFolder(trx, userId, item.target_id ?? 0)
    return folder === undefined ? deletedHere() : present(folder.id)
  }
  const usable = usableFolderName(record.name)
  const { folderId: parent_folder_id, notes } = await placeOf(turn, record.parent)
  const place = { parent_folder_id, safe_name: safeName(usable.name) }
  const tree = await lockTree(trx, userId)
  const same = await findFolderNamed(trx, userId, place)
  if (same === undefined && isTooDeep(tree, parent_folder_id)) return leftOut('it lies too deep; its files go up')
  const times = { created_at: now, updated_at: now }
  const names = { name: usable.name, search_name: searchName(usable.name) }
  const folder = same ?? (await insertFolder(trx, { ...place, ...names, ...times, user_id: userId }))
  await insertItem(trx, key, { record: {}, target: folder.id, now })
  const told = [...notesOf(usable), ...notes]
  return same === undefined ? created(folder.id, told) : present(folder.id, [...told, 'a folder of this name was here'])
}

/** Where something goes that lies in a folder there: what is not here is the uppermost place. */
export async function placeOf(
  turn: Turn,
  parent: number | null,
): Promise<{ readonly folderId: number | null; readonly notes: string[] }> {
  if (parent === null) return { folderId: null, notes: [] }
  const item = await findItem(turn.trx, keyOf(turn, 'folder', parent))
  if (item === undefined && turn.isDryRun) return { folderId: null, notes: [] }
  const folder = item?.target_id ? await findVisibleFolder(turn.trx, turn.userId, item.target_id) : undefined
  if (folder !== undefined) return { folderId: folder.id, notes: [] }
  return { folderId: null, notes: ['its folder is not here, so it lies in none'] }
}

/** A file whose bytes are still to come, or a record of one that has none. */
export async function importFile(turn: Turn, record: ImportedFile): Promise<Outcome> {
  const { trx, userId, now } = turn
  const key = keyOf(turn, 'file', record.source_id)
  const found = await findItem(trx, key)
  if (found?.done_at != null) {
    const file = await findVisibleFile(trx, userId, found.target_id ?? 0)
    return file === undefined && record.deleted_at === null ? deletedHere() : present(found.target_id)
  }
  const usable = usableFileName(record.filename)
  if (record.has_bytes) {
    const item = found ?? (await insertItem(trx, key, { record, now }))
    const item_id = turn.isDryRun ? null : item.id
    return { ...created(null, notesOf(usable)), wants: [{ item_id, kind: 'file', source_id: record.source_id }] }
  }
  return addRecord(turn, found, record, usable)
}

async function addRecord(
  turn: Turn,
  found: ImportedItem | undefined,
  record: ImportedFile,
  usable: UsableName,
): Promise<Outcome> {
  const { trx, userId, now } = turn
  const printer = record.resident_printer && (await findItem(trx, keyOf(turn, 'printer', record.resident_printer)))
  const resident_printer_id = printer ? printer.target_id : null
  const { folderId, notes } = await placeOf(turn, record.parent)
  const names = { filename: usable.name, safe_filename: safeName(usable.name), search_name: searchName(usable.name) }
  const { agent_signature } = record
  const known =
    agent_signature === null || resident_printer_id === null
      ? undefined
      : await findReportedFile(
          trx,
          { user_id: userId, printer_id: resident_printer_id },
          { safe_filename: names.safe_filename, agent_signature },
        )
  const file =
    known ??
    (await insertFile(trx, {
      ...names,
      ...{ user_id: userId, parent_folder_id: folderId, resident_printer_id, agent_signature },
      ...{ printer_path: resident_printer_id === null ? null : record.printer_path, blob_key: null, sha256: null },
      ...{ num_bytes: record.num_bytes, metadata_json: record.metadata_json },
      ...{ filament_total: record.filament_total, estimated_time: record.estimated_time },
      ...{ created_at: Date.parse(record.created_at), updated_at: now },
      // Nobody could print it: it is there for the prints that were made of it.
      deleted_at:
        record.deleted_at === null ? (resident_printer_id === null ? now : null) : Date.parse(record.deleted_at),
    }))
  if (found === undefined)
    await insertItem(trx, keyOf(turn, 'file', record.source_id), { record: {}, target: file.id, now })
  else await finishItem(trx, found.id, file.id, now)
  if (known !== undefined) return present(known.id, ['its printer told of it already'])
  return created(file.id, [...notesOf(usable), ...notes])
}
