import type { Expression, ExpressionBuilder, Insertable, Kysely, Selectable, SqlBool, Updateable } from 'kysely'
import { sql } from 'kysely'
import type { GCodeFoldersTable, Tables } from '../tables.js'
import type { Placed } from './folder-tree.js'
import type { FolderSelection, FolderSorting } from './listing.js'
import { offsetOf, type Page } from './paging.js'

export type GCodeFolderRow = Selectable<GCodeFoldersTable>

/** A folder as it is shown: with how much lies directly in it. */
export type GCodeFolderRecord = GCodeFolderRow & {
  readonly g_code_folder_count: number
  readonly g_code_file_count: number
}

type Builder = ExpressionBuilder<Tables, 'g_code_folders'>

const countFolders = (eb: Builder) =>
  eb
    .selectFrom('g_code_folders as inner')
    .select((inner) => inner.fn.countAll<number>().as('count'))
    .whereRef('inner.parent_folder_id', '=', 'g_code_folders.id')
    .$asScalar()

const countFiles = (eb: Builder) =>
  eb
    .selectFrom('g_code_files')
    .select((inner) => inner.fn.countAll<number>().as('count'))
    .whereRef('g_code_files.parent_folder_id', '=', 'g_code_folders.id')
    .where('g_code_files.deleted_at', 'is', null)
    .$asScalar()

const recordsQuery = (db: Kysely<Tables>, userId: number) =>
  db
    .selectFrom('g_code_folders')
    .selectAll('g_code_folders')
    .select((eb) => [countFolders(eb).as('g_code_folder_count'), countFiles(eb).as('g_code_file_count')])
    .where('g_code_folders.user_id', '=', userId)

/** The folder, when it is the user's. */
export async function findVisibleFolder(
  db: Kysely<Tables>,
  userId: number,
  id: number,
): Promise<GCodeFolderRecord | undefined> {
  return recordsQuery(db, userId).where('g_code_folders.id', '=', id).executeTakeFirst()
}

/** Those of the folders that are the user's: the parents of what is listed. */
export async function listFoldersByIds(
  db: Kysely<Tables>,
  userId: number,
  ids: readonly number[],
): Promise<GCodeFolderRecord[]> {
  if (ids.length === 0) return []
  return recordsQuery(db, userId).where('g_code_folders.id', 'in', ids).execute()
}

function isSelected(eb: Builder, { parentId, search }: FolderSelection) {
  const conditions: Expression<SqlBool>[] = []
  if (parentId !== undefined) {
    const parent = 'g_code_folders.parent_folder_id'
    conditions.push(parentId === null ? eb(parent, 'is', null) : eb(parent, '=', parentId))
  }
  if (search !== '') {
    const pattern = `%${search.replaceAll(/[!%_]/g, '!$&')}%`
    conditions.push(sql<SqlBool>`g_code_folders.search_name like ${pattern} escape '!'`)
  }
  return eb.and(conditions)
}

/** One page of the user's folders. */
export async function listFolders(
  db: Kysely<Tables>,
  userId: number,
  selection: FolderSelection,
  { by, order }: FolderSorting,
  page: Page,
): Promise<GCodeFolderRecord[]> {
  return recordsQuery(db, userId)
    .where((eb) => isSelected(eb, selection))
    .orderBy(by === 'name' ? 'g_code_folders.name' : 'g_code_folders.created_at', order)
    .orderBy('g_code_folders.id', order)
    .limit(page.page_size)
    .offset(offsetOf(page))
    .execute()
}

/** How many folders all pages hold together. */
export async function countSelectedFolders(
  db: Kysely<Tables>,
  userId: number,
  selection: FolderSelection,
): Promise<number> {
  const query = db.selectFrom('g_code_folders').select((eb) => eb.fn.countAll<number>().as('count'))
  const those = query.where('user_id', '=', userId).where((eb) => isSelected(eb, selection))
  return (await those.executeTakeFirstOrThrow()).count
}

/**
 * Where each of the user's folders lies. In a transaction nobody else can move one until it ends: on engines that let transactions
 * overlap, two moves that are fine each alone could close a circle together.
 */
export async function lockTree(trx: Kysely<Tables>, userId: number): Promise<Placed[]> {
  const query = trx.updateTable('g_code_folders').set((eb) => ({ user_id: eb.ref('user_id') }))
  return query.where('user_id', '=', userId).returning(['id', 'parent_folder_id']).execute()
}

/** Whether the user has another folder of this name in this place. */
export async function isNameTaken(
  trx: Kysely<Tables>,
  userId: number,
  { parent_folder_id, safe_name }: { readonly parent_folder_id: number | null; readonly safe_name: string },
  exceptIds: readonly number[],
): Promise<boolean> {
  const query = trx.selectFrom('g_code_folders').select('id').where('user_id', '=', userId)
  const there = query
    .where('safe_name', '=', safe_name)
    .where((eb) =>
      parent_folder_id === null ? eb('parent_folder_id', 'is', null) : eb('parent_folder_id', '=', parent_folder_id),
    )
  return (await there.execute()).some(({ id }) => !exceptIds.includes(id))
}

/** The user's folder of this name in this place. */
export async function findFolderNamed(
  db: Kysely<Tables>,
  userId: number,
  { parent_folder_id, safe_name }: { readonly parent_folder_id: number | null; readonly safe_name: string },
): Promise<GCodeFolderRow | undefined> {
  const query = db.selectFrom('g_code_folders').selectAll().where('user_id', '=', userId)
  const there = query.where('safe_name', '=', safe_name)
  const parent = 'parent_folder_id'
  return there
    .where((eb) => (parent_folder_id === null ? eb(parent, 'is', null) : eb(parent, '=', parent_folder_id)))
    .executeTakeFirst()
}

export async function insertFolder(db: Kysely<Tables>, row: Insertable<GCodeFoldersTable>): Promise<GCodeFolderRow> {
  return db.insertInto('g_code_folders').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Changes the user's folder. */
export async function updateFolder(
  db: Kysely<Tables>,
  userId: number,
  id: number,
  changes: Updateable<GCodeFoldersTable>,
): Promise<void> {
  await db.updateTable('g_code_folders').set(changes).where('id', '=', id).where('user_id', '=', userId).execute()
}

/** Removes folders; what lies in them has to be gone. */
export async function deleteFolders(trx: Kysely<Tables>, ids: readonly number[]): Promise<void> {
  for (let start = 0; start < ids.length; start += 500) {
    await trx
      .deleteFrom('g_code_folders')
      .where('id', 'in', ids.slice(start, start + 500))
      .execute()
  }
}
