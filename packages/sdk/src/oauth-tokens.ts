import { isRecord, parseJson } from './errors.js'

/** What an app was given for a user. */
export interface Tokens {
  readonly access_token: string
  /** Gets the next pair; absent when the server gives none. */
  readonly refresh_token?: string
  /** What was granted, space-separated. */
  readonly scope: string
  /** When the access token ends by this machine's clock, in milliseconds. */
  readonly expires_at: number
}

/** An answer of the token endpoint as tokens; undefined when it is none. */
export function readTokens(body: unknown, nowMs: number): Tokens | undefined {
  if (!isRecord(body) || typeof body.expires_in !== 'number') return undefined
  return tokensOf({ ...body, expires_at: nowMs + body.expires_in * 1000 })
}

/** Tokens as they were stored; undefined when they are not. */
export const parseTokens = (text: string | undefined): Tokens | undefined => tokensOf(parseJson(text ?? ''))

function tokensOf(value: unknown): Tokens | undefined {
  if (!isRecord(value)) return undefined
  const { access_token, refresh_token, scope, expires_at } = value
  if (typeof access_token !== 'string' || access_token === '' || typeof expires_at !== 'number') return undefined
  return {
    access_token,
    ...(typeof refresh_token === 'string' ? { refresh_token } : {}),
    scope: typeof scope === 'string' ? scope : '',
    expires_at,
  }
}
