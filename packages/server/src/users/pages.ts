// The pages that work without script. Pure: values in, HTML out.

/** Text as it may stand in HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const LOGO = `<svg viewBox="0 0 32 32" aria-hidden="true">
<rect width="32" height="32" rx="8" fill="#0b6b63"/>
<path d="M10 5.5h12v4.5l-4 4.5h-4l-4-4.5z" fill="#fff"/>
<g stroke="#fff" stroke-width="2.6" stroke-linecap="round"><path d="M12 18.6h8"/><path d="M9.5 22.6h13" opacity=".8"/><path d="M7 26.6h18" opacity=".6"/></g>
</svg>`

/** How a page differs from the small ones. */
export interface PageOptions {
  /** Further stylesheets, by their paths. */
  readonly styles?: readonly string[]
  /** A class of the body. */
  readonly look?: string
  /** HTML between the name and the page's own part. */
  readonly navigation?: string
}

/** A whole page around `body`, which is HTML. */
export function pageOf(
  title: string,
  body: string,
  { styles = [], look = '', navigation = '' }: PageOptions = {},
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Printwarden</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/pages.css">
${styles.map((href) => `<link rel="stylesheet" href="${escapeHtml(href)}">\n`).join('')}</head>
<body${look === '' ? '' : ` class="${escapeHtml(look)}"`}>
<div class="brand">${LOGO}Printwarden</div>
${navigation}<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`
}

/** What each form brings along unseen. */
interface FormFields {
  /** The anti-forgery field. */
  readonly formToken: string
  /** What was wrong with the last try. */
  readonly problem?: string | undefined
  readonly email?: string | undefined
}

/** The sign-in page; `next` is where to go from there. */
export function signInPage({ formToken, problem, email = '', next }: FormFields & { readonly next: string }): string {
  return pageOf(
    'Sign in',
    `${problemHtml(problem)}<form method="post" action="/login/">
${hidden('form_token', formToken)}${hidden('next', next)}${emailHtml(email, 'username')}
<label>Password
<input type="password" name="password" autocomplete="current-password" required${email === '' ? '' : ' autofocus'}>
</label>
<button>Sign in</button>
</form>
<p class="fine"><a href="/password_reset/">Forgot the password?</a></p>`,
  )
}

/** The page on which the first person makes the administrator's account; `token` is that of the claim link. */
export function claimPage({ formToken, problem, email = '', token }: FormFields & { readonly token: string }): string {
  return pageOf(
    'Make this server yours',
    `<p>Nobody administers this server yet. Choose the e-mail address and password with which you will sign in.</p>
${problemHtml(problem)}<form method="post" action="/claim/">
${hidden('form_token', formToken)}${hidden('token', token)}${emailHtml(email, 'email')}
<label>Password <span>at least 8 characters</span>
<input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="256" required>
</label>
<label>Password again
<input type="password" name="password_again" autocomplete="new-password" minlength="8" maxlength="256" required>
</label>
<button>Create the administrator</button>
</form>`,
  )
}

/** A page that says why there is nothing here, and where to go on. */
export function messagePage(
  title: string,
  text: string,
  link?: { readonly href: string; readonly text: string },
): string {
  const linkHtml = link === undefined ? '' : `\n<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>`
  return pageOf(title, `<p>${escapeHtml(text)}</p>${linkHtml}`)
}

function problemHtml(problem: string | undefined): string {
  return problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">\n`
}

function emailHtml(email: string, autocomplete: string): string {
  return `<label>E-mail address
<input type="email" name="email" value="${escapeHtml(email)}" autocomplete="${autocomplete}" maxlength="254" required${email === '' ? ' autofocus' : ''}>
</label>`
}
