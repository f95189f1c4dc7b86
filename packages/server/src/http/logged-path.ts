/** Paths in which existing clients name a credential, up to it. */
const TOKEN_IN_PATH = /^(\/ws\/(?:share_)?token\/[^/]*\/)[^/]+/

/** A path as it may be written down: without what is secret in it. */
export const pathToLog = (path: string): string => path.replace(TOKEN_IN_PATH, '$1[redacted]')
