import type { Readable } from 'node:stream'
import { endpoints } from '@printwarden/protocol'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import type { Api, Caller } from '../http/api.js'
import { allowSlowBody } from '../http/body-deadline.js'
import { findUser, findUserByEmail, type UserRow } from '../users/store.js'
import { type BytesFlowDeps, bytesFlow } from './bytes-flow.js'
import { type ImportFlowDeps, importFlow } from './flow.js'
import { sourceText } from './source.js'

/** An upload of which nothing arrives for so long is given up: what brings it may have to wait for another server. */
const STALLED_MS = 180_000

/** What brings things over from another server: administrators' programs. */
export function importRoutes(api: Api, deps: ImportFlowDeps & BytesFlowDeps): void {
  const { db } = deps.database
  const imports = importFlow(deps)
  const bytes = bytesFlow(deps)

  async function userOf(email: string | undefined, caller: Caller): Promise<UserRow> {
    const user = email === undefined ? await findUser(db, caller.user_id) : await findUserByEmail(db, email)
    if (user !== undefined) return user
    throw new ApiError('invalid_request', undefined, {
      issues: [{ path: 'email', message: 'no account has this address' }],
    })
  }

  api.handle(endpoints.importRecords, async ({ body }, caller) => {
    const user = await userOf(body.email, caller)
    const importing = { userId: user.id, source: sourceText(body.source), isDryRun: body.dry_run === true }
    return { email: user.email, outcomes: await imports.takeAll(importing, body.records) }
  })

  api.handle(endpoints.importBytes, async ({ params }, caller, { request }) => {
    allowSlowBody(request, STALLED_MS)
    return bytes.take(caller.user_id, params.id, await fileOf(request))
  })
}

/** The file of a body, which may be the body itself. @throws {ApiError} invalid_request */
async function fileOf(request: FastifyRequest): Promise<Readable> {
  if (!request.isMultipart()) return request.raw
  const part = await request.file({ limits: { files: 1, fileSize: Infinity } }).catch(unreadable)
  if (part?.fieldname === 'file') return part.file
  part?.file.resume()
  throw new ApiError('invalid_request', undefined, { issues: [{ path: 'file', message: 'is required' }] })
}

/** The plugin's own errors say which limit was reached; everything else is a malformed or cut-off form. */
function unreadable(error: unknown): never {
  const isLimit = error instanceof Error && 'code' in error && String(error.code).startsWith('FST_')
  throw isLimit ? error : new ApiError('invalid_request', 'The form could not be read.', { cause: error })
}
