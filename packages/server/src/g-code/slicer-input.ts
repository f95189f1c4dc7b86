import { issue } from './input.js'

/** The form of an upload, by the names of its parts. */
export const SLICER_FIELDS = ['path', 'print', 'select']

/** Whether the slicer wants the file printed at once. */
export function wantsPrint(fields: ReadonlyMap<string, string>): boolean {
  const text = fields.get('print') ?? ''
  if (['true', 'True', 'yes', '1'].includes(text)) return true
  if (['', 'false', 'False', 'no', '0'].includes(text)) return false
  throw issue('print', 'must be true or false')
}

/** The names of the folders that a slicer's `path` leads through, from the outermost. */
export function folderNamesOf(path: string): string[] {
  return path.split(/[/\\]/).filter((name) => name.trim() !== '' && name !== '.')
}
