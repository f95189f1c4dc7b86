import { z } from 'zod'
import { defineEndpoint } from '../endpoint.js'

export const getVersion = defineEndpoint({
  id: 'getVersion',
  method: 'GET',
  path: '/api/v1/version/',
  tag: 'server',
  summary: "The server's version",
  access: 'read',
  output: z.object({ version: z.string() }).meta({ id: 'Version' }),
})
