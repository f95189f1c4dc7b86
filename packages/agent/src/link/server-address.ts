/** The port of a server that was not told another one. */
export const SERVER_PORT = 3334

/**
 * The addresses that a user may mean by what was typed, the likeliest first: with or without `http://`, with or without the
 * port. Empty when it is no address at all.
 */
export function serverAddresses(typed: string): string[] {
  const text = typed.trim().replace(/\/+$/, '')
  if (text === '' || /^[a-z]+:$/i.test(text)) return []
  const hasScheme = /^https?:\/\//i.test(text)
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !hasScheme) return []
  const full = hasScheme ? text : `http://${text}`
  if (!URL.canParse(full)) return []
  const url = new URL(full)
  if (url.hostname === '' || url.username !== '') return []
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  if (url.port !== '' || /:\d+$/.test(full)) return [base]
  const withPort = `http://${url.hostname}:${SERVER_PORT}`
  if (hasScheme) return url.protocol === 'https:' ? [base] : [base, withPort]
  return [withPort, base, `https://${url.hostname}`]
}

/** The page on which a user enters the code, with the code filled in. */
export function linkPage(server: string, code: string, printerId?: number): string {
  const query = printerId === undefined ? '' : `&printer_id=${printerId}`
  return `${server}/printers/new?code=${code}${query}`
}

/**
 * The same page as a telephone can open it: a server that this machine calls by its loopback address has another one in the
 * network.
 */
export function reachablePage(page: string, ownAddress: string | undefined): string {
  const url = new URL(page)
  const isLoopback = url.hostname === 'localhost' || url.hostname.startsWith('127.') || url.hostname === '[::1]'
  if (!isLoopback || ownAddress === undefined) return page
  url.hostname = ownAddress
  return url.href
}
