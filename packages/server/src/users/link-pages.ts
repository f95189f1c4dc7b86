import { hidden, problemHtml, smallPage } from './page-parts.js'
import { escapeHtml } from './pages.js'
import { type FormPage, NEW_PASSWORD } from './settings-pages.js'

// Pages behind links: for people who cannot sign in, or not yet.

export function resetRequestPage({
  formToken,
  problem,
  email = '',
  canMail,
}: FormPage & { readonly email?: string; readonly canMail: boolean }): string {
  if (!canMail) {
    return smallPage(
      'New password',
      `<p>This server sends no mail. Ask its administrator for a link to set a new password.</p>
<p><a href="/login/">Back to signing in</a></p>`,
    )
  }
  return smallPage(
    'New password',
    `<p>A link to set a new password is mailed to the address of your account.</p>
${problemHtml(problem)}<form method="post" action="/password_reset/">
${hidden('form_token', formToken)}<label>E-mail address
<input type="email" name="email" value="${escapeHtml(email)}" autocomplete="username" maxlength="254" required autofocus>
</label>
<button>Mail the link</button>
</form>
<p class="fine"><a href="/login/">Back to signing in</a></p>`,
  )
}

/** The same for every address: whether somebody has it is not told. */
export function resetRequestedPage(): string {
  return smallPage(
    'Look into your mail',
    `<p>If an account has this address, a link to set a new password is on its way. It works once, within an hour.</p>
<p><a href="/login/">Back to signing in</a></p>`,
  )
}

export function newPasswordPage({ formToken, problem, token }: FormPage & { readonly token: string }): string {
  return smallPage(
    'Set a new password',
    `<p>All browsers are signed out; then you sign in with the new password.</p>
${problemHtml(problem)}<form method="post" action="/password_reset/new/">
${hidden('form_token', formToken)}${hidden('token', token)}${NEW_PASSWORD}
<button>Set the password</button>
</form>`,
  )
}

export function confirmEmailPage({
  formToken,
  problem,
  token,
  email,
}: FormPage & { readonly token: string; readonly email: string }): string {
  return smallPage(
    'Confirm the address',
    `<p>From now on you sign in with <strong>${escapeHtml(email)}</strong>.</p>
${problemHtml(problem)}<form method="post" action="/email_change/">
${hidden('form_token', formToken)}${hidden('token', token)}<button>Confirm</button>
</form>`,
  )
}

export function acceptInvitationPage({
  formToken,
  problem,
  token,
  fixedEmail,
  email = '',
  name = '',
}: FormPage & {
  readonly token: string
  /** The address that was invited; null when the guest chooses. */
  readonly fixedEmail: string | null
  readonly email?: string
  readonly name?: string
}): string {
  const address =
    fixedEmail === null
      ? `<label>E-mail address
<input type="email" name="email" value="${escapeHtml(email)}" autocomplete="email" maxlength="254" required>
</label>`
      : `<label>E-mail address
<input type="email" value="${escapeHtml(fixedEmail)}" autocomplete="username" readonly>
</label>`
  return smallPage(
    'Welcome to Printwarden',
    `<p>You were invited to make an account on this server.</p>
${problemHtml(problem)}<form method="post" action="/invitation/">
${hidden('form_token', formToken)}${hidden('token', token)}<label>Name <span>you can leave it empty</span>
<input type="text" name="name" value="${escapeHtml(name)}" autocomplete="name" maxlength="150">
</label>
${address}
${NEW_PASSWORD}
<button>Make the account</button>
</form>`,
  )
}

/** Every link that is used up, over, or never was. */
export function deadLinkPage(): string {
  return smallPage(
    'This link does not work',
    `<p>It was used already, it is too old, or a newer one took its place.</p>
<p><a href="/login/">Sign in</a></p>`,
  )
}
