/** Stands in for our own origin; no page has it. */
const HERE = 'http://here.invalid'

/**
 * Where to go after signing in: a path of our own, or the dashboard. Anything else (another host, however written) would make our
 * form a stepping stone for a foreign page.
 */
export function nextPage(next: string | undefined): string {
  if (next === undefined || !/^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(next)) return '/'
  if (!URL.canParse(next, HERE)) return '/'
  const url = new URL(next, HERE)
  const path = url.pathname + url.search + url.hash
  return url.origin === HERE && !path.startsWith('//') ? path : '/'
}

/** The sign-in page, which leads on to `next`: a path of our own. */
export function signInPath(next: string): string {
  return `/login/?next=${encodeURIComponent(next)}`
}
