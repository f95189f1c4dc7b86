import { issue } from './input.js'

/** The parts of an upload that are texts. */
export const UPLOAD_FIELDS = ['filename', 'parent_folder', 'path', 'print', 'printer_id']

/**
 * The printer that a form names: its id, alone or behind its name as slicers write it (`Left [7]`). Undefined when it names none.
 *
 * @throws {ApiError} invalid_request for what names none and is not empty
 */
export function printerIdOf(fields: ReadonlyMap<string, string>): string | undefined {
  const text = (fields.get('printer_id') ?? '').trim()
  if (text === '') return undefined
  const id = /^(?:.*\[)?([1-9]\d{0,15})(\]?)$/s.exec(text)
  if (id?.[1] === undefined || text.includes('[') !== (id[2] === ']')) {
    throw issue('printer_id', 'must be the id of a printer, alone or as in "Left [7]"')
  }
  return id[1]
}
