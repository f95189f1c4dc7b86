import { MAX_PRINTER_FILES, type PrinterFile, type PrinterFiles } from '@printwarden/protocol'

const MAX_PATH_CHARACTERS = 1000
/** The list travels in one message, which may have 1 MiB. */
const MAX_LIST_BYTES = 512 * 1024

/** The newest files, as they are told: one whose path cannot be told is left out. */
export function newestFiles(files: readonly PrinterFile[]): PrinterFiles {
  const told = files.filter(({ path }) => isPlainPath(path))
  const sorted = told.toSorted((a, b) => (b.date ?? 0) - (a.date ?? 0) || a.path.localeCompare(b.path))
  const listed = firstBytes(sorted.slice(0, MAX_PRINTER_FILES))
  return { files: listed, is_cut: listed.length < files.length }
}

/** As many from the front as the message has room for. */
function firstBytes(files: readonly PrinterFile[]): PrinterFile[] {
  let left = MAX_LIST_BYTES
  return files.filter((file) => (left -= Buffer.byteLength(JSON.stringify(file))) >= 0)
}

/**
 * Whether a path names a file below a folder and nothing else: hosts put it into addresses and lines of G-code. A leading slash is the
 * root of an SD card.
 */
export function isPlainPath(path: string): boolean {
  // oxlint-disable-next-line no-control-regex
  if (path.length === 0 || path.length > MAX_PATH_CHARACTERS || /[\x00-\x1f\x7f\\]/.test(path)) return false
  return path
    .replace(/^\//, '')
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..')
}
