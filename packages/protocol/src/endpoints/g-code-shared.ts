import { z } from 'zod'
import { MAX_NAME_LENGTH } from '../g-code.js'
import { id } from './shared.js'

/** The most files or folders that one page holds (decision 6), and how many it holds unless stated. */
export const MAX_PAGE_SIZE = 200
export const DEFAULT_PAGE_SIZE = 20

const MAX_PAGE = 1_000_000_000

const wholeNumber = (max: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,9}$/, 'must be a whole number from 1')
    .transform(Number)
    .refine((value) => value <= max, `must be at most ${max}`)

/** Which page of a list, from 1. */
export const pageQuery = {
  page: wholeNumber(MAX_PAGE).meta({ type: 'integer', minimum: 1, pattern: undefined }).optional(),
  page_size: wholeNumber(MAX_PAGE_SIZE)
    .meta({ type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, pattern: undefined })
    .optional(),
}

/** A folder's id, or null for what lies in none. */
export const folderFilter = z
  .union([z.enum(['null', '']).transform(() => null), id], 'must be the id of a folder, or null')
  .meta({ type: ['integer', 'null'], minimum: 1, anyOf: undefined })

/** How an agent knows a file. */
export const fileIdQuery = {
  safe_filename: z.string().max(MAX_NAME_LENGTH).optional(),
  agent_signature: z.string().max(256).optional(),
}

/** Ids of what is deleted or moved together. */
export const bulkIds = z.array(z.int()).max(1000)
