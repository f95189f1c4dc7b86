// The short code that a device shows and a person types (RFC 8628, section 6.1).

/** No vowels, so that no words come out, and nothing that looks like something else. */
export const USER_CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'

/** Eight of twenty letters: 34 bits, with few tries and fifteen minutes for each. */
export const USER_CODE_LENGTH = 8

/** A code as it is shown: in two halves. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** What somebody typed, without what people add: blanks, dashes, small letters. */
export function plainUserCode(typed: string): string {
  return typed
    .slice(0, 40)
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '')
}
