import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { Timestamp } from '../resources.js'

const tag = 'administration'

/** Days and bytes; null means that there is no limit. */
const limit = z.int().nullable()

/** A print whose videos and kept pictures go, and why. */
const ExpiredPrint = z
  .object({
    print_id: z.int().positive(),
    filename: z.string(),
    outcome: z.enum(['finished', 'cancelled', 'failed']),
    ended_at: Timestamp,
    bytes: z.int(),
    reason: z.enum(['age', 'size']),
  })
  .meta({ id: 'ExpiredPrint' })

/** What retention takes away: the limits, how much is kept in all, and the prints that lose their videos. */
export const Retention = z
  .object({
    limits: z.object({ finished_days: limit, cancelled_days: limit, failed_days: limit, bytes: limit }),
    kept_bytes: z.int(),
    freed_bytes: z.int(),
    prints: z.array(ExpiredPrint),
  })
  .meta({ id: 'Retention' })
export type Retention = z.infer<typeof Retention>

export const getRetention = defineEndpoint({
  id: 'getRetention',
  method: 'GET',
  path: '/api/v1/admin/retention/',
  tag,
  summary: 'What retention would take away now',
  description: 'Removes nothing. Of a print that is taken the row, its history and its predictions stay.',
  access: 'admin',
  output: Retention,
})

export const applyRetention = defineEndpoint({
  id: 'applyRetention',
  method: 'POST',
  path: '/api/v1/admin/retention/',
  tag,
  summary: 'Take away what retention takes, now',
  description: 'Runs by itself once a day. The answer is what went.',
  access: 'admin',
  output: Retention,
})
