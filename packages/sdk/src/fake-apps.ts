import type { OAuthApp } from '@printwarden/protocol'
import { callerOf, given, type Handlers, visible } from './fake-handlers.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import { type FakeState, hex } from './fake-state.js'
import { noteSecurity, revokeTokens } from './fake-tokens.js'

const OWN_SCHEMES = 'must be http or https for a confidential client'
const NO_SCRIPT = /^(javascript|data|vbscript|file|blob|about|filesystem|ws|wss|ftp|mailto):$/

interface Entry {
  /** Whose it is; 0 for the operator's own. */
  readonly userId: number
  app: OAuthApp
}

type NewApp = Pick<OAuthApp, 'name' | 'type' | 'redirect_uris'> & { description?: string | undefined }

/** Registered apps, and the apps that act for a user. Signing in by them is not the fake's. */
export function appHandlers(state: FakeState): Handlers {
  const entries = new Map<number, Entry>()

  function register(userId: number, fresh: NewApp, clientId: string = crypto.randomUUID()): Entry {
    for (const [index, uri] of fresh.redirect_uris.entries()) checkUri(uri, fresh.type, index)
    const app: OAuthApp = {
      id: state.nextId(),
      client_id: clientId,
      name: fresh.name,
      description: fresh.description ?? '',
      type: fresh.type,
      redirect_uris: fresh.redirect_uris,
      require_pkce: fresh.type === 'public',
      created_at: state.now(),
      owner: state.users.get(userId)?.email ?? null,
      user_count: 0,
      last_used_at: null,
    }
    const entry = { userId, app }
    entries.set(app.id, entry)
    return entry
  }

  /** The app with the number of people that it acts for. */
  function show({ app }: Entry): OAuthApp {
    const connected = [...state.connections.values()].filter(({ clientId }) => clientId === app.client_id)
    return { ...app, user_count: new Set(connected.map(({ userId }) => userId)).size }
  }

  function disconnect(which: (connection: { id: number; clientId: string }) => boolean): void {
    const found = [...state.connections.values()].filter(which)
    for (const { id } of found) {
      revokeTokens(state, ({ connectionId }) => connectionId === id)
      state.connections.delete(id)
    }
  }

  function remove({ userId, app }: Entry): void {
    entries.delete(app.id)
    disconnect(({ clientId }) => clientId === app.client_id)
    noteSecurity(state, userId, 'app_removed', app.name)
  }

  function newSecret({ app }: Entry) {
    if (app.type === 'public') throw new FakeRefusal('conflict', 'A public app has no secret.')
    return { client_id: app.client_id, client_secret: hex(64) }
  }

  const own = (call: Parameters<typeof callerOf>[0] & { readonly params: { readonly id: number } }): Entry =>
    visible(call, entries.get(call.params.id))

  function byClientId(clientId: string): Entry {
    const found = [...entries.values()].find(({ app }) => app.client_id === clientId)
    if (found === undefined) throw new FakeRefusal('not_found')
    return found
  }

  return {
    listOAuthApps: (call) => [...entries.values()].filter(({ userId }) => userId === callerOf(call).id).map(show),
    createOAuthApp(call) {
      const { id } = callerOf(call)
      const entry = register(id, call.body)
      noteSecurity(state, id, 'app_registered', entry.app.name)
      return { ...show(entry), client_secret: entry.app.type === 'public' ? null : hex(64) }
    },
    getOAuthApp: (call) => show(own(call)),
    updateOAuthApp(call) {
      const entry = own(call)
      for (const [index, uri] of (call.body.redirect_uris ?? []).entries()) checkUri(uri, entry.app.type, index)
      entry.app = { ...entry.app, ...given(call.body) }
      return show(entry)
    },
    deleteOAuthApp: (call) => remove(own(call)),
    rotateOAuthAppSecret: (call) => newSecret(own(call)),

    listConnectedApps(call) {
      const connected = [...state.connections.values()].filter(({ userId }) => userId === callerOf(call).id)
      return connected.map(({ id, clientId, name, scopes, connectedAt }) => ({
        id,
        client_id: clientId,
        name,
        description: [...entries.values()].find(({ app }) => app.client_id === clientId)?.app.description ?? '',
        scope: scopes.join(' '),
        connected_at: connectedAt,
        last_used_at: null,
      }))
    },
    disconnectApp(call) {
      const { id, userId, name } = visible(call, state.connections.get(call.params.id))
      disconnect((connection) => connection.id === id)
      noteSecurity(state, userId, 'app_disconnected', name)
    },

    listClients: () => [...entries.values()].map(show),
    addClient(call) {
      const { app } = register(0, call.body)
      const { client_id, name, type, redirect_uris } = app
      return { client_id, client_secret: type === 'public' ? null : hex(64), name, type, redirect_uris }
    },
    removeClient: (call) => remove(byClientId(call.params.client_id)),
    rotateClientSecret: (call) => newSecret(byClientId(call.params.client_id)),
    allowSlicer(call) {
      const { client_id } = call.body
      const known = [...entries.values()].find(({ app }) => app.client_id === client_id)
      return show(known ?? register(0, { name: client_id, type: 'public', redirect_uris: [] }, client_id))
    },
  }
}

/** Redirect URIs are absolute and without a fragment; schemes of an app's own are for public apps. */
function checkUri(uri: string, type: 'confidential' | 'public', index: number): void {
  const path = `redirect_uris.${index}`
  if (!URL.canParse(uri)) throw invalid(path, 'must be an absolute URI, such as https://app.example/callback')
  const { protocol } = new URL(uri)
  if (uri.includes('#')) throw invalid(path, 'must not have a fragment (#…): the server adds the code itself')
  if (NO_SCRIPT.test(protocol)) throw invalid(path, `must not have the scheme ${protocol}`)
  if (type === 'confidential' && !/^https?:$/.test(protocol)) throw invalid(path, OWN_SCHEMES)
}
