import type { GCodeFileFlat, GCodeFileSaved, GCodeFolder, GCodeFolderFlat } from '@printwarden/protocol'
import { z } from 'zod'
import type { GCodeFileRow } from './file-store.js'
import type { GCodeFolderRecord } from './folder-store.js'

/** Makes the absolute, signed URL of a blob. */
export type MediaUrl = (key: string, filename?: string) => string

const instant = (ms: number): string => new Date(ms).toISOString()

const Keys = z.array(z.string())

/** The blob keys of a file's pictures, the largest first. */
export function thumbnailKeysOf({ thumbnail_keys }: Pick<GCodeFileRow, 'thumbnail_keys'>): string[] {
  return Keys.parse(JSON.parse(thumbnail_keys))
}

/** A file as an answer to a change. */
export function savedFileView(file: GCodeFileRow, mediaUrl: MediaUrl): GCodeFileSaved {
  const thumbnails = thumbnailKeysOf(file).map((key) => mediaUrl(key))
  return {
    id: file.id,
    parent_folder: file.parent_folder_id,
    deleted: file.deleted_at === null ? null : instant(file.deleted_at),
    deleted_by_cascade: file.deleted_by_cascade !== 0,
    filename: file.filename,
    safe_filename: file.safe_filename,
    url: file.blob_key === null ? file.printer_path : mediaUrl(file.blob_key, file.filename),
    num_bytes: file.num_bytes,
    sha256: file.sha256,
    agent_signature: file.agent_signature,
    metadata_json: file.metadata_json,
    filament_total: file.filament_total,
    estimated_time: file.estimated_time,
    thumbnail1_url: thumbnails[0] ?? null,
    thumbnail2_url: thumbnails[1] ?? null,
    thumbnail3_url: thumbnails[2] ?? null,
    created_at: instant(file.created_at),
    updated_at: instant(file.updated_at),
    resident_printer: file.resident_printer_id,
  }
}

/** A file inside a print. */
export function flatFileView(file: GCodeFileRow, mediaUrl: MediaUrl): GCodeFileFlat {
  return { ...savedFileView(file, mediaUrl), user: file.user_id }
}

/** A folder whose parent is told by its id. */
export function flatFolderView(folder: GCodeFolderRecord): GCodeFolderFlat {
  return {
    id: folder.id,
    name: folder.name,
    safe_name: folder.safe_name,
    parent_folder: folder.parent_folder_id,
    g_code_folder_count: folder.g_code_folder_count,
    g_code_file_count: folder.g_code_file_count,
    created_at: instant(folder.created_at),
    updated_at: instant(folder.updated_at),
  }
}

/** A folder with the one it lies in. */
export function folderView(folder: GCodeFolderRecord, parents: ReadonlyMap<number, GCodeFolderRecord>): GCodeFolder {
  const parent = folder.parent_folder_id === null ? undefined : parents.get(folder.parent_folder_id)
  return { ...flatFolderView(folder), parent_folder: parent === undefined ? null : flatFolderView(parent) }
}
