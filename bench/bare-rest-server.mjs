import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

// The floor that the REST API is compared with: bare routes of the same HTTP library that answer the same bytes, read from the file
// that the argument names. A body is parsed as JSON, and that is all. JavaScript, since the library belongs to the server's package.

const require = createRequire(new URL('../packages/server/package.json', import.meta.url))
const app = require('fastify')({ routerOptions: { ignoreTrailingSlash: true } })
for (const { method, path, text } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  app.route({
    method,
    url: path.split('?')[0],
    handler: (_request, reply) => reply.type('application/json; charset=utf-8').send(text),
  })
}
console.log(JSON.stringify({ ready: { url: await app.listen({ host: '127.0.0.1', port: 0 }) } }))
