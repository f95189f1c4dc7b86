import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

// The floor that uploads are compared with: the same HTTP library takes the same form and writes the file to the same disk, and
// that is all. JavaScript, since the library belongs to the server's package and not to this folder.

const require = createRequire(new URL('../packages/server/package.json', import.meta.url))
const fastify = require('fastify')
const folder = await mkdtemp(join(tmpdir(), 'printwarden-bare-'))
const app = fastify()
await app.register(require('@fastify/multipart'))
let count = 0
app.post('/upload/', async (request, reply) => {
  for await (const part of request.parts({ limits: { fileSize: Number.POSITIVE_INFINITY } })) {
    if (part.type === 'file') await pipeline(part.file, createWriteStream(join(folder, String(count++))))
  }
  return reply.code(201).send({ id: count })
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ ready: { url, token: 'none' } }))
process.on('SIGTERM', () => {
  void rm(folder, { recursive: true }).then(() => process.exit(0))
})
