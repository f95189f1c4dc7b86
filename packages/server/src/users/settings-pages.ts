import type { AccountSession, Invitation, SecurityEvent } from '@printwarden/protocol'
import {
  accountPage,
  actionForm,
  dayHtml,
  hidden,
  lastUseText,
  problemHtml,
  saidHtml,
  secretHtml,
} from './page-parts.js'
import { escapeHtml } from './pages.js'
import { browserInWords, isAlarming } from './security-events.js'

// A user's own pages: the account, its sessions, what happened to it, and whom an administrator invited.

/** What every page with forms brings along. */
export interface FormPage {
  readonly formToken: string
  readonly problem?: string | undefined
  readonly said?: string | undefined
}

const BACK = '<p class="fine"><a href="/account/">Back to the account</a></p>'

export interface AccountHome {
  readonly email: string
  readonly isAdmin: boolean
  /** Recovery codes that are left; undefined without a second step. */
  readonly recoveryCodes: number | undefined
}

export function accountHomePage({ email, isAdmin, recoveryCodes }: AccountHome): string {
  const twoSteps =
    recoveryCodes === undefined
      ? 'Off. A password that leaks lets anybody in.'
      : `On. ${recoveryCodes === 1 ? '1 recovery code is' : `${recoveryCodes} recovery codes are`} left.`
  const rows = [
    row('E-mail address', escapeHtml(email), '/account/email/', 'Change the address'),
    row('Password', 'Changing it signs every other browser out.', '/account/password/', 'Change the password'),
    row('Sign-in in two steps', twoSteps, '/account/two_step/', recoveryCodes === undefined ? 'Turn on' : 'Manage'),
    ...(isAdmin
      ? [row('Invitations', 'Let others make an account on this server.', '/account/invitations/', 'Invite somebody')]
      : []),
  ]
  return accountPage('Account', '/account/', `<ul class="items">\n${rows.join('\n')}\n</ul>`)
}

function row(title: string, html: string, href: string, link: string): string {
  return `<li class="item">
<div><h2>${title}</h2>
<p class="facts">${html}</p></div>
<a class="button quiet" href="${href}">${link}</a>
</li>`
}

const oldPassword = (label: string): string => `<label>${label}
<input type="password" name="old_password" autocomplete="current-password" maxlength="256" required>
</label>`

/** The two fields in which a new password is typed. */
export const NEW_PASSWORD = `<label>New password <span>at least 8 characters</span>
<input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="256" required>
</label>
<label>New password again
<input type="password" name="password_again" autocomplete="new-password" minlength="8" maxlength="256" required>
</label>`

export function passwordPage({ formToken, problem, said }: FormPage): string {
  return accountPage(
    'Change the password',
    '/account/',
    `${saidHtml(said)}<p>Every other browser is signed out. Access tokens and connected apps stay as they are.</p>
${problemHtml(problem)}<form method="post" action="/account/password/">
${hidden('form_token', formToken)}${oldPassword('Present password')}
${NEW_PASSWORD}
<button>Change the password</button>
</form>
${BACK}`,
  )
}

export function emailPage({
  formToken,
  problem,
  said,
  present,
  wanted = '',
  canMail,
}: FormPage & { readonly present: string; readonly wanted?: string; readonly canMail: boolean }): string {
  const how = canMail
    ? 'A link is mailed to the new address; the change counts once you open it.'
    : 'This server sends no mail, so the change counts at once: mind the spelling.'
  return accountPage(
    'Change the e-mail address',
    '/account/',
    `${saidHtml(said)}<p>You sign in with <strong>${escapeHtml(present)}</strong>. ${how}</p>
${problemHtml(problem)}<form method="post" action="/account/email/">
${hidden('form_token', formToken)}<label>New e-mail address
<input type="email" name="email" value="${escapeHtml(wanted)}" autocomplete="email" maxlength="254" required>
</label>
${oldPassword('Password')}
<button>Change the address</button>
</form>
${BACK}`,
  )
}

export function sessionsPage(
  sessions: readonly AccountSession[],
  { formToken, said, problem }: FormPage,
  now: number,
): string {
  const items = sessions.map(({ id, user_agent, ip_address, created_at, last_used_at, is_current }) => {
    const browser = browserInWords(user_agent)
    const from = ip_address === null ? '' : ` from ${escapeHtml(ip_address)}`
    const used = is_current ? 'this browser' : lastUseText(Date.parse(last_used_at), now)
    return `<li class="item">
<div><h2>${escapeHtml(browser)}</h2>
<p class="facts">Signed in ${dayHtml(Date.parse(created_at))}${from}, ${used}</p></div>
${actionForm(`/account/sessions/${id}/end/`, formToken, 'Sign out', { look: 'danger', label: `Sign out ${browser}${is_current ? ' (this browser)' : ''}` })}
</li>`
  })
  return accountPage(
    'Sessions',
    '/account/sessions/',
    `${saidHtml(said)}${problemHtml(problem)}<p>The browsers in which you are signed in. A session that is not used for 60 days ends by itself.</p>
<ul class="items">
${items.join('\n')}
</ul>
<div class="actions">${actionForm('/account/sessions/end_all/', formToken, 'Sign out everywhere', { look: 'danger' })}</div>`,
  )
}

export function eventsPage(events: readonly SecurityEvent[], older: number | undefined): string {
  const items = events.map(({ type, title, created_at, ip_address, user_agent, subject }) => {
    const where = [
      ...(subject === null ? [] : [subject]),
      ...(ip_address === null ? [] : [ip_address]),
      ...(user_agent === null ? [] : [browserInWords(user_agent)]),
    ]
    return `<li class="item">
<div><h2${isAlarming(type) ? ' class="alarming"' : ''}>${escapeHtml(title)}</h2>
<p class="facts"><time datetime="${created_at}">${created_at.slice(0, 16).replace('T', ' ')} UTC</time>${where.map((part) => ` · ${escapeHtml(part)}`).join('')}</p></div>
</li>`
  })
  const list =
    items.length === 0
      ? '<p class="empty">Nothing was noted yet.</p>'
      : `<ul class="items">\n${items.join('\n')}\n</ul>`
  const more =
    older === undefined
      ? ''
      : `\n<div class="actions"><a class="button quiet" href="/account/events/?before=${older}">Older events</a></div>`
  return accountPage(
    'Security events',
    '/account/events/',
    `<p>What happened to your account. If something here was not you, <a href="/account/password/">change the password</a> and <a href="/account/sessions/">sign out everywhere</a>. Events are kept for 400 days.</p>
${list}${more}`,
  )
}

export function invitationsPage(
  invitations: readonly Invitation[],
  { formToken, said, problem, made }: FormPage & { readonly made?: string | undefined },
): string {
  const items = invitations.map(({ id, email, is_admin, expires_at }) => {
    const who = email ?? 'Anybody with the link'
    return `<li class="item">
<div><h2>${escapeHtml(who)}</h2>
<p class="facts">${is_admin ? 'as an administrator, ' : ''}until ${dayHtml(Date.parse(expires_at))}</p></div>
${actionForm(`/account/invitations/${id}/delete/`, formToken, 'Take back', { look: 'danger', label: `Take back the invitation: ${who}` })}
</li>`
  })
  return accountPage(
    'Invitations',
    '/account/',
    `${saidHtml(said)}${made === undefined ? '' : `${secretHtml('The invitation.', made)}\n`}<p>Whoever opens an invitation’s link first makes an account with it. It works once, within seven days.</p>
${problemHtml(problem)}<form method="post" action="/account/invitations/" class="panel">
<h2>New invitation</h2>
${hidden('form_token', formToken)}<label>E-mail address <span>leave it empty to let the guest choose</span>
<input type="email" name="email" autocomplete="off" maxlength="254">
</label>
<label class="choice"><input type="checkbox" name="is_admin" value="true"><span><strong>Administrator</strong></span></label>
<button>Make the invitation</button>
</form>
${items.length === 0 ? '<p class="empty">No invitation is open.</p>' : `<ul class="items">\n${items.join('\n')}\n</ul>`}
${BACK}`,
  )
}
