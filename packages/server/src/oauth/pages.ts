import type { Scope } from '@printwarden/protocol'
import { escapeHtml } from '../users/pages.js'
import { hidden, problemHtml, smallPage } from '../users/page-parts.js'

// Where a user is asked whether an app may come in. They work without script.

/** What each scope lets an app do, in the reader's words. */
export const PERMISSIONS: Readonly<Record<Scope, readonly string[]>> = {
  read: ['Query printer status', 'Access the printer page: pictures, prints and your profile'],
  write: ['Upload G-Code', 'Control printers: pause, resume, cancel, change settings'],
}

export interface ConsentApp {
  readonly name: string
  readonly description: string
  readonly isSelfRegistered: boolean
}

export interface ConsentForm {
  readonly app: ConsentApp
  readonly scopes: readonly Scope[]
  /** Who is signed in. */
  readonly email: string
  readonly action: string
  /** The hidden fields, which must come back as they are. */
  readonly fields: readonly (readonly [string, string])[]
  /** Where somebody else goes on after signing in. */
  readonly again: string
  /** What happens next, as HTML. */
  readonly outlook: string
  readonly problem?: string | undefined
}

/** The question whether an app may act for the user. */
export function consentPage({ app, scopes, email, action, fields, again, outlook, problem }: ConsentForm): string {
  const permissions = scopes.flatMap((scope) => PERMISSIONS[scope].map((text) => `<li>${escapeHtml(text)}</li>`))
  const description = app.description === '' ? '' : `<p class="description">${escapeHtml(app.description)}</p>\n`
  const origin = app.isSelfRegistered
    ? '<p class="notice">A user of this server registered this app; the operator has not checked it.</p>\n'
    : ''
  return smallPage(
    `Allow ${app.name}?`,
    `${problemHtml(problem)}${description}<h2>It will be able to</h2>
<ul class="permissions">
${permissions.join('\n')}
</ul>
${scopes.includes('write') ? '' : '<p>It can change nothing.</p>\n'}${origin}<div class="who"><span>Signed in as <strong>${escapeHtml(email)}</strong></span>
<button class="link" form="switch">Not you?</button></div>
<form method="post" action="${escapeHtml(action)}">
${fields.map(([name, value]) => hidden(name, value)).join('')}<div class="choices">
<button name="allow" value="true">Allow</button>
<button name="allow" value="false" class="quiet">Deny</button>
</div>
</form>
<p class="fine">${outlook} You can take this back at any time under <a href="/account/apps/">connected apps</a>.</p>
<form method="post" action="/logout/" id="switch" class="unseen">${hidden('next', again)}</form>`,
  )
}

/** Says where an app's answer goes, so that a false app is noticed. */
export function outlookText(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  const isWeb = protocol === 'http:' || protocol === 'https:'
  const isHere = /^(127\.0\.0\.1|\[::1\]|localhost)(:|$)/.test(host)
  if (isHere) return `You go on to a program on this computer (<strong>${escapeHtml(host)}</strong>).`
  const where = isWeb
    ? `<strong>${escapeHtml(host)}</strong>`
    : `an app on this device (<strong>${escapeHtml(protocol)}</strong>)`
  return `You go on to ${where}.`
}

/** An app's request that cannot be answered to the app. The code is for whoever makes the app. */
export function authorizationErrorPage(code: string, description: string): string {
  return smallPage(
    'This link cannot be used',
    `<p>An app wanted to connect to your account, but its request is not right. Nothing was allowed.</p>
<p class="problem">${escapeHtml(description)}</p>
<p class="fine">For the developer of the app: <code>${escapeHtml(code)}</code></p>
<p><a href="/">Back to the printers</a></p>`,
  )
}

/** Where the user types the code that a device shows. */
export function deviceCodePage({
  formToken,
  userCode,
  problem,
}: {
  readonly formToken: string
  readonly userCode: string
  readonly problem?: string | undefined
}): string {
  return smallPage(
    'Connect a device',
    `<p>Type the code that the device or program shows.</p>
${problemHtml(problem)}<form method="post" action="/device/">
${hidden('form_token', formToken)}<label>Code
<input type="text" name="user_code" value="${escapeHtml(userCode)}" class="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="40" required autofocus placeholder="ABCD-EFGH">
</label>
<button>Continue</button>
</form>`,
  )
}

/** What a user says yes or no to must be the device in front of them. */
export function deviceOutlook(shownCode: string): string {
  return `Allow it only if you started this yourself and your device shows <strong class="shown">${escapeHtml(shownCode)}</strong>.`
}

/** The page from which a slicer takes its token; the script reads it from the address, which no server sees. */
export const SLICER_PAGE = smallPage(
  'Signed in',
  `<p id="outcome" role="status">Handing the sign-in over to your slicer. You can close this window when it does not close by itself.</p>
<script src="/o/slicer.js"></script>`,
)

export const SLICER_SCRIPT = `const answer = new URLSearchParams(location.hash.slice(1))
const outcome = document.getElementById('outcome')
const token = answer.get('access_token')
history.replaceState(null, '', location.pathname)
if (token === null) {
  outcome.textContent = answer.get('error') === 'access_denied' ? 'You said no; the slicer was not signed in.' : 'The slicer was not signed in.'
} else if (window.wx === undefined) {
  outcome.textContent = 'This page belongs into the window of your slicer. Start the sign-in there.'
} else {
  window.wx.postMessage(JSON.stringify({ command: 'login_token', data: { token } }))
}
`
