import { JANUS_SUBPROTOCOL } from '@printwarden/protocol'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../../errors.js'
import type { Authenticator } from '../../http/authenticate.js'
import { originOf } from '../../http/origin.js'
import { findAgentByTokenHash } from '../../oauth/store.js'
import type { Database, Secrets } from '../../ports.js'
import { findShareByTokenHash } from '../../printers/sharing-store.js'
import { findVisiblePrinter } from '../../printers/store.js'
import { type MediaUrls, viewerOf } from '../../prints/view.js'
import type { Seat } from './seat.js'

export interface AdmissionFlowDeps {
  readonly database: Database
  readonly secrets: Pick<Secrets, 'keyedHash'>
  readonly media: MediaUrls
  readonly authenticator: Pick<Authenticator, 'authenticate'>
}

/** Finds the seat of whoever asks. @throws {ApiError} unauthorized, insufficient_scope, not_found */
export type Admit = (request: FastifyRequest) => Promise<Seat>

const ById = z.object({ printer_id: z.string().regex(/^[1-9]\d{0,15}$/) })
const ByToken = z.object({ token: z.string() })

const OWNER = { scopes: ['read', 'write'] } as const
const GUEST = { scopes: ['read'] } as const

export type AdmissionFlow = ReturnType<typeof admissionFlow>

/** How existing clients are let in: by a session, or by a token in the path (wire facts, section 3.6). */
export function admissionFlow({ database, secrets, media, authenticator }: AdmissionFlowDeps) {
  const { db } = database

  /** A signed-in browser on a page of ours. */
  const bySession: Admit = async (request) => {
    const { via, user_id } = await authenticator.authenticate(request)
    if (via.type !== 'session') throw new ApiError('insufficient_scope', 'This needs a signed-in browser.')
    const id = Number(ById.safeParse(request.params).data?.printer_id ?? Number.NaN)
    const printer = Number.isSafeInteger(id) ? await findVisiblePrinter(db, user_id, id) : undefined
    if (printer === undefined) throw new ApiError('not_found')
    const by = { type: 'session', session_id: via.session_id } as const
    return { printer_id: printer.id, user_id, by, viewer: viewerOf(OWNER, originOf(request), media) }
  }

  /** Whoever holds the printer's auth_token. */
  const byAuthToken: Admit = async (request) => {
    const found = await findAgentByTokenHash(db, tokenHash(request))
    if (found === undefined) throw new ApiError('unauthorized', 'The token is not known.')
    return { ...found, by: { type: 'auth_token' }, viewer: viewerOf(OWNER, originOf(request), media) }
  }

  /** Whoever was given a link to look at the printer. */
  const byShareToken: Admit = async (request) => {
    const found = await findShareByTokenHash(db, tokenHash(request))
    if (found === undefined) throw new ApiError('unauthorized', 'The token is not known.')
    const { share_id, printer_id, user_id } = found
    return { printer_id, user_id, by: { type: 'share', share_id }, viewer: viewerOf(GUEST, originOf(request), media) }
  }

  const tokenHash = ({ params }: FastifyRequest): string => secrets.keyedHash(ByToken.parse(params).token)

  return { bySession, byAuthToken, byShareToken }
}

/** Refuses a viewer that speaks only other protocols to a gateway. None offered means its own. */
export function checkJanusSubprotocol(offered: string | undefined): void {
  if (offered === undefined || offered.split(',').some((name) => name.trim() === JANUS_SUBPROTOCOL)) return
  throw new ApiError('invalid_request', `The subprotocol must be ${JANUS_SUBPROTOCOL}.`)
}
