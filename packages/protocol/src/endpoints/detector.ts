import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'
import { FoundFailures } from '../prediction.js'

const tag = 'detector'
const errors = ['invalid_image', 'rate_limited', 'unavailable'] as const

export const findFailuresAt = defineEndpoint({
  id: 'findFailuresAt',
  method: 'GET',
  path: '/p/',
  tag,
  summary: 'Look for failures in a picture that lies elsewhere',
  description:
    'The contract of a detection service that other programs know: the server fetches the picture from the address itself. Private addresses are refused unless the operator has listed them in `PRINTWARDEN_OUTBOUND_ALLOW`. Errors carry `detections: []` and `message` beside the problem.',
  access: 'read',
  query: z.object({
    img: z.string().min(1).max(4000).describe('The absolute http(s) address of a JPEG, PNG or WebP.'),
  }),
  output: FoundFailures,
  errors,
  example: { query: { img: 'https://camera.example/snapshot.jpg' } },
})

export const findFailures = defineEndpoint({
  id: 'findFailures',
  method: 'POST',
  path: '/p/',
  tag,
  summary: 'Look for failures in a picture',
  description:
    'The picture is the body itself, or the part `img` (or `pic`) of a form. Nothing is kept, no printer is involved. Errors carry `detections: []` and `message` beside the problem.',
  access: 'write',
  multipart: [{ name: 'img', kind: 'file', required: true, description: 'a JPEG, PNG or WebP' }],
  rawTypes: ['image/jpeg', 'image/png', 'image/webp', 'application/octet-stream'],
  output: FoundFailures,
  errors,
})
