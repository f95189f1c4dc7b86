import { createHash } from 'node:crypto'
import type { CameraLogin } from '../config/camera-config.js'

/** One way to log in that a server offers: RFC 7617 (Basic) or RFC 7616 (Digest, also the older RFC 2069). */
export type Challenge =
  | { readonly scheme: 'basic' }
  | {
      readonly scheme: 'digest'
      readonly realm: string
      readonly nonce: string
      readonly opaque: string | undefined
      readonly hash: 'md5' | 'sha256'
      /** The name as the server wrote it; undefined when it named none. */
      readonly algorithm: string | undefined
      /** Whether the answer counts requests (`qop=auth`); the oldest servers know only the plain form. */
      readonly counts: boolean
      readonly isSession: boolean
    }

/** The request that is to be allowed. `count` is how often this challenge has been answered, from 1. */
export interface GuardedRequest {
  readonly path: string
  readonly count: number
  /** Random text of the client's own. */
  readonly cnonce: string
}

/** A parameter, with or without quotes, or the name of a scheme. */
const WORD = /[\s,]*(?:([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))|([\w-]+))/y

/** The best way to log in that a `WWW-Authenticate` header offers; undefined when there is none that we know. */
export function chooseChallenge(header: string): Challenge | undefined {
  const known = readChallenges(header).flatMap(({ scheme, values }) => toChallenge(scheme, values) ?? [])
  const digests = known.filter((challenge) => challenge.scheme === 'digest')
  return digests.find(({ hash }) => hash === 'sha256') ?? digests[0] ?? known[0]
}

/** The `Authorization` header that answers a challenge to a GET. */
export function authorization(challenge: Challenge, { user, password }: CameraLogin, request: GuardedRequest): string {
  if (challenge.scheme === 'basic') return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const { realm, nonce, opaque, algorithm, counts, isSession } = challenge
  const hash = (...parts: string[]) => createHash(challenge.hash).update(parts.join(':')).digest('hex')
  const { path, cnonce } = request
  const secret = hash(user, realm, password)
  const key = isSession ? hash(secret, nonce, cnonce) : secret
  const asked = hash('GET', path)
  const count = request.count.toString(16).padStart(8, '0')
  const response = counts ? hash(key, nonce, count, cnonce, 'auth', asked) : hash(key, nonce, asked)
  const fields = [
    `username=${quoted(user)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(path)}`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    ...(counts || isSession ? [`cnonce="${cnonce}"`] : []),
    ...(counts ? ['qop=auth', `nc=${count}`] : []),
    `response="${response}"`,
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
  ]
  return `Digest ${fields.join(', ')}`
}

interface Offer {
  readonly scheme: string
  readonly values: Map<string, string>
}

/** The header may hold several challenges, each a scheme with its parameters, all parted by commas. */
function readChallenges(header: string): Offer[] {
  const offers: Offer[] = []
  WORD.lastIndex = 0
  for (let match = WORD.exec(header); match; match = WORD.exec(header)) {
    const [, name, quotedValue, value, scheme] = match
    if (scheme !== undefined) offers.push({ scheme: scheme.toLowerCase(), values: new Map() })
    else offers.at(-1)?.values.set(name?.toLowerCase() ?? '', quotedValue?.replace(/\\(.)/g, '$1') ?? value ?? '')
  }
  return offers
}

function toChallenge(scheme: string, values: Map<string, string>): Challenge | undefined {
  if (scheme === 'basic') return { scheme }
  const nonce = values.get('nonce')
  const algorithm = values.get('algorithm')
  const [, name, session] = /^(MD5|SHA-256)(-sess)?$/i.exec(algorithm ?? 'MD5') ?? []
  const qops = values.get('qop')?.split(/[\s,]+/)
  if (scheme !== 'digest' || nonce === undefined || name === undefined) return undefined
  // A server that only takes answers which cover the body too is beyond us.
  if (qops && !qops.includes('auth')) return undefined
  return {
    scheme: 'digest',
    realm: values.get('realm') ?? '',
    nonce,
    opaque: values.get('opaque'),
    hash: name.toUpperCase() === 'MD5' ? 'md5' : 'sha256',
    algorithm,
    counts: qops !== undefined,
    isSession: session !== undefined,
  }
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
