import { z } from 'zod'

// In a path or a query everything is text. The `meta` of each says what the text stands for, so that the OpenAPI document, and
// the SDK with it, speak of numbers and booleans.

/** An id in a path: a positive integer. Anything else names nothing, so it answers 404. */
export const id = z
  .string()
  .regex(/^[1-9]\d{0,15}$/)
  .meta({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, pattern: undefined })
  .transform(Number)
  .refine(Number.isSafeInteger)

export const idParams = z.object({ id })

/** A boolean in a query. `z.coerce.boolean` would take "false" for true. */
export const queryBoolean = z
  .enum(['true', 'false'])
  .meta({ type: 'boolean', enum: undefined })
  .transform((text) => text === 'true')

/** A whole number in a query, from 0. */
export const queryCount = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .meta({ type: 'integer', minimum: 0, maximum: 999_999_999, pattern: undefined })
  .transform(Number)

/** How many to answer at most, in a query. */
export const queryLimit = (max: number) =>
  queryCount.refine((limit) => limit <= max, `must be at most ${max}`).meta({ maximum: max })

/** A text part of a form that says yes or no. */
export const formBoolean = z.enum(['true', 'false'])

/** More would not fit into the head of a request, of which Node reads 16 KiB. */
const MAX_IDS = 200

/** One or more ids in a query: `?x[]=1&x[]=2` or `?x=1`. */
export const queryIds = z
  .union([z.string(), z.array(z.string())])
  .meta({
    type: 'array',
    items: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    maxItems: MAX_IDS,
    anyOf: undefined,
  })
  .transform((value) => (Array.isArray(value) ? value : [value]))
  .pipe(z.array(id).max(MAX_IDS))

/** One or more of these words in a query: `?x[]=A&x[]=B` or `?x=A`. */
export function queryEnums<Words extends Readonly<Record<string, string>>>(word: z.ZodEnum<Words>) {
  return z
    .union([z.string(), z.array(z.string())])
    .meta({ type: 'array', items: { type: 'string', enum: word.options }, maxItems: 100, anyOf: undefined })
    .transform((value) => (Array.isArray(value) ? value : [value]))
    .pipe(z.array(word).max(100))
}

/** A day in a query, as `YYYY-MM-DD`. */
export const queryDate = z.iso
  .date({ error: 'must be a date (YYYY-MM-DD)', abort: true })
  .refine((date) => date >= '1900', 'must not be before 1900')

/** The name of a time zone in a query, such as `Europe/Berlin`. */
export const queryTimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be a time zone of the IANA database, such as Europe/Berlin or UTC')

function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en-US', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}
