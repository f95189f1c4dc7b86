import { randomInt } from 'node:crypto'
import { ApiError } from '../errors.js'

const DIGITS = 6

/** Without letters and digits that are taken for one another. */
const PASSCODE_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const PASSCODE_LENGTH = 5

/** So often something new is drawn when what was drawn is in use: with a hundred thousand codes in use, once in a hundred thousand times in vain. */
const MAX_DRAWS = 5

const RETRY_SECONDS = 5

/** Six digits, zeros in front included. */
export const drawCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')

/** Five letters and digits. */
export const drawPasscode = (): string =>
  Array.from({ length: PASSCODE_LENGTH }, () => PASSCODE_LETTERS[randomInt(PASSCODE_LETTERS.length)]).join('')

/** Draws until `use` takes it. @throws {ApiError} unavailable */
export async function drawUntil<T>(draw: () => string, use: (drawn: string) => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < MAX_DRAWS; count += 1) {
    const used = await use(draw())
    if (used !== undefined) return used
  }
  throw new ApiError('unavailable', 'Too many codes are in use.', { retryAfterSeconds: RETRY_SECONDS })
}
