/** Schemes that run script or read files in the browser itself. */
const DANGEROUS = /^(javascript|data|vbscript|file|blob|about|filesystem|view-source):$/

/**
 * What is wrong with a redirect URI that a client wants to register; undefined when nothing is. It must be absolute and without a
 * fragment (RFC 6749, section 3.1.2); schemes of an app's own are for public clients (RFC 8252).
 */
export function problemOfRedirectUri(uri: string, type: 'confidential' | 'public'): string | undefined {
  if (/[\s\p{Cc}]/u.test(uri) || !URL.canParse(uri)) return 'must be an absolute URI'
  const { protocol, username, password } = new URL(uri)
  if (uri.includes('#')) return 'must not have a fragment (#…)'
  if (username !== '' || password !== '') return 'must not hold a user name or password'
  if (protocol === 'http:' || protocol === 'https:') return undefined
  if (DANGEROUS.test(protocol)) return `must not have the scheme ${protocol}`
  return type === 'public' ? undefined : 'must be http or https for a confidential client'
}
