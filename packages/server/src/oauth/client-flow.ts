import { randomUUID } from 'node:crypto'
import type { NewOAuthApp, OAuthAppChanges } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { Clock, Database } from '../ports.js'
import { noteSecurityEvent, type Whence } from '../users/security-events-store.js'
import {
  type ClientUse,
  countClientsOf,
  findClient,
  findClientUse,
  insertClient,
  updateClient,
} from './client-store.js'
import { problemOfRedirectUri } from './redirect-uri.js'
import type { ClientRow } from './store.js'

const CLIENT_SECRET_BYTES = 32

/** More apps of one user are not for people. */
const MAX_APPS = 100

export interface ClientFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly secrets: { hash(text: string): string; newToken(bytes: number): string }
}

export type ClientFlow = ReturnType<typeof clientFlow>

/** A client as it was registered; the secret is told only now. */
export interface Registration {
  readonly row: ClientRow
  readonly client_secret: string | null
}

/** Registered apps. */
export function clientFlow({ database, clock, secrets }: ClientFlowDeps) {
  const { db } = database

  /** Registers an app of the operator's (`ownerId` null), which may do without PKCE, or of a user's. @throws {ApiError} invalid_request, conflict */
  async function register(app: NewOAuthApp, ownerId: number | null, whence?: Whence): Promise<Registration> {
    const at = clock.now()
    checkRedirectUris(app.redirect_uris, app.type)
    if (ownerId !== null && (await countClientsOf(db, ownerId)) >= MAX_APPS) {
      throw new ApiError('conflict', `There are ${MAX_APPS} apps already; delete one that nobody uses.`)
    }
    const client_secret = app.type === 'confidential' ? secrets.newToken(CLIENT_SECRET_BYTES) : null
    const row = await insertClient(db, {
      client_id: randomUUID(),
      client_secret_hash: client_secret === null ? null : secrets.hash(client_secret),
      name: app.name,
      description: app.description ?? '',
      type: app.type,
      redirect_uris: JSON.stringify(app.redirect_uris),
      require_pkce: ownerId !== null && app.type === 'public' ? 1 : 0,
      created_at: at,
      owner_id: ownerId,
    })
    if (row === undefined) throw new Error('a random client_id was taken')
    if (ownerId !== null)
      await noteSecurityEvent(db, { userId: ownerId, type: 'app_registered', at, whence, subject: app.name })
    return { row, client_secret }
  }

  /** @throws {ApiError} not_found when there is no such app, or it is another's; `ownerId` undefined finds anybody's */
  async function get(key: Parameters<typeof findClientUse>[1], ownerId: number | undefined): Promise<ClientUse> {
    const client = await findClientUse(db, key, ownerId)
    if (client === undefined) throw new ApiError('not_found')
    return client
  }

  return {
    register,
    get,
    /** @throws {ApiError} invalid_request */
    async change(client: ClientUse, { name, description, redirect_uris }: OAuthAppChanges): Promise<void> {
      if (redirect_uris !== undefined) checkRedirectUris(redirect_uris, typeOf(client))
      await updateClient(db, client.id, {
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(redirect_uris === undefined ? {} : { redirect_uris: JSON.stringify(redirect_uris) }),
      })
    },
    /** A new secret in place of the old one. @throws {ApiError} conflict for a public client */
    async rotateSecret(client: ClientRow): Promise<string> {
      if (client.type !== 'confidential') throw new ApiError('conflict', 'A public app has no secret.')
      const client_secret = secrets.newToken(CLIENT_SECRET_BYTES)
      await updateClient(db, client.id, { client_secret_hash: secrets.hash(client_secret) })
      return client_secret
    },
    /** Lets a slicer in under the client id that is built into it (decision 14). */
    async allowSlicer(clientId: string): Promise<ClientUse> {
      await insertClient(db, {
        client_id: clientId,
        client_secret_hash: null,
        name: clientId,
        description: 'A slicer that sends G-Code from its own window.',
        type: 'public',
        redirect_uris: '[]',
        require_pkce: 0,
        created_at: clock.now(),
        owner_id: null,
      })
      return get({ client_id: clientId }, undefined)
    },
    /** The client that calls itself so. */
    find: (clientId: string): Promise<ClientRow | undefined> => findClient(db, clientId),
  }
}

const typeOf = ({ type }: ClientRow): 'confidential' | 'public' => (type === 'confidential' ? 'confidential' : 'public')

/** @throws {ApiError} invalid_request with what is wrong with which */
function checkRedirectUris(uris: readonly string[], type: 'confidential' | 'public'): void {
  const issues = uris.flatMap((uri, index) => {
    const message = problemOfRedirectUri(uri, type)
    return message === undefined ? [] : [{ path: `redirect_uris.${index}`, message }]
  })
  if (issues.length > 0) throw new ApiError('invalid_request', undefined, { issues })
}
