const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  ECONNABORTED: 'timeout',
  ETIMEDOUT: 'timeout',
  ENOTFOUND: 'unknown name',
  EAI_AGAIN: 'unknown name',
  EHOSTUNREACH: 'no way there',
  ENETUNREACH: 'no network',
  EPROTO: 'it does not speak https there',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

/** Why a connection failed, in a few words that fit into brackets. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code !== undefined) return REASONS[code] ?? code
  if (/timed? ?out/i.test(error.message)) return 'timeout'
  // Several addresses of one name were tried, each with its own error.
  const [first] = error instanceof AggregateError ? error.errors : []
  return first === undefined ? error.message : reasonOf(first)
}
