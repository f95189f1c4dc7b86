import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { packageFile } from '../package-files.js'
import { pathOf } from './server.js'

/** Where the built dashboard lies: inside the packed server, or beside it in the repository. */
const CANDIDATES = ['dashboard', '../dashboard/dist']

const NOT_PAGES = /^\/(api|o|ws|media|assistant\/api|jusprin|ent|partner-api|assets|p)(\/|$)/

/** The dashboard's files. */
export interface Dashboard {
  /** Serves the files; to be called once the app stands. */
  register(app: FastifyInstance): Promise<void>
  /** The page for a path that only the dashboard itself can tell from a wrong one. */
  page(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined
}

/** The dashboard as static files: content-hashed names are kept by browsers for ever, the page itself never. */
export function dashboard(): Dashboard {
  const folder = CANDIDATES.map((path) => fileURLToPath(packageFile(path))).find((path) =>
    existsSync(`${path}/index.html`),
  )
  return {
    async register(app) {
      if (folder === undefined) return
      await app.register(fastifyStatic, {
        root: folder,
        index: ['index.html'],
        wildcard: false,
        cacheControl: false,
        setHeaders: (reply, path) => {
          const isHashed = path.includes('/assets/')
          void reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
        },
      })
    },
    page(request, reply) {
      const wantsPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
      if (!wantsPage || NOT_PAGES.test(pathOf(request))) return undefined
      if (folder !== undefined) return reply.code(200).header('cache-control', 'no-cache').sendFile('index.html')
      return reply.code(503).type('text/plain; charset=utf-8').send('The dashboard is not built. Run: npm run build\n')
    },
  }
}
