import { accountPage, hidden, problemHtml, saidHtml, smallPage } from './page-parts.js'
import { escapeHtml } from './pages.js'
import type { FormPage } from './settings-pages.js'

// Sign-in in two steps: the code after the password, and turning it on and off.

const CODE_FIELD = `<input type="text" name="code" class="code" inputmode="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required autofocus>`

/** Between the password and the session. */
export function secondStepPage({
  formToken,
  step,
  next,
  problem,
}: FormPage & { readonly step: string; readonly next: string }): string {
  return smallPage(
    'One more step',
    `<p>Type the code that your authenticator shows. Without it, one of your recovery codes does as well.</p>
${problemHtml(problem)}<form method="post" action="/login/code/">
${hidden('form_token', formToken)}${hidden('step', step)}${hidden('next', next)}<label>Code
${CODE_FIELD}
</label>
<button>Sign in</button>
</form>
<p class="fine"><a href="/login/">Start again</a>. Who has lost both asks the administrator of this server.</p>`,
  )
}

const BACK = '<p class="fine"><a href="/account/">Back to the account</a></p>'

const password = `<label>Password
<input type="password" name="old_password" autocomplete="current-password" maxlength="256" required>
</label>`

/** How things stand, and the forms to change that. */
export function twoStepPage({
  formToken,
  problem,
  said,
  recoveryCodes,
}: FormPage & { readonly recoveryCodes: number | undefined }): string {
  const title = 'Sign-in in two steps'
  if (recoveryCodes === undefined) {
    return accountPage(
      title,
      '/account/',
      `${saidHtml(said)}<p>After the password you type a code from an authenticator on your phone, so a password that leaks lets nobody in. Programs are not asked: they use access tokens.</p>
${problemHtml(problem)}<form method="post" action="/account/two_step/begin/">
${hidden('form_token', formToken)}${password}
<button>Turn it on</button>
</form>
${BACK}`,
    )
  }
  return accountPage(
    title,
    '/account/',
    `${saidHtml(said)}${problemHtml(problem)}<p>It is on. ${recoveryCodes === 1 ? '1 recovery code is' : `${recoveryCodes} recovery codes are`} left.</p>
<form method="post" action="/account/two_step/codes/" class="panel">
<h2>New recovery codes</h2>
${hidden('form_token', formToken)}${password}
<button class="quiet">Make new codes</button>
</form>
<form method="post" action="/account/two_step/remove/" class="panel">
<h2>Turn it off</h2>
${hidden('form_token', formToken)}${password}
<label>Code <span>of the authenticator, or a recovery code</span>
<input type="text" name="code" class="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required>
</label>
<button class="danger">Turn it off</button>
</form>
${BACK}`,
  )
}

/** The secret as a picture and as text, and the field that proves that it arrived. */
export function enrolPage({
  formToken,
  problem,
  qrSvg,
  typed,
}: FormPage & { readonly qrSvg: string; readonly typed: string }): string {
  const data = `data:image/svg+xml;base64,${btoa(qrSvg)}`
  return accountPage(
    'Turn on sign-in in two steps',
    '/account/',
    `<p>Scan this with an authenticator (any app for one-time codes), or type the key below into it.</p>
<p class="qr"><img src="${data}" width="220" height="220" alt="QR code of the key that stands below"></p>
<p>Key: <code class="secret">${escapeHtml(typed)}</code></p>
${problemHtml(problem)}<form method="post" action="/account/two_step/confirm/">
${hidden('form_token', formToken)}<label>Code that it shows now
${CODE_FIELD}
</label>
<button>Confirm</button>
</form>
${BACK}`,
  )
}

/** Ten codes for the day on which the phone is gone. */
export function recoveryCodesPage(codes: readonly string[], said: string): string {
  return accountPage(
    'Recovery codes',
    '/account/',
    `${saidHtml(said)}<p>Each lets you in once when the authenticator is not at hand. They are shown only now: print them, or keep them where you keep passwords.</p>
<ul class="codes">
${codes.map((code) => `<li><code>${escapeHtml(code)}</code></li>`).join('\n')}
</ul>
<div class="actions"><a class="button" href="/account/">Done</a></div>`,
  )
}
