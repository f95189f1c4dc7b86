import { escapeHtml, pageOf } from './pages.js'

// Parts that the pages of an account share. Pure: values in, HTML out.

export const STYLE_PATH = '/apps.css'

/** A small page in the middle of the window. */
export function smallPage(title: string, body: string): string {
  return pageOf(title, body, { styles: [STYLE_PATH], look: 'asks' })
}

const PAGES = [
  { href: '/account/', text: 'Account' },
  { href: '/account/sessions/', text: 'Sessions' },
  { href: '/account/events/', text: 'Security events' },
  { href: '/account/apps/', text: 'Connected apps' },
  { href: '/account/tokens/', text: 'Access tokens' },
  { href: '/account/printers/', text: 'Printer tokens' },
  { href: '/developer/apps/', text: 'Developer' },
] as const

/** A page of the account, as wide as its lists need. `current` is the entry of the navigation that it belongs to. */
export function accountPage(title: string, current: (typeof PAGES)[number]['href'], body: string): string {
  const links = PAGES.map(
    ({ href, text }) => `<a href="${href}"${href === current ? ' aria-current="page"' : ''}>${text}</a>`,
  )
  const navigation = `<nav class="pages" aria-label="Account">${links.join('\n')}
<a href="/">Back to the printers</a></nav>
`
  return pageOf(title, body, { styles: [STYLE_PATH], look: 'lists', navigation })
}

export function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">\n`
}

export function problemHtml(problem: string | undefined): string {
  return problem === undefined ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`
}

/** What is wrong, one thing on a line. */
export function problemsHtml(problems: readonly string[]): string {
  if (problems.length < 2) return problemHtml(problems[0])
  const items = problems.map((problem) => `<li>${escapeHtml(problem)}</li>`)
  return `<ul class="problem" role="alert">${items.join('')}</ul>\n`
}

export function saidHtml(said: string | undefined): string {
  return said === undefined ? '' : `<p class="said" role="status">${escapeHtml(said)}</p>\n`
}

/** A page that says something and leads on. */
export function saidPage(title: string, text: string, link = { href: '/', text: 'Back to the printers' }): string {
  return smallPage(
    title,
    `<p>${escapeHtml(text)}</p>
<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>`,
  )
}

/** Something that is shown only once, to be copied by hand. */
export function secretHtml(label: string, secret: string): string {
  return `<div class="once" role="status">
<p><strong>${escapeHtml(label)}</strong> It is shown only now; keep it where nobody else reads it.</p>
<code class="secret">${escapeHtml(secret)}</code>
</div>`
}

/** A button that does one thing by itself. */
export function actionForm(
  action: string,
  formToken: string,
  text: string,
  { look = 'quiet', label }: { readonly look?: 'quiet' | 'danger'; readonly label?: string } = {},
): string {
  const aria = label === undefined ? '' : ` aria-label="${escapeHtml(label)}"`
  return `<form method="post" action="${escapeHtml(action)}" class="action">${hidden('form_token', formToken)}<button class="${look}"${aria}>${escapeHtml(text)}</button></form>`
}

/** A day, for people and for programs. */
export function dayHtml(ms: number): string {
  const iso = new Date(ms).toISOString()
  return `<time datetime="${iso}">${iso.slice(0, 10)}</time>`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** When something was used last, in words. */
export function lastUseText(ms: number | null, now: number): string {
  if (ms === null) return 'never used'
  const age = now - ms
  if (age < 2 * MINUTE_MS) return 'used just now'
  if (age < 2 * HOUR_MS) return `used ${Math.floor(age / MINUTE_MS)} minutes ago`
  if (age < 2 * DAY_MS) return `used ${Math.floor(age / HOUR_MS)} hours ago`
  return `used ${Math.floor(age / DAY_MS)} days ago`
}
