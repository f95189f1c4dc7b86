import { safeName, searchName } from './names.js'

/** The query of `GET /api/v1/g_code_files/`, as the endpoint's schema gives it. */
export interface FilesQuery {
  readonly sorting?: `${FileSorting['by']}_${FileSorting['order']}` | undefined
  readonly q?: string | undefined
  readonly parent_folder?: number | null | undefined
  readonly resident_printer?: number | undefined
  readonly safe_filename?: string | undefined
  readonly agent_signature?: string | undefined
}

/** Which files: all pages together. undefined means that it does not matter. */
export interface FileSelection {
  /** null for those stored here. */
  readonly printerId: number | null | undefined
  /** null for those in no folder. */
  readonly folderId: number | null | undefined
  /** A part of their names, in lower case; empty for any. */
  readonly search: string
  readonly signature: { readonly safe_filename: string; readonly agent_signature: string } | undefined
}

export interface FileSorting {
  readonly by: 'created_at' | 'num_bytes' | 'filename'
  readonly order: 'asc' | 'desc'
}

export function fileSelectionOf(query: FilesQuery): FileSelection {
  const { safe_filename, agent_signature } = query
  return {
    printerId: query.resident_printer ?? null,
    folderId: query.parent_folder,
    search: searchName(query.q ?? ''),
    signature:
      safe_filename === undefined || agent_signature === undefined
        ? undefined
        : { safe_filename: safeName(safe_filename), agent_signature },
  }
}

const FILE_SORTINGS: Record<NonNullable<FilesQuery['sorting']>, FileSorting> = {
  created_at_desc: { by: 'created_at', order: 'desc' },
  created_at_asc: { by: 'created_at', order: 'asc' },
  num_bytes_desc: { by: 'num_bytes', order: 'desc' },
  num_bytes_asc: { by: 'num_bytes', order: 'asc' },
  filename_desc: { by: 'filename', order: 'desc' },
  filename_asc: { by: 'filename', order: 'asc' },
}

export function fileSortingOf(sorting: FilesQuery['sorting']): FileSorting {
  return FILE_SORTINGS[sorting ?? 'created_at_desc']
}

/** The query of `GET /api/v1/g_code_folders/`. */
export interface FoldersQuery {
  readonly sorting?: `${FolderSorting['by']}_${FolderSorting['order']}` | undefined
  readonly q?: string | undefined
  readonly parent_folder?: number | null | undefined
}

export interface FolderSelection {
  /** null for those in no other. */
  readonly parentId: number | null | undefined
  readonly search: string
}

export interface FolderSorting {
  readonly by: 'created_at' | 'name'
  readonly order: 'asc' | 'desc'
}

export function folderSelectionOf({ parent_folder, q }: FoldersQuery): FolderSelection {
  return { parentId: parent_folder, search: searchName(q ?? '') }
}

const FOLDER_SORTINGS: Record<NonNullable<FoldersQuery['sorting']>, FolderSorting> = {
  created_at_desc: { by: 'created_at', order: 'desc' },
  created_at_asc: { by: 'created_at', order: 'asc' },
  name_desc: { by: 'name', order: 'desc' },
  name_asc: { by: 'name', order: 'asc' },
}

export function folderSortingOf(sorting: FoldersQuery['sorting']): FolderSorting {
  return FOLDER_SORTINGS[sorting ?? 'created_at_desc']
}
