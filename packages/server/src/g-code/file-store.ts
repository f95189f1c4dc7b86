import type { Expression, ExpressionBuilder, Insertable, Kysely, Selectable, SqlBool, Updateable } from 'kysely'
import { sql } from 'kysely'
import type { GCodeFilesTable, Tables } from '../tables.js'
import type { FileSelection, FileSorting } from './listing.js'
import { offsetOf, type Page } from './paging.js'

export type GCodeFileRow = Selectable<GCodeFilesTable>

/** How many ids go into one statement: engines limit its parameters. */
const CHUNK = 500

const chunksOf = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, index) => ids.slice(index * CHUNK, (index + 1) * CHUNK))

/** The file, when it is the user's and not deleted. */
export async function findVisibleFile(
  db: Kysely<Tables>,
  userId: number,
  id: number,
): Promise<GCodeFileRow | undefined> {
  const query = db.selectFrom('g_code_files').selectAll().where('id', '=', id)
  return query.where('user_id', '=', userId).where('deleted_at', 'is', null).executeTakeFirst()
}

function isSelected(eb: ExpressionBuilder<Tables, 'g_code_files'>, userId: number, selection: FileSelection) {
  const conditions: Expression<SqlBool>[] = [eb('user_id', '=', userId), eb('deleted_at', 'is', null)]
  const { printerId, folderId, search, signature } = selection
  if (printerId !== undefined) {
    conditions.push(
      printerId === null ? eb('resident_printer_id', 'is', null) : eb('resident_printer_id', '=', printerId),
    )
  }
  if (folderId !== undefined) {
    conditions.push(folderId === null ? eb('parent_folder_id', 'is', null) : eb('parent_folder_id', '=', folderId))
  }
  if (search !== '') conditions.push(sql<SqlBool>`search_name like ${likePattern(search)} escape '!'`)
  if (signature !== undefined) {
    conditions.push(eb('safe_filename', '=', signature.safe_filename))
    conditions.push(eb('agent_signature', '=', signature.agent_signature))
  }
  return eb.and(conditions)
}

/** A text as `LIKE` finds it anywhere: what stands for other characters there stands for itself. */
const likePattern = (text: string): string => `%${text.replaceAll(/[!%_]/g, '!$&')}%`

const COLUMN_OF: Record<FileSorting['by'], 'created_at' | 'num_bytes' | 'filename'> = {
  created_at: 'created_at',
  num_bytes: 'num_bytes',
  filename: 'filename',
}

/** The query behind `listFiles`, so that a test can ask the engine for its plan. */
export function filesQuery(
  db: Kysely<Tables>,
  userId: number,
  selection: FileSelection,
  { by, order }: FileSorting,
  page: Page,
) {
  return db
    .selectFrom('g_code_files')
    .selectAll()
    .where((eb) => isSelected(eb, userId, selection))
    .orderBy(COLUMN_OF[by], order)
    .orderBy('id', order)
    .limit(page.page_size)
    .offset(offsetOf(page))
}

/** One page of the user's files. */
export async function listFiles(
  db: Kysely<Tables>,
  userId: number,
  selection: FileSelection,
  sorting: FileSorting,
  page: Page,
): Promise<GCodeFileRow[]> {
  return filesQuery(db, userId, selection, sorting, page).execute()
}

/** How many files all pages hold together. */
export async function countFiles(db: Kysely<Tables>, userId: number, selection: FileSelection): Promise<number> {
  const query = db.selectFrom('g_code_files').select((eb) => eb.fn.countAll<number>().as('count'))
  const { count } = await query.where((eb) => isSelected(eb, userId, selection)).executeTakeFirstOrThrow()
  return count
}

export async function insertFile(db: Kysely<Tables>, row: Insertable<GCodeFilesTable>): Promise<GCodeFileRow> {
  return db.insertInto('g_code_files').values(row).returningAll().executeTakeFirstOrThrow()
}

/** A stored file of the user's of the same name, in the same folder, with the same bytes. */
export async function findStoredTwin(
  db: Kysely<Tables>,
  userId: number,
  file: { readonly folderId: number | null; readonly filename: string; readonly sha256: string },
): Promise<GCodeFileRow | undefined> {
  const query = db.selectFrom('g_code_files').selectAll().where('user_id', '=', userId).where('deleted_at', 'is', null)
  const { folderId } = file
  return query
    .where('parent_folder_id', folderId === null ? 'is' : '=', folderId)
    .where('filename', '=', file.filename)
    .where('sha256', '=', file.sha256)
    .where('blob_key', 'is not', null)
    .limit(1)
    .executeTakeFirst()
}

/** Changes the user's file; undefined when there is none. */
export async function updateFile(
  db: Kysely<Tables>,
  userId: number,
  id: number,
  changes: Updateable<GCodeFilesTable>,
): Promise<GCodeFileRow | undefined> {
  const query = db.updateTable('g_code_files').set(changes).where('id', '=', id).where('user_id', '=', userId)
  return query.where('deleted_at', 'is', null).returningAll().executeTakeFirst()
}

/** Moves those of the files that are the user's and stored here. Says how many. */
export async function moveFiles(
  trx: Kysely<Tables>,
  userId: number,
  ids: readonly number[],
  changes: { parent_folder_id: number | null; updated_at: number },
): Promise<number> {
  let moved = 0
  for (const chunk of chunksOf([...new Set(ids)])) {
    const query = trx.updateTable('g_code_files').set(changes).where('user_id', '=', userId)
    const result = await query.where('id', 'in', chunk).where('deleted_at', 'is', null).executeTakeFirst()
    moved += Number(result.numUpdatedRows)
  }
  return moved
}

/** What was deleted: the blobs that are nobody's now. */
export interface DeletedFile {
  readonly id: number
  readonly blob_key: string | null
  readonly thumbnail_keys: string
}

const DELETED_COLUMNS = ['id', 'blob_key', 'thumbnail_keys'] as const

/** Marks those of the files as deleted that are the user's. Their blobs are still named: {@link forgetBlobs} comes next. */
export async function deleteFiles(
  trx: Kysely<Tables>,
  userId: number,
  ids: readonly number[],
  at: number,
): Promise<DeletedFile[]> {
  const deleted: DeletedFile[] = []
  for (const chunk of chunksOf([...new Set(ids)])) {
    const query = trx.updateTable('g_code_files').set({ deleted_at: at, updated_at: at }).where('user_id', '=', userId)
    const those = query.where('id', 'in', chunk).where('deleted_at', 'is', null)
    deleted.push(...(await those.returning(DELETED_COLUMNS).execute()))
  }
  return deleted
}

/** Marks everything in these folders as deleted along with them. */
export async function deleteFilesIn(
  trx: Kysely<Tables>,
  folderIds: readonly number[],
  at: number,
): Promise<DeletedFile[]> {
  const deleted: DeletedFile[] = []
  for (const chunk of chunksOf(folderIds)) {
    const changes = { deleted_at: at, updated_at: at, deleted_by_cascade: 1 }
    const query = trx.updateTable('g_code_files').set(changes).where('parent_folder_id', 'in', chunk)
    deleted.push(...(await query.where('deleted_at', 'is', null).returning(DELETED_COLUMNS).execute()))
  }
  return deleted
}

/** Takes the names of their blobs from deleted files. */
export async function forgetBlobs(trx: Kysely<Tables>, ids: readonly number[]): Promise<void> {
  for (const chunk of chunksOf(ids)) {
    const query = trx.updateTable('g_code_files').set({ blob_key: null, thumbnail_keys: '[]' })
    await query.where('id', 'in', chunk).execute()
  }
}

/** The file that an agent means: by its signature, on this printer or stored here (wire facts, section 2.1). Stored ones first. */
export async function findReportedFile(
  db: Kysely<Tables>,
  { user_id, printer_id }: { readonly user_id: number; readonly printer_id: number },
  { safe_filename, agent_signature }: { readonly safe_filename: string; readonly agent_signature: string },
): Promise<GCodeFileRow | undefined> {
  return db
    .selectFrom('g_code_files')
    .selectAll()
    .where('user_id', '=', user_id)
    .where('safe_filename', '=', safe_filename)
    .where('agent_signature', '=', agent_signature)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('resident_printer_id', '=', printer_id), eb('resident_printer_id', 'is', null)]))
    .orderBy(sql`case when resident_printer_id is null then 0 else 1 end`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}
