import { z } from 'zod'
import { AiCreditEntry, AiCredits, SupportRequest } from '../assistant.js'
import { defineEndpoint } from '../endpoint.js'
import { idParams, queryCount, queryLimit } from './shared.js'

const tag = 'administration'
const creditsPath = '/api/v1/admin/users/:id/ai_credits/'

/** The most lines of the book, and the most support requests, that one answer holds. */
export const MAX_CREDIT_ENTRIES = 200
export const MAX_SUPPORT_REQUESTS = 200

/** The most credits at once. */
export const MAX_CREDITS = 1_000_000

export const listAiCreditEntries = defineEndpoint({
  id: 'listAiCreditEntries',
  method: 'GET',
  path: creditsPath,
  tag,
  summary: "The book of an account's AI credits, newest first",
  description: 'The sums of both columns are what is left. Of an unlimited account nothing is written.',
  access: 'admin',
  params: idParams,
  query: z.object({ start: queryCount.optional(), limit: queryLimit(MAX_CREDIT_ENTRIES).optional() }),
  output: z.array(AiCreditEntry),
})

export const grantAiCredits = defineEndpoint({
  id: 'grantAiCredits',
  method: 'POST',
  path: creditsPath,
  tag,
  summary: 'Grant AI credits to an account',
  description: "They are used after the month's, and do not expire.",
  access: 'admin',
  params: idParams,
  body: z
    .object({ amount: z.int().min(1).max(MAX_CREDITS), note: z.string().max(200).optional() })
    .meta({ id: 'AiCreditGrant' }),
  status: 201,
  output: AiCredits,
  errors: ['conflict'],
})

export const listSupportRequests = defineEndpoint({
  id: 'listSupportRequests',
  method: 'GET',
  path: '/api/v1/admin/support_requests/',
  tag,
  summary: 'What users wrote to support, newest first',
  access: 'admin',
  query: z.object({ start: queryCount.optional(), limit: queryLimit(MAX_SUPPORT_REQUESTS).optional() }),
  output: z.array(SupportRequest),
})

/** Whether models can be asked. */
export const AssistantStatus = z
  .object({
    is_configured: z.boolean(),
    text_model: z.string().nullable(),
    vision_model: z.string().nullable(),
    /** Why the model's server cannot be asked just now; null when it answers, or when there is none. */
    problem: z.string().nullable(),
  })
  .meta({ id: 'AssistantStatus' })
export type AssistantStatus = z.infer<typeof AssistantStatus>

export const getAssistantStatus = defineEndpoint({
  id: 'getAssistantStatus',
  method: 'GET',
  path: '/api/v1/admin/assistant/',
  tag,
  summary: "Whether the assistant's model answers",
  access: 'admin',
  output: AssistantStatus,
})
