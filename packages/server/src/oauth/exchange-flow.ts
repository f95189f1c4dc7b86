import type { Kysely } from 'kysely'
import { parseScopes } from '@printwarden/protocol'
import { OAuthError } from '../errors.js'
import type { Bus, Clock, Database } from '../ports.js'
import type { Tables } from '../tables.js'
import { checkGrantType, checkNarrowerScope, checkTokenRedirectUri, required } from './checks.js'
import type { Client } from './client.js'
import { findDeviceCode, notePoll, takeDeviceCode } from './device-store.js'
import { exchangeCode, pollDevice, REFRESH_GRACE_MS, useRefreshToken } from './grant.js'
import {
  deleteOldRefreshTokens,
  findGrantByCode,
  findRefreshToken,
  insertGrant,
  type RefreshRow,
  retryRefreshToken,
  revokeChildren,
  rotateRefreshToken,
  takeCode,
} from './grant-store.js'
import { type IssueFlowDeps, issueFlow, type TokenAnswer } from './issue-flow.js'
import type { OAuthParameters } from './parameters.js'
import { endGrants, tellRevoked } from './revocation-flow.js'
import { deleteEndedTokens, revokeTokens, shortenTokens } from './store.js'
import { findUser } from '../users/store.js'

const DAY_MS = 24 * 3_600_000

/** How long replaced refresh tokens are remembered, so that a stolen one that comes back ends the family. */
const REUSE_MEMORY_MS = 90 * DAY_MS

/** What each too hasty question adds to a device's interval (RFC 8628, section 3.5). */
const SLOW_DOWN_SECONDS = 5

export interface ExchangeFlowDeps extends IssueFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
}

/** What a transaction came to. Revocations must be kept although the request is refused, so nothing is thrown inside. */
type Result =
  | { readonly type: 'issued'; readonly answer: TokenAnswer; readonly revoked: readonly number[] }
  | { readonly type: 'refused'; readonly revoked: readonly number[] }

const REFUSED: Result = { type: 'refused', revoked: [] }

/** The token endpoint: a code, a refresh token or a device's code for tokens. */
export function exchangeFlow(deps: ExchangeFlowDeps) {
  const { database, bus, clock, secrets } = deps
  const { issuePair } = issueFlow(deps)

  /** @throws {OAuthError} invalid_grant, once what had to be revoked is */
  async function settle(work: (trx: Kysely<Tables>) => Promise<Result>, refusal: string): Promise<TokenAnswer> {
    const result = await database.transaction(work)
    tellRevoked(bus, result.revoked)
    if (result.type === 'issued') return result.answer
    throw new OAuthError('invalid_grant', false, refusal)
  }

  async function revokeFamily(trx: Kysely<Tables>, id: number): Promise<Result> {
    return { type: 'refused', revoked: await endGrants(trx, { id }, clock.now()) }
  }

  function byCode(client: Client, form: OAuthParameters): Promise<TokenAnswer> {
    const hash = secrets.hash(required('code', form.get('code')))
    const redirectUri = checkTokenRedirectUri(client, form.get('redirect_uri'))
    const exchange = { clientId: client.id, redirectUri, codeVerifier: form.get('code_verifier') }
    return settle(async (trx) => {
      const grant = await findGrantByCode(trx, hash)
      if (grant === undefined || grant.disabled_at !== null) return REFUSED
      const now = clock.now()
      const outcome = exchangeCode(grant, exchange, now)
      if (outcome === 'ignore') return REFUSED
      // Whoever was first between our reading and now has used it: that is a replay too.
      if (outcome === 'revoke' || !(await takeCode(trx, grant.id, now))) return revokeFamily(trx, grant.id)
      if (outcome === 'refuse') return REFUSED
      const scopes = parseScopes(grant.scope)
      const issue = { grantId: grant.id, userId: grant.user_id, clientId: client.id, scopes, parentId: null }
      return { type: 'issued', answer: await issuePair(trx, issue), revoked: [] }
    }, 'The code is unknown, expired or used, or the redirect_uri or code_verifier is not the one of the authorization.')
  }

  function byRefreshToken(client: Client, form: OAuthParameters): Promise<TokenAnswer> {
    const hash = secrets.hash(required('refresh_token', form.get('refresh_token')))
    const scope = form.get('scope')
    return settle(
      async (trx) => (await refresh(trx, client, hash, scope)) ?? (await refresh(trx, client, hash, scope)) ?? REFUSED,
      'The refresh token is unknown, used or revoked.',
    )
  }

  /** One try; undefined when another request changed the token meanwhile, so that it must be looked at again. */
  async function refresh(
    trx: Kysely<Tables>,
    client: Client,
    hash: string,
    scope: string | undefined,
  ): Promise<Result | undefined> {
    const token = await findRefreshToken(trx, hash)
    if (token === undefined || token.client_id !== client.id || token.disabled_at !== null) return REFUSED
    const now = clock.now()
    const outcome = useRefreshToken(stateOf(token), now)
    if (outcome === 'ignore') return REFUSED
    if (outcome === 'revoke') return revokeFamily(trx, token.grant_id)
    // Before anything changes: a scope that goes too far must not cost the client its token.
    const scopes = checkNarrowerScope(parseScopes(token.scope), scope)
    const take = outcome === 'rotate' ? rotateRefreshToken : retryRefreshToken
    if (!(await take(trx, token.id, now))) return undefined
    const revoked = outcome === 'retry' ? await revokeUnused(trx, token.id) : []
    if (outcome === 'rotate') await retire(trx, token, now)
    const issue = { grantId: token.grant_id, userId: token.user_id, clientId: client.id, scopes, parentId: token.id }
    return { type: 'issued', answer: await issuePair(trx, issue), revoked }
  }

  /** The pair whose answer was lost. */
  async function revokeUnused(trx: Kysely<Tables>, parentId: number): Promise<number[]> {
    const refreshTokenIds = await revokeChildren(trx, parentId, clock.now())
    return revokeTokens(trx, { refreshTokenIds }, clock.now())
  }

  /** The access tokens of a replaced refresh token end with the grace; what ended long ago is forgotten. */
  async function retire(trx: Kysely<Tables>, { id, grant_id }: RefreshRow, now: number): Promise<void> {
    await shortenTokens(trx, id, now + REFRESH_GRACE_MS)
    await deleteEndedTokens(trx, grant_id, now - DAY_MS)
    await deleteOldRefreshTokens(trx, grant_id, now - REUSE_MEMORY_MS)
  }

  async function byDeviceCode(client: Client, form: OAuthParameters): Promise<TokenAnswer> {
    const device = await findDeviceCode(database.db, secrets.hash(required('device_code', form.get('device_code'))))
    if (device === undefined || device.client_id !== client.id) throw refused('The device_code is unknown.')
    const now = clock.now()
    const outcome = pollDevice(device, now)
    if (outcome === 'slow_down' || outcome === 'authorization_pending') {
      const more = outcome === 'slow_down' ? SLOW_DOWN_SECONDS : 0
      await notePoll(database.db, device.id, now, device.interval_seconds + more)
    }
    if (outcome !== 'issue') throw new OAuthError(outcome, false, DEVICE_WORDS[outcome])
    return settle(async (trx) => {
      const user = device.user_id === null ? undefined : await findUser(trx, device.user_id)
      if (user === undefined || user.disabled_at !== null || !(await takeDeviceCode(trx, device.id))) return REFUSED
      const grant = { user_id: user.id, client_id: client.id, scope: device.scope, created_at: now }
      const grantId = await insertGrant(trx, grant)
      const scopes = parseScopes(device.scope)
      const issue = { grantId, userId: user.id, clientId: client.id, scopes, parentId: null }
      return { type: 'issued', answer: await issuePair(trx, issue), revoked: [] }
    }, 'The device_code was used.')
  }

  return {
    /** @throws {OAuthError} in the words of RFC 6749, section 5.2, and RFC 8628, section 3.5 */
    async exchange(client: Client, form: OAuthParameters): Promise<TokenAnswer> {
      switch (checkGrantType(form.get('grant_type'))) {
        case 'authorization_code':
          return byCode(client, form)
        case 'refresh_token':
          return byRefreshToken(client, form)
        case 'urn:ietf:params:oauth:grant-type:device_code':
          return byDeviceCode(client, form)
      }
    },
  }
}

const stateOf = (token: RefreshRow): Parameters<typeof useRefreshToken>[0] => ({
  rotated_at: token.rotated_at,
  retried_at: token.retried_at,
  revoked_at: token.revoked_at,
  isGrantRevoked: token.grant_revoked_at !== null,
  isChildRotated: token.rotated_children > 0,
})

const refused = (description: string): OAuthError => new OAuthError('invalid_grant', false, description)

const DEVICE_WORDS = {
  authorization_pending: 'The user has not decided yet.',
  slow_down: 'The device asks too often; the interval grew by five seconds.',
  access_denied: 'The user said no.',
  expired_token: 'The device_code has expired; ask for a new one.',
  invalid_grant: 'The device_code was used.',
} as const
