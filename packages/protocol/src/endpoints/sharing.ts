import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { SharedResource } from '../sharing.js'
import { id, idParams } from './shared.js'

const tag = 'sharing'
const path = '/api/v1/sharedresources/'
const query = z.object({ printer_id: id.optional() })

export const listSharedResources = defineEndpoint({
  id: 'listSharedResources',
  method: 'GET',
  path,
  tag,
  summary: 'How a printer is shared',
  description: 'None or one. Without `printer_id`, and for a printer that is not there, 404.',
  access: 'read',
  query,
  output: z.array(SharedResource),
  errors: ['not_found'],
})

export const sharePrinter = defineEndpoint({
  id: 'sharePrinter',
  method: 'POST',
  path,
  tag,
  summary: 'Share a printer',
  description: 'Sharing twice changes nothing. Without `printer_id`, and for a printer that is not there, 404.',
  access: 'write',
  query,
  output: z.array(SharedResource),
  errors: ['not_found'],
})

export const unsharePrinter = defineEndpoint({
  id: 'unsharePrinter',
  method: 'DELETE',
  path: '/api/v1/sharedresources/:id/',
  tag,
  summary: 'Stop sharing a printer',
  description: 'The token is of no use from then on; sharing again makes another one.',
  access: 'write',
  params: idParams,
})
