import { z } from 'zod'

// What is stored of G-code: files, and the folders they lie in. The file as lists show it, with its prints, is in g-code-file.ts.

const timestamp = z.iso.datetime()
const id = z.int().positive()

/** The longest name of a file or folder, in characters. */
export const MAX_NAME_LENGTH = 1000

const folderOwnFields = {
  id,
  name: z.string(),
  safe_name: z.string(),
  g_code_folder_count: z.int().nonnegative(),
  g_code_file_count: z.int().nonnegative(),
  created_at: timestamp,
  updated_at: timestamp,
}

/** A folder whose parent is told by its id: as an answer to a change, and as the parent of something else. */
export const GCodeFolderFlat = z
  .object({ ...folderOwnFields, parent_folder: id.nullable() })
  .meta({ id: 'GCodeFolderFlat' })
export type GCodeFolderFlat = z.infer<typeof GCodeFolderFlat>

/** A folder with its parent, whose own parent is an id. */
export const GCodeFolder = z
  .object({ ...folderOwnFields, parent_folder: GCodeFolderFlat.nullable() })
  .meta({ id: 'GCodeFolder' })
export type GCodeFolder = z.infer<typeof GCodeFolder>

/** What every form of a file holds. */
export const gCodeFileOwnFields = {
  id,
  /** When it was deleted: its bytes are gone, old prints still show it. */
  deleted: timestamp.nullable(),
  /** Whether it went with its folder. */
  deleted_by_cascade: z.boolean(),
  filename: z.string(),
  /** The name with `_` in place of everything but letters, digits, `_` and `.`. */
  safe_filename: z.string(),
  /** Absolute and signed: whoever holds it may fetch the file, until it expires. For files on a printer: the path there. */
  url: z.string().nullable(),
  num_bytes: z.int().nonnegative().nullable(),
  /** SHA-256 of the bytes, hexadecimal; null for files on a printer. */
  sha256: z.string().nullable(),
  agent_signature: z.string().nullable(),
  /** What the slicer wrote about it, as JSON text. */
  metadata_json: z.string().nullable(),
  /** Millimetres. */
  filament_total: z.number().nullable(),
  /** Seconds. */
  estimated_time: z.number().nullable(),
  thumbnail1_url: z.string().nullable(),
  thumbnail2_url: z.string().nullable(),
  thumbnail3_url: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
  /** The printer on which it lies; null when this server stores it. */
  resident_printer: id.nullable(),
} as const

/** A file as an answer to a change. */
export const GCodeFileSaved = z
  .object({ ...gCodeFileOwnFields, parent_folder: id.nullable() })
  .meta({ id: 'GCodeFileSaved' })
export type GCodeFileSaved = z.infer<typeof GCodeFileSaved>

/** A file that was just uploaded. `print` says on which printer it begins, where that was wished for. */
export const GCodeFileUploaded = GCodeFileSaved.extend({
  print: z.object({ printer_id: id, command_id: z.string().nullable() }).optional(),
}).meta({ id: 'GCodeFileUploaded' })
export type GCodeFileUploaded = z.infer<typeof GCodeFileUploaded>

/** A file inside a print. */
export const GCodeFileFlat = z
  .object({ ...gCodeFileOwnFields, parent_folder: id.nullable(), user: id })
  .meta({ id: 'GCodeFileFlat' })
export type GCodeFileFlat = z.infer<typeof GCodeFileFlat>
