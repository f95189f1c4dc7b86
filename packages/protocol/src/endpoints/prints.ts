import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { PredictionJson } from '../prediction.js'
import { Print, PrintChanges, PrintStats } from '../resources.js'
import { idParams, queryCount, queryDate, queryIds, queryLimit, queryTimeZone } from './shared.js'

const tag = 'prints'

/** The most prints that one answer holds (decision 6). */
export const MAX_PRINTS = 500

/** The most prints that one call deletes. */
export const MAX_BULK_PRINTS = 1000

/** What a print may still need from its user. */
const NEEDS = ['need_alert_overwrite', 'need_print_shot_feedback'] as const

const filters = {
  filter: z.enum(['cancelled', 'finished', 'failed', ...NEEDS]).optional(),
  feedback_needed: z.enum(NEEDS).optional(),
  'filter_by_printer_ids[]': queryIds.optional(),
}

const FILTERS = `\`filter\`: \`cancelled\` (failed ones too), \`finished\`, \`failed\`, \`need_alert_overwrite\` (its \`alert_overwrite\` is null) or
\`need_print_shot_feedback\` (it has feedback shots, none of which is answered). \`feedback_needed\` takes the last two, and can be combined with
\`filter\`. \`from_date\` and \`to_date\` are days in \`timezone\`, both inclusive, by the time of the start.`

/** `to_date` before `from_date` selects nothing, so it is a mistake. */
function checkDates(query: { from_date?: string | undefined; to_date?: string | undefined }, context: z.RefinementCtx) {
  if (query.from_date === undefined || query.to_date === undefined || query.from_date <= query.to_date) return
  context.addIssue({ code: 'custom', path: ['to_date'], message: 'is before "from_date"' })
}

export const listPrints = defineEndpoint({
  id: 'listPrints',
  method: 'GET',
  path: '/api/v1/prints/',
  tag,
  summary: 'List prints',
  description: `By start time, newest first without \`sorting\`, at most ${MAX_PRINTS}. \`start\` and \`limit\` are only valid together with
\`sorting\`. ${FILTERS} Without \`timezone\` they are days in UTC.`,
  access: 'read',
  query: z
    .object({
      ...filters,
      sorting: z.enum(['date_desc', 'date_asc']).optional(),
      start: queryCount.optional(),
      limit: queryLimit(MAX_PRINTS).optional(),
      from_date: queryDate.optional(),
      to_date: queryDate.optional(),
      timezone: queryTimeZone.optional(),
    })
    .superRefine((query, context) => {
      checkDates(query, context)
      if (query.sorting !== undefined) return
      for (const name of ['start', 'limit'] as const) {
        if (query[name] === undefined) continue
        context.addIssue({ code: 'custom', path: [name], message: 'is only valid together with "sorting"' })
      }
    }),
  output: z.array(Print),
})

export const getPrint = defineEndpoint({
  id: 'getPrint',
  method: 'GET',
  path: '/api/v1/prints/:id/',
  tag,
  summary: 'One print',
  description: 'Also at `/api/v1/print/{id}/`. The body is a Print.',
  access: 'read',
  params: idParams,
  output: Print,
})

export const updatePrint = defineEndpoint({
  id: 'updatePrint',
  method: 'PATCH',
  path: '/api/v1/prints/:id/',
  tag,
  summary: 'Change a print',
  description: 'Read-only and unknown fields are ignored.',
  access: 'write',
  params: idParams,
  body: PrintChanges,
  output: Print,
})

export const deletePrint = defineEndpoint({
  id: 'deletePrint',
  method: 'DELETE',
  path: '/api/v1/prints/:id/',
  tag,
  summary: 'Delete a print with its pictures and videos',
  description: 'A running print is not deleted (`conflict`): cancel it first.',
  access: 'write',
  params: idParams,
  errors: ['conflict'],
})

export const bulkDeletePrints = defineEndpoint({
  id: 'bulkDeletePrints',
  method: 'POST',
  path: '/api/v1/prints/bulk_delete/',
  tag,
  summary: 'Delete several prints',
  description: `At most ${MAX_BULK_PRINTS} ids. Those that are unknown, not the caller's, or of running prints are ignored.`,
  access: 'write',
  body: z.object({ print_ids: z.array(z.int().positive()).max(MAX_BULK_PRINTS) }).meta({ id: 'PrintIds' }),
  output: z.object({ deleted: z.int() }).meta({ id: 'Deleted' }),
})

export const getPrintStats = defineEndpoint({
  id: 'getPrintStats',
  method: 'GET',
  path: '/api/v1/prints/stats/',
  tag,
  summary: 'Statistics of prints by day, week, month or year',
  description: `The first period begins at \`from_date\`, each further one at the next midnight, Sunday, first of a month or first of January in
\`timezone\`, up to and including \`to_date\`. Failed prints count as cancelled, running ones as succeeded. ${FILTERS}`,
  access: 'read',
  query: z
    .object({
      timezone: queryTimeZone,
      from_date: queryDate,
      to_date: queryDate,
      group_by: z.enum(['day', 'week', 'month', 'year']),
      ...filters,
    })
    .superRefine(checkDates),
  output: PrintStats,
})

export const uploadTimelapse = defineEndpoint({
  id: 'uploadTimelapse',
  method: 'POST',
  path: '/api/v1/prints/:id/timelapse/',
  tag,
  summary: "Upload one's own time-lapse of a print",
  description: `An MP4 or QuickTime file of at most 1 GiB. It takes the place of \`video_url\`, and of the poster where the server can make one;
\`uploaded_at\` is set. A print that is still running is refused (\`conflict\`).`,
  access: 'write',
  params: idParams,
  multipart: [{ name: 'file', kind: 'file', required: true, description: 'The video.' }],
  output: Print,
  errors: ['conflict', 'too_large', 'unsupported_media_type', 'rate_limited', 'storage_full'],
})

export const retryTimelapse = defineEndpoint({
  id: 'retryTimelapse',
  method: 'POST',
  path: '/api/v1/prints/:id/timelapse/retry/',
  tag,
  summary: 'Make the time-lapse of a print again',
  description: `For a print that has none although it should: making it failed, or nothing on the server could make it then. Its pictures stay for that.
Refused (\`conflict\`) while the print runs, while its time-lapse is being made, when it has one, and when no pictures are left.`,
  access: 'write',
  params: idParams,
  output: Print,
  errors: ['conflict', 'unavailable'],
})

export const getPredictionJson = defineEndpoint({
  id: 'getPredictionJson',
  method: 'GET',
  path: '/api/v1/prints/:id/prediction_json/',
  tag,
  summary: 'Frame-by-frame failure predictions of one print',
  description: `An empty list when no frame was analysed. Once there is a tagged video, one element per frame of it: what is shown at the share x of the
video is element round(length × x). A frame whose data is lost is an empty object.`,
  access: 'read',
  params: idParams,
  output: PredictionJson,
  headers: ['last-modified', 'etag'],
})
