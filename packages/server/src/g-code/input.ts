import { ApiError } from '../errors.js'
import { pathToNul } from '../http/nul.js'
import type { CheckedName } from './names.js'

/** One thing wrong with the input. */
export function issue(path: string, message: string): ApiError {
  return new ApiError('invalid_request', `${path}: ${message}`, { issues: [{ path, message }] })
}

/** The name as it is kept. @throws {ApiError} invalid_request, naming the field */
export function checkedName(text: string, check: (text: string) => CheckedName, path: string): string {
  const checked = check(text)
  if ('problem' in checked) throw issue(path, checked.problem)
  return checked.name
}

/** A text part of a form that has to be there. */
export function requiredText(fields: ReadonlyMap<string, string>, name: string, maxLength: number): string {
  const text = optionalText(fields, name, maxLength)
  if (text === undefined || text === '') throw issue(name, 'is required')
  return text
}

/** A text part of a form that may be left out. */
export function optionalText(fields: ReadonlyMap<string, string>, name: string, maxLength: number): string | undefined {
  const text = fields.get(name)
  if (text === undefined) return undefined
  if (text.length > maxLength) throw issue(name, `must have at most ${maxLength} characters`)
  if (pathToNul(text) !== undefined) throw issue(name, 'must not hold NUL')
  return text
}

/** A whole number that a form may name. */
export function amountOf(fields: ReadonlyMap<string, string>, name: string): number | null {
  const text = fields.get(name)
  if (text === undefined || text === '') return null
  const amount = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(amount)) throw issue(name, 'must be a whole number')
  return amount
}

/** A folder as a form names it: an id, or nothing for none. */
export function folderIdOf(text: string | undefined): number | null {
  if (text === undefined || text === '' || text === 'null') return null
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(id)) throw issue('parent_folder', 'must be the id of a folder')
  return id
}
