/** 256 random bits, in letters that a URL takes as they are: 43 of them, as many as a code verifier needs (RFC 7636, section 4.1). */
export function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)))
}

/** The challenge for a code verifier: its SHA-256 (RFC 7636, section 4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  // Browsers keep it from pages that came over http, save those of the user's own machine.
  if (globalThis.crypto.subtle === undefined) {
    throw new TypeError(
      'signing in needs a page that came over https (or from localhost): the browser has no crypto.subtle here',
    )
  }
  return base64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
