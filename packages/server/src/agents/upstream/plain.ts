/**
 * A JSON object, as the parser gives it. Whoever reads a message owns it and changes it in place: copies of every part would cost more
 * than all the rest of the reading.
 */
export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isEmpty = (fields: Fields): boolean => {
  for (const _ in fields) return false
  return true
}

/**
 * Takes the nulls out of an object, at any depth, in place; says whether there were some. They become undefined, which no JSON shows:
 * an object that has lost fields is slow to read.
 */
export function dropNulls(fields: Fields, except?: ReadonlySet<string>): boolean {
  let found = false
  for (const key in fields) {
    const value = fields[key]
    if (value === null && except?.has(key) !== true) {
      fields[key] = undefined
      found = true
    } else if (typeof value === 'object' && value !== null && except?.has(key) !== true) {
      found = dropNullsWithin(value) || found
    }
  }
  return found
}

function dropNullsWithin(value: object): boolean {
  if (!Array.isArray(value)) return dropNulls(value as Fields)
  let found = false
  for (const item of value) {
    if (typeof item === 'object' && item !== null) found = dropNullsWithin(item) || found
  }
  return found
}
