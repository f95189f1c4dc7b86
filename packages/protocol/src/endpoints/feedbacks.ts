import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { PrintShotAnswer, PrintShotFeedback } from '../resources.js'
import { id, idParams, queryCount, queryLimit } from './shared.js'

const tag = 'prints'
const path = '/api/v1/printshotfeedbacks/:id/'

const Answered = z
  .object({ instance: PrintShotFeedback, credited_dhs: z.number() })
  .meta({ id: 'AnsweredPrintShotFeedback' })

const ANSWERING =
  '`credited_dhs` is 2 when this answered the last open shot of its print, else 0. `null` takes an answer back.'

/** The most shots that one answer holds. */
export const MAX_SHOTS = 500

export const listPrintShotFeedbacks = defineEndpoint({
  id: 'listPrintShotFeedbacks',
  method: 'GET',
  path: '/api/v1/printshotfeedbacks/',
  tag,
  summary: 'Shots of prints about which feedback is asked, oldest first',
  access: 'read',
  query: z.object({
    print_id: id.optional(),
    start: queryCount.optional(),
    limit: queryLimit(MAX_SHOTS).optional(),
  }),
  output: z.array(PrintShotFeedback),
})

export const getPrintShotFeedback = defineEndpoint({
  id: 'getPrintShotFeedback',
  method: 'GET',
  path,
  tag,
  summary: 'One shot about which feedback is asked',
  access: 'read',
  params: idParams,
  output: PrintShotFeedback,
})

export const updatePrintShotFeedback = defineEndpoint({
  id: 'updatePrintShotFeedback',
  method: 'PATCH',
  path,
  tag,
  summary: 'Say whether a shot shows a failure',
  description: `${ANSWERING} Without \`answer\` nothing changes.`,
  access: 'write',
  params: idParams,
  body: z.object({ answer: PrintShotAnswer.nullable() }).partial().meta({ id: 'PrintShotFeedbackChanges' }),
  output: Answered,
})

export const replacePrintShotFeedback = defineEndpoint({
  id: 'replacePrintShotFeedback',
  method: 'PUT',
  path,
  tag,
  summary: 'Say whether a shot shows a failure, with `answer` required',
  description: ANSWERING,
  access: 'write',
  params: idParams,
  body: z.object({ answer: PrintShotAnswer.nullable() }).meta({ id: 'PrintShotFeedbackAnswer' }),
  output: Answered,
})
