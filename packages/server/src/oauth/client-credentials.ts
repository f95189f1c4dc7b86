import { timingSafeEqual } from 'node:crypto'
import { OAuthError } from '../errors.js'
import type { Client } from './client.js'
import type { OAuthParameters } from './parameters.js'

/** Who a client says it is, and how it proves that. */
export interface ClientCredentials {
  readonly clientId: string
  readonly secret: string | undefined
}

const UNKNOWN = 'The client is unknown, or its secret is wrong.'

/**
 * The client's credentials: HTTP Basic or form fields, never both (RFC 6749, section 2.3).
 * @throws {OAuthError} invalid_client, invalid_request
 */
export function clientCredentials(authorization: string | undefined, form: OAuthParameters): ClientCredentials {
  const clientId = form.get('client_id')
  const secret = form.get('client_secret')
  if (authorization === undefined) {
    if (clientId === undefined) throw new OAuthError('invalid_request', false, 'The parameter client_id is missing.')
    return { clientId, secret }
  }
  const basic = basicCredentials(authorization)
  if (basic === undefined) throw new OAuthError('invalid_client', false, 'The Authorization header must be Basic.')
  if (secret !== undefined || (clientId !== undefined && clientId !== basic.clientId)) {
    throw new OAuthError('invalid_request', false, 'The client must prove itself in one way only.')
  }
  return basic
}

/** Name and password of HTTP Basic, each form-encoded before (RFC 6749, section 2.3.1). */
function basicCredentials(authorization: string): ClientCredentials | undefined {
  const [, encoded] = /^basic +([\w+/=-]{1,4000})$/i.exec(authorization) ?? []
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  const clientId = formDecoded(text.slice(0, colon))
  const secret = formDecoded(text.slice(colon + 1))
  if (clientId === undefined || secret === undefined || clientId === '') return undefined
  return { clientId, secret: secret === '' ? undefined : secret }
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/**
 * Whether the client is who it says. A confidential one has the secret; a public one has none, and one that sends a secret is not
 * the one that was registered.
 * @throws {OAuthError} invalid_client, in the same words for an unknown client and a wrong secret
 */
export function checkClientSecret(
  client: Client | undefined,
  secret: string | undefined,
  hash: (text: string) => string,
): Client {
  const isRight =
    client !== undefined &&
    (client.client_secret_hash === null ? secret === undefined : hasHash(secret, client.client_secret_hash, hash))
  // A confidential client whose secret is missing from the database must not count as public.
  if (!isRight || (client.type === 'confidential' && client.client_secret_hash === null)) {
    throw new OAuthError('invalid_client', false, UNKNOWN)
  }
  return client
}

function hasHash(secret: string | undefined, expected: string, hash: (text: string) => string): boolean {
  if (secret === undefined) return false
  const given = Buffer.from(hash(secret))
  const wanted = Buffer.from(expected)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
