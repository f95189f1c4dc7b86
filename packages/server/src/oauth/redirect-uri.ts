/** Schemes that run script or read files in the browser itself. */
const DANGEROUS = /^(javascript|data|vbscript|file|blob|about|filesystem|view-source|ws|wss|ftp|mailto|intent):$/

/**
 * What is wrong with a redirect URI that a client wants to register; undefined when nothing is. It must be absolute and without a
 * fragment (RFC 6749, section 3.1.2); schemes of an app's own are for public clients (RFC 8252).
 */
export function problemOfRedirectUri(uri: string, type: 'confidential' | 'public'): string | undefined {
  if (/[^\x21-\x7e]/.test(uri) || uri.includes('\\') || !URL.canParse(uri)) {
    return 'must be an absolute URI, such as https://app.example/callback'
  }
  const { protocol, username, password } = new URL(uri)
  if (uri.includes('#')) return 'must not have a fragment (#…): the server adds the code itself'
  if (username !== '' || password !== '') return 'must not hold a user name or password'
  if (uri.includes('*')) return 'must be written out: * does not stand for anything here'
  if (protocol === 'http:' || protocol === 'https:') {
    return /^https?:\/\//i.test(uri) ? undefined : 'must be an absolute URI, such as https://app.example/callback'
  }
  if (DANGEROUS.test(protocol)) return `must not have the scheme ${protocol}`
  return type === 'public' ? undefined : 'must be http or https for a confidential client'
}

/** The two addresses of this machine itself that RFC 8252 names, with any port, and what follows. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?((?:[/?].*)?)$/s

/**
 * Whether a redirect URI is the registered one: character for character, save for the port of a loopback address, which an app on
 * the user's machine cannot know beforehand (RFC 8252, section 7.3).
 */
export function isSameRedirectUri(registered: string, given: string): boolean {
  if (registered === given) return true
  const [, host, , rest] = LOOPBACK.exec(registered) ?? []
  const [, givenHost, givenPort, givenRest] = LOOPBACK.exec(given) ?? []
  if (host === undefined || host !== givenHost || rest !== givenRest) return false
  return givenPort === undefined || (Number(givenPort) >= 1 && Number(givenPort) <= 65_535)
}

/** Whether the redirect URI proves which app it leads to. Any program on the user's machine can take a loopback port or a scheme. */
export function provesApp(redirectUri: string): boolean {
  return redirectUri.startsWith('https://')
}

/** The redirect URI with the answer's parameters in its query, after those that it has. */
export function withQuery(redirectUri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = queryText(parameters)
  if (!redirectUri.includes('?')) return `${redirectUri}?${query}`
  return /[?&]$/.test(redirectUri) ? `${redirectUri}${query}` : `${redirectUri}&${query}`
}

/** The redirect URI with the answer's parameters in its fragment: the implicit grant. */
export function withFragment(redirectUri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  return `${redirectUri}#${queryText(parameters)}`
}

function queryText(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new URLSearchParams(given).toString()
}
