import { accountPage, actionForm, problemHtml, secretHtml } from '../users/page-parts.js'
import { escapeHtml } from '../users/pages.js'

// Where a user replaces printers' auth_tokens.

export interface AuthTokensPage {
  readonly printers: readonly { readonly id: number; readonly name: string }[]
  /** Printers whose auth_token was shown to an access token that was revoked since. */
  readonly exposed: readonly number[]
  readonly formToken: string
  readonly problem?: string | undefined
  /** A token that was just made. */
  readonly made?: { readonly name: string; readonly token: string } | undefined
}

export function authTokensPage({ printers, exposed, formToken, problem, made }: AuthTokensPage): string {
  const items = printers.map(({ id, name }) => {
    const isExposed = exposed.includes(id)
    const about = isExposed
      ? '<p class="facts">An access token that was revoked has read it: replace it, unless you trust whoever had that token.</p>'
      : '<p class="facts">Read by nobody who was cut off.</p>'
    return `<li class="item">
<div><h2${isExposed ? ' class="alarming"' : ''}>${escapeHtml(name)}</h2>
${about}</div>
${actionForm(`/account/printers/${id}/rotate/`, formToken, 'Replace', { look: isExposed ? 'danger' : 'quiet', label: `Replace the token of ${name}` })}
</li>`
  })
  const shown = made === undefined ? '' : `${secretHtml(`The new token of ${made.name}.`, made.token)}\n`
  return accountPage(
    'Printer tokens',
    '/account/printers/',
    `${problemHtml(problem)}${shown}<p>Each printer’s agent shows its <code>auth_token</code> to this server. Replacing it disconnects the agent until the new one stands in the agent’s configuration.</p>
${items.length === 0 ? '<p class="empty">There are no printers.</p>' : `<ul class="items">\n${items.join('\n')}\n</ul>`}`,
  )
}
