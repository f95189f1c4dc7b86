import { z } from 'zod'
import { ActionProposal } from '../assistant.js'
import { defineEndpoint } from '../endpoint.js'
import { PostMortem } from '../post-mortem.js'
import { idParams, queryCount, queryLimit } from './shared.js'

const tag = 'assistant'
const proposalPath = '/api/v1/assistant/proposals/:id/'
const postMortemPath = '/api/v1/prints/:id/post_mortem/'

export const listActionProposals = defineEndpoint({
  id: 'listActionProposals',
  method: 'GET',
  path: '/api/v1/assistant/proposals/',
  tag,
  summary: 'What the assistant proposed to do, newest first',
  access: 'read',
  query: z.object({ start: queryCount.optional(), limit: queryLimit(100).optional() }),
  output: z.array(ActionProposal),
})

export const confirmActionProposal = defineEndpoint({
  id: 'confirmActionProposal',
  method: 'POST',
  path: `${proposalPath}confirm/`,
  tag,
  summary: 'Do what the assistant proposed',
  description:
    'Only from a signed-in browser: no token can confirm. 409 when it was decided before, has expired, or the printer prints something else by now. The answer says how it went: `done`, or `failed` with why.',
  access: 'session',
  params: idParams,
  output: ActionProposal,
  errors: ['conflict'],
})

export const dismissActionProposal = defineEndpoint({
  id: 'dismissActionProposal',
  method: 'POST',
  path: `${proposalPath}dismiss/`,
  tag,
  summary: 'Decline what the assistant proposed',
  access: 'session',
  params: idParams,
  output: ActionProposal,
  errors: ['conflict'],
})

export const getPostMortem = defineEndpoint({
  id: 'getPostMortem',
  method: 'GET',
  path: postMortemPath,
  tag,
  summary: 'Why a print failed, as it was last answered',
  description: '404 when it was never asked.',
  access: 'read',
  params: idParams,
  output: PostMortem,
})

export const createPostMortem = defineEndpoint({
  id: 'createPostMortem',
  method: 'POST',
  path: postMortemPath,
  tag,
  summary: 'Ask the assistant why a print failed',
  description: `Judges by the pictures, scores, temperatures and events that were kept of the print, and cites them. Costs one credit, taken before the model is asked and given back when it fails. The answer is kept in place of the one before. 409 while the print runs. Needs the scope \`read\` too, since the answer tells of the print and shows its pictures.

With \`Accept: text/event-stream\` the answer comes as events: \`look\` (an AssistantLook) for what is read, then \`message\` (the body that is otherwise answered) or \`error\` (a problem).`,
  access: 'write',
  params: idParams,
  query: z.object({
    lang: z.string().max(35).meta({ description: 'Language of the answer, as an IETF tag.' }).optional(),
  }),
  status: 201,
  output: PostMortem,
  errors: ['conflict', 'credits_exhausted', 'rate_limited', 'assistant_not_configured', 'unavailable'],
})
