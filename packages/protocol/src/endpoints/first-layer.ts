import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { Timestamp } from '../resources.js'
import { id } from './shared.js'

/** A picture of a print's first layer. */
const FirstLayerImage = z
  .object({
    id: z.int().positive(),
    image_url: z.string(),
    labels: z.array(z.unknown()),
    created_at: Timestamp,
    updated_at: Timestamp,
    first_layer_inspection: z.int().positive(),
  })
  .meta({ id: 'FirstLayerImage' })

export const listFirstLayerImages = defineEndpoint({
  id: 'listFirstLayerImages',
  method: 'GET',
  path: '/api/v1/first_layer_inspection_images/',
  tag: 'prints',
  summary: "Pictures of a print's first layer",
  description: 'Always empty: this server does not inspect first layers. It is there for clients that ask.',
  access: 'read',
  query: z.object({ print_id: id.optional() }),
  output: z.array(FirstLayerImage),
})
