import { z } from 'zod'
import { Deviation } from '../deviations.js'
import { defineEndpoint } from '../endpoint.js'
import { idParams } from './shared.js'

export const listDeviations = defineEndpoint({
  id: 'listDeviations',
  method: 'GET',
  path: '/api/v1/printers/:id/deviations/',
  tag: 'printers',
  summary: 'In what the agent of a printer departs from the protocol',
  description:
    'What the server forgives of agents that connect at `/ws/dev/`, by kind, the most frequent first. An agent of our own protocol has none: what it sends wrong is answered by an error.',
  access: 'read',
  params: idParams,
  output: z.array(Deviation),
})
