import { SLICER_CLIENT_IDS } from '@printwarden/protocol'
import { z } from 'zod'
import type { ClientRow } from './store.js'

/** A registered app, as the checks read it. */
export interface Client {
  /** The row's number; `client_id` is what the app knows itself by. */
  readonly id: number
  readonly client_id: string
  readonly name: string
  readonly description: string
  readonly type: 'confidential' | 'public'
  readonly redirect_uris: readonly string[]
  readonly require_pkce: boolean
  readonly client_secret_hash: string | null
  /** A slicer of decision 14, which takes its token from our own page instead of a redirect URI. */
  readonly is_slicer: boolean
  /** Registered by a user for everybody, not by the operator. */
  readonly is_self_registered: boolean
}

const RedirectUris = z.array(z.string())

/** The row of a client, read. */
export function clientOf(row: ClientRow): Client {
  return {
    id: row.id,
    client_id: row.client_id,
    name: row.name,
    description: row.description,
    type: row.type === 'confidential' ? 'confidential' : 'public',
    redirect_uris: RedirectUris.parse(JSON.parse(row.redirect_uris)),
    require_pkce: row.require_pkce === 1,
    client_secret_hash: row.client_secret_hash,
    is_slicer: SLICER_CLIENT_IDS.some((id) => id === row.client_id),
    is_self_registered: row.owner_id !== null,
  }
}
