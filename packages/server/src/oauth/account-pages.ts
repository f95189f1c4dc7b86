import { type ConnectedApp, parseScopes, type PersonalToken } from '@printwarden/protocol'
import { escapeHtml } from '../users/pages.js'
import {
  accountPage,
  actionForm,
  dayHtml,
  hidden,
  lastUseText,
  problemHtml,
  saidHtml,
  secretHtml,
} from '../users/page-parts.js'
import { PERMISSIONS } from './pages.js'

// A user's own pages: which apps are connected, and tokens made by hand.

const at = (text: string | null): number | null => (text === null ? null : Date.parse(text))

const scopeText = (scope: string): string =>
  parseScopes(scope)
    .map((one) => (one === 'read' ? 'read' : 'write'))
    .join(' and ')

export function connectedAppsPage(
  apps: readonly ConnectedApp[],
  formToken: string,
  now: number,
  said?: string,
): string {
  const items = apps.map((app) => {
    const permissions = parseScopes(app.scope).flatMap((scope) => PERMISSIONS[scope])
    const description = app.description === '' ? '' : `<p>${escapeHtml(app.description)}</p>\n`
    return `<li class="item">
<div><h2>${escapeHtml(app.name)}</h2>
${description}<p class="facts">${permissions.map(escapeHtml).join(' · ')}</p>
<p class="facts">Since ${dayHtml(Date.parse(app.connected_at))}, ${lastUseText(at(app.last_used_at), now)}</p></div>
${actionForm(`/account/apps/${app.id}/disconnect/`, formToken, 'Disconnect', { look: 'danger', label: `Disconnect ${app.name}` })}
</li>`
  })
  return accountPage(
    'Connected apps',
    '/account/apps/',
    `${saidHtml(said)}<p>These apps may act for you. Disconnecting one ends its access at once.</p>
${items.length === 0 ? '<p class="empty">No app is connected.</p>' : `<ul class="items">\n${items.join('\n')}\n</ul>`}`,
  )
}

export interface TokensPage {
  readonly tokens: readonly PersonalToken[]
  readonly formToken: string
  readonly now: number
  /** A token that was just made. */
  readonly made?: string | undefined
  readonly problem?: string | undefined
  readonly name?: string | undefined
  readonly said?: string | undefined
}

export function tokensPage({ tokens, formToken, now, made, problem, name = '', said }: TokensPage): string {
  const items = tokens.map(({ id, name: called, scope, created_at, expires_at, last_used_at }) => {
    const shown = called ?? 'Without a name'
    const end = expires_at === null ? 'never expires' : `expires ${dayHtml(Date.parse(expires_at))}`
    return `<li class="item">
<div><h2>${escapeHtml(shown)}</h2>
<p class="facts">${scopeText(scope)} · made ${dayHtml(Date.parse(created_at))} · ${end} · ${lastUseText(at(last_used_at), now)}</p></div>
${actionForm(`/account/tokens/${id}/revoke/`, formToken, 'Revoke', { look: 'danger', label: `Revoke ${shown}` })}
</li>`
  })
  return accountPage(
    'Access tokens',
    '/account/tokens/',
    `${saidHtml(said)}${made === undefined ? '' : `${secretHtml('Your new token.', made)}\n`}<p>For your own programs: send it as <code>Authorization: Bearer …</code>. Whoever has a token can do with your printers what it allows.</p>
${problemHtml(problem)}<form method="post" action="/account/tokens/" class="panel">
<h2>New token</h2>
${hidden('form_token', formToken)}<label>Name <span>what it is for</span>
<input type="text" name="name" value="${escapeHtml(name)}" maxlength="100" required>
</label>
<label>It may
<select name="scope">
<option value="read">read: see printers, prints and pictures</option>
<option value="read write">read and write: also control printers and upload</option>
<option value="write">write alone</option>
</select>
</label>
<label>It expires
<select name="expires_in_days">
<option value="30">in 30 days</option>
<option value="90" selected>in 90 days</option>
<option value="365">in a year</option>
<option value="">never</option>
</select>
</label>
<button>Make the token</button>
</form>
${items.length === 0 ? '<p class="empty">There are no tokens.</p>' : `<ul class="items">\n${items.join('\n')}\n</ul>`}`,
  )
}
