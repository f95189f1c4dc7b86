import type { AccountToken, ConnectedApp, OAuthApp, PersonalToken } from '@printwarden/protocol'
import { parseScopes } from '@printwarden/protocol'
import { instantView } from '../prints/view.js'
import { clientOf } from './client.js'
import type { ClientUse } from './client-store.js'
import type { AnyTokenRow, ConnectionRow, OwnTokenRow } from './connection-store.js'

// Rows as the API shows them.

export function appView(row: ClientUse): OAuthApp {
  const { id, client_id, name, description, type, redirect_uris, require_pkce } = clientOf(row)
  return {
    ...{ id, client_id, name, description, type, redirect_uris: [...redirect_uris], require_pkce },
    created_at: instantView(row.created_at),
    owner: row.owner,
    user_count: row.user_count,
    last_used_at: instantView(row.last_used_at),
  }
}

/** One line for each app, however often it was let in. */
export function connectionViews(rows: readonly ConnectionRow[]): ConnectedApp[] {
  const byApp = new Map<number, ConnectionRow>()
  for (const row of rows) {
    const before = byApp.get(row.id)
    byApp.set(row.id, before === undefined ? row : merged(before, row))
  }
  return [...byApp.values()].map(({ connected_at, last_used_at, ...app }) => ({
    ...app,
    connected_at: instantView(connected_at),
    last_used_at: instantView(last_used_at),
  }))
}

function merged(before: ConnectionRow, row: ConnectionRow): ConnectionRow {
  const uses = [before.last_used_at, row.last_used_at].filter((at) => at !== null)
  return {
    ...before,
    scope: parseScopes(`${before.scope} ${row.scope}`).join(' '),
    last_used_at: uses.length === 0 ? null : Math.max(...uses),
  }
}

export function tokenView({ id, name, scope, created_at, expires_at, last_used_at }: OwnTokenRow): PersonalToken {
  return {
    ...{ id, name, scope },
    created_at: instantView(created_at),
    expires_at: instantView(expires_at),
    last_used_at: instantView(last_used_at),
  }
}

export function accountTokenView(row: AnyTokenRow): AccountToken {
  return { ...tokenView(row), email: row.email, app: row.app }
}
