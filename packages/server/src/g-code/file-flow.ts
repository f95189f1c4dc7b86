import type { Kysely } from 'kysely'
import type { Clock, Database } from '../ports.js'
import type { Tables } from '../tables.js'
import {
  deleteFiles,
  findReportedFile,
  findVisibleFile,
  type GCodeFileRow,
  insertFile,
  moveFiles,
  updateFile,
} from './file-store.js'
import { findVisibleFolder } from './folder-store.js'
import { checkedName, issue } from './input.js'
import { checkFileName, safeName, searchName } from './names.js'
import type { RemovalFlow } from './removal-flow.js'

export interface FileFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly removals: Pick<RemovalFlow, 'doom' | 'sweep'>
}

/** What is changed of a file; what is left out stays. */
export interface FileChanges {
  readonly filename?: string | undefined
  readonly parent_folder?: number | null | undefined
}

/** A file as an agent tells of it. */
export interface ReportedFile {
  readonly safe_filename: string
  readonly agent_signature: string
  readonly filename: string
  readonly num_bytes: number | null
  readonly printer_path: string | null
}

export type FileFlow = ReturnType<typeof fileFlow>

/** What users and agents do with the records of files. */
export function fileFlow({ database, clock, removals }: FileFlowDeps) {
  /** Renames and moves a file; undefined when it is not the user's. @throws {ApiError} invalid_request */
  async function update(userId: number, id: number, changes: FileChanges): Promise<GCodeFileRow | undefined> {
    const filename =
      changes.filename === undefined ? undefined : checkedName(changes.filename, checkFileName, 'filename')
    return database.transaction(async (trx) => {
      if ((await findVisibleFile(trx, userId, id)) === undefined) return undefined
      await requireFolder(trx, userId, changes.parent_folder ?? null)
      return updateFile(trx, userId, id, {
        ...(filename === undefined
          ? {}
          : { filename, safe_filename: safeName(filename), search_name: searchName(filename) }),
        ...(changes.parent_folder === undefined ? {} : { parent_folder_id: changes.parent_folder }),
        updated_at: clock.now(),
      })
    })
  }

  async function requireFolder(trx: Kysely<Tables>, userId: number, id: number | null): Promise<void> {
    if (id === null || (await findVisibleFolder(trx, userId, id)) !== undefined) return
    throw issue('parent_folder', 'there is no such folder')
  }

  /** Moves those of the files that are the user's. Says how many. */
  async function move(userId: number, ids: readonly number[], parent_folder_id: number | null): Promise<number> {
    return database.transaction(async (trx) => {
      await requireFolder(trx, userId, parent_folder_id)
      return moveFiles(trx, userId, ids, { parent_folder_id, updated_at: clock.now() })
    })
  }

  /** Deletes those of the files that are the user's, with their bytes. Says how many. */
  async function remove(userId: number, ids: readonly number[]): Promise<number> {
    const count = await database.transaction(async (trx) => {
      const deleted = await deleteFiles(trx, userId, ids, clock.now())
      await removals.doom(trx, deleted)
      return deleted.length
    })
    if (count > 0) await removals.sweep()
    return count
  }

  /** The record of the file that an agent tells of, made when there is none yet. */
  async function report(
    agent: { readonly user_id: number; readonly printer_id: number },
    told: ReportedFile,
  ): Promise<{ file: GCodeFileRow; isNew: boolean }> {
    return database.transaction(async (trx) => {
      const found = await findReportedFile(trx, agent, told)
      if (found !== undefined) return { file: found, isNew: false }
      const now = clock.now()
      const file = await insertFile(trx, {
        ...told,
        user_id: agent.user_id,
        parent_folder_id: null,
        resident_printer_id: agent.printer_id,
        search_name: searchName(told.filename),
        blob_key: null,
        sha256: null,
        metadata_json: null,
        filament_total: null,
        estimated_time: null,
        created_at: now,
        updated_at: now,
        deleted_at: null,
      })
      return { file, isNew: true }
    })
  }

  return { update, move, remove, report }
}
