import type { Kysely } from 'kysely'
import type { Clock, Database } from '../ports.js'
import type { Tables } from '../tables.js'
import { deleteFilesIn } from './file-store.js'
import {
  deleteFolders,
  findVisibleFolder,
  type GCodeFolderRecord,
  insertFolder,
  isNameTaken,
  lockTree,
  updateFolder,
} from './folder-store.js'
import { isTooDeep, MAX_DEPTH, type MoveProblem, moveProblem, type Placed, subtreeOf } from './folder-tree.js'
import { checkedName, issue } from './input.js'
import { checkFolderName, safeName, searchName } from './names.js'
import type { RemovalFlow } from './removal-flow.js'

export interface FolderFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly removals: Pick<RemovalFlow, 'doom' | 'sweep'>
}

/** What is changed of a folder; what is left out stays. */
export interface FolderChanges {
  readonly name?: string | undefined
  readonly parent_folder?: number | null | undefined
}

export type FolderFlow = ReturnType<typeof folderFlow>

const TOO_DEEP = `folders may lie ${MAX_DEPTH} deep in each other`
const PROBLEMS: Record<MoveProblem, string> = {
  cycle: 'a folder cannot lie in itself or in a folder inside it',
  too_deep: TOO_DEEP,
}
const TAKEN = 'there is another folder of this name'

/** What users do with folders. Each change is one transaction that looks at the whole tree, so that it stays one. */
export function folderFlow({ database, clock, removals }: FolderFlowDeps) {
  /** Runs `work` while nobody else changes where the user's folders lie. */
  function change<T>(userId: number, work: (trx: Kysely<Tables>, tree: readonly Placed[]) => Promise<T>): Promise<T> {
    return database.transaction(async (trx) => work(trx, await lockTree(trx, userId)))
  }

  /** @throws {ApiError} invalid_request for a name or parent that cannot be */
  async function create(
    userId: number,
    { name: text, parent_folder: parent_folder_id = null }: FolderChanges & { readonly name: string },
  ): Promise<GCodeFolderRecord> {
    const name = checkedName(text, checkFolderName, 'name')
    return change(userId, async (trx, tree) => {
      requireParent(tree, parent_folder_id)
      if (isTooDeep(tree, parent_folder_id)) throw issue('parent_folder', TOO_DEEP)
      const place = { parent_folder_id, safe_name: safeName(name) }
      if (await isNameTaken(trx, userId, place, [])) throw issue('name', TAKEN)
      const now = clock.now()
      const row = { ...place, user_id: userId, name, search_name: searchName(name), created_at: now, updated_at: now }
      return { ...(await insertFolder(trx, row)), g_code_folder_count: 0, g_code_file_count: 0 }
    })
  }

  /** Renames and moves a folder; undefined when it is not the user's. */
  async function update(userId: number, id: number, changes: FolderChanges): Promise<GCodeFolderRecord | undefined> {
    const name = changes.name === undefined ? undefined : checkedName(changes.name, checkFolderName, 'name')
    return change(userId, async (trx, tree) => {
      const folder = await findVisibleFolder(trx, userId, id)
      if (folder === undefined) return undefined
      const target = changes.parent_folder === undefined ? folder.parent_folder_id : changes.parent_folder
      requireParent(tree, target)
      requireMove(tree, [id], target)
      const place = { parent_folder_id: target, safe_name: safeName(name ?? folder.name) }
      const field = name === undefined ? 'parent_folder' : 'name'
      if (await isNameTaken(trx, userId, place, [id])) throw issue(field, TAKEN)
      const named = name === undefined ? {} : { name, search_name: searchName(name) }
      await updateFolder(trx, userId, id, { ...place, ...named, updated_at: clock.now() })
      return findVisibleFolder(trx, userId, id)
    })
  }

  /** Moves those of the folders that are the user's: all of them, or none. Says how many. */
  async function move(userId: number, ids: readonly number[], target: number | null): Promise<number> {
    return change(userId, async (trx, tree) => {
      const own = ownIds(tree, ids)
      requireParent(tree, target)
      requireMove(tree, own, target)
      const names = new Set<string>()
      for (const id of own) {
        const folder = await findVisibleFolder(trx, userId, id)
        if (folder === undefined) continue
        const place = { parent_folder_id: target, safe_name: folder.safe_name }
        const isTaken = names.has(folder.safe_name) || (await isNameTaken(trx, userId, place, own))
        if (isTaken) throw issue('parent_folder', `${TAKEN}: ${folder.name}`)
        names.add(folder.safe_name)
        await updateFolder(trx, userId, id, { parent_folder_id: target, updated_at: clock.now() })
      }
      return own.length
    })
  }

  /** Deletes those of the folders that are the user's, with everything in them. Says how many of those named there were. */
  async function remove(userId: number, ids: readonly number[]): Promise<number> {
    const count = await change(userId, async (trx, tree) => {
      const own = ownIds(tree, ids)
      const doomed = [...subtreeOf(tree, own)]
      await removals.doom(trx, await deleteFilesIn(trx, doomed, clock.now()))
      await deleteFolders(trx, doomed)
      return own.length
    })
    if (count > 0) await removals.sweep()
    return count
  }

  return { create, update, move, remove }
}

function ownIds(tree: readonly Placed[], ids: readonly number[]): number[] {
  const named = new Set(ids)
  return tree.map(({ id }) => id).filter((id) => named.has(id))
}

function requireParent(tree: readonly Placed[], id: number | null): void {
  if (id !== null && !tree.some((folder) => folder.id === id)) throw issue('parent_folder', 'there is no such folder')
}

function requireMove(tree: readonly Placed[], ids: readonly number[], target: number | null): void {
  const problem = moveProblem(tree, ids, target)
  if (problem !== undefined) throw issue('parent_folder', PROBLEMS[problem])
}
