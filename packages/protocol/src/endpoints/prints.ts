import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { PredictionJson } from '../prediction.js'
import { Print } from '../resources.js'
import { idParams, queryCount, queryIds } from './shared.js'

const tag = 'prints'

/** The most prints that one answer holds (decision 6). */
export const MAX_PRINTS = 500

export const listPrints = defineEndpoint({
  id: 'listPrints',
  method: 'GET',
  path: '/api/v1/prints/',
  tag,
  summary: 'List prints',
  description: `Newest first without \`sorting\`, at most ${MAX_PRINTS}. \`start\` and \`limit\` are only valid together with \`sorting\`.`,
  access: 'read',
  query: z
    .object({
      filter: z
        .enum(['cancelled', 'finished', 'failed', 'need_alert_overwrite', 'need_print_shot_feedback'])
        .optional(),
      sorting: z.enum(['date_desc', 'date_asc']).optional(),
      start: queryCount.optional(),
      limit: queryCount.refine((limit) => limit <= MAX_PRINTS, `must be at most ${MAX_PRINTS}`).optional(),
      'filter_by_printer_ids[]': queryIds.optional(),
    })
    .superRefine((query, context) => {
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

export const getPredictionJson = defineEndpoint({
  id: 'getPredictionJson',
  method: 'GET',
  path: '/api/v1/prints/:id/prediction_json/',
  tag,
  summary: 'Frame-by-frame failure predictions of one print',
  description: 'An empty list when no frame was analysed.',
  access: 'read',
  params: idParams,
  output: PredictionJson,
})
