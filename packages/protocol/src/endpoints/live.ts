import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { Timestamp } from '../resources.js'

export const createLiveTicket = defineEndpoint({
  id: 'createLiveTicket',
  method: 'POST',
  path: '/api/v1/live/ticket/',
  tag: 'live',
  summary: 'A ticket that opens the live websocket once',
  description:
    'For browsers, which cannot set headers on a websocket: `/ws/live/?ticket=…`, within 30 seconds, once. The socket itself needs `read`.',
  access: 'write',
  status: 201,
  output: z.object({ ticket: z.string(), expires_at: Timestamp }).meta({ id: 'LiveTicket' }),
})
