import type { Kysely } from 'kysely'
import { ApiError } from '../errors.js'
import type { Bus, Clock, Database } from '../ports.js'
import type { Tables } from '../tables.js'
import { publishRevoked } from '../users/revoked.js'
import { noteSecurityEvent, type Whence } from '../users/security-events-store.js'
import type { Client } from './client.js'
import { deleteClient } from './client-store.js'
import { listConnectionRows, listOwnTokens } from './connection-store.js'
import { deleteConsents } from './consent-store.js'
import { findRefreshToken, revokeGrants } from './grant-store.js'
import { type ClientRow, listTokenOwners, revokeTokens, type TokenFilter } from './store.js'

export interface RevocationFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: { hash(text: string): string }
}

export type RevocationFlow = ReturnType<typeof revocationFlow>

/** Revokes grants with all that was issued under them; the ids of the access tokens that thereby ended. */
export async function endGrants(
  trx: Kysely<Tables>,
  filter: Parameters<typeof revokeGrants>[1],
  now: number,
): Promise<number[]> {
  const grantIds = await revokeGrants(trx, filter, now)
  return revokeTokens(trx, { grantIds }, now)
}

/** Tells every node, so that sockets close and nobody is let in from memory. */
export function tellRevoked(bus: Bus, tokenIds: readonly number[]): void {
  for (const token_id of tokenIds) publishRevoked(bus, { type: 'token', token_id })
}

/** Tells the users whose tokens were ended by somebody else than themselves. */
export async function noteRevoked(
  db: Kysely<Tables>,
  tokenIds: readonly number[],
  at: number,
  whence?: Whence,
): Promise<void> {
  if (tokenIds.length === 0) return
  for (const { user_id, name } of await listTokenOwners(db, tokenIds)) {
    await noteSecurityEvent(db, { userId: user_id, type: 'token_revoked', at, whence, subject: name })
  }
}

/** Every way in which a token ends before its time. */
export function revocationFlow({ database, bus, clock, secrets }: RevocationFlowDeps) {
  const { db } = database

  async function revoke(filter: TokenFilter): Promise<number[]> {
    const ended = await revokeTokens(db, filter, clock.now())
    tellRevoked(bus, ended)
    return ended
  }

  /** Ends what an app has of one user, or of everybody. The next time it is asked again. */
  async function disconnect(clientId: number, userId: number | undefined): Promise<void> {
    const filter = userId === undefined ? { clientId } : { clientId, userId }
    const ended = await database.transaction(async (trx) => {
      await deleteConsents(trx, clientId, userId)
      await revokeGrants(trx, filter, clock.now())
      return revokeTokens(trx, filter, clock.now())
    })
    tellRevoked(bus, ended)
  }

  return {
    /**
     * A client gives back a token of its own (RFC 7009). A refresh token takes its whole family along. One that is unknown, or
     * another's, is no error: the client is told nothing about it.
     */
    async revokeOwn(client: Client, token: string, whence?: Whence): Promise<void> {
      const hash = secrets.hash(token)
      const at = clock.now()
      const ended = await revoke({ hash, clientId: client.id })
      if (ended.length > 0) return noteRevoked(db, ended, at, whence)
      const refresh = await findRefreshToken(db, hash)
      if (refresh === undefined || refresh.client_id !== client.id || refresh.grant_revoked_at !== null) return
      const { user_id: userId, grant_id: id } = refresh
      const family = await database.transaction(async (trx) => {
        await noteSecurityEvent(trx, { userId, type: 'token_revoked', at, whence, subject: client.name })
        return endGrants(trx, { id }, at)
      })
      tellRevoked(bus, family)
    },
    /** A user's own token, made by hand. @throws {ApiError} not_found */
    async revokePersonal(userId: number, id: number, whence?: Whence): Promise<void> {
      const at = clock.now()
      const subject = (await listOwnTokens(db, userId, at)).find((token) => token.id === id)?.name
      if ((await revoke({ userId, id, clientId: null })).length === 0) throw new ApiError('not_found')
      await noteSecurityEvent(db, { userId, type: 'token_revoked', at, whence, subject })
    },
    /** Anybody's token, by an administrator. @throws {ApiError} not_found */
    async revokeAny(id: number): Promise<void> {
      const ended = await revoke({ id })
      if (ended.length === 0) throw new ApiError('not_found')
      await noteRevoked(db, ended, clock.now())
    },
    disconnect,
    /** Ends what an app has of one user. @throws {ApiError} not_found when they are not connected */
    async disconnectConnected(clientId: number, userId: number, whence?: Whence): Promise<void> {
      const connected = (await listConnectionRows(db, userId)).find(({ id }) => id === clientId)
      if (connected === undefined) throw new ApiError('not_found')
      await disconnect(clientId, userId)
      const at = clock.now()
      await noteSecurityEvent(db, { userId, type: 'app_disconnected', at, whence, subject: connected.name })
    },
    /** Removes an app with everything that was issued to it. */
    async removeClient({ id: clientId, name, owner_id }: ClientRow, whence?: Whence): Promise<void> {
      const at = clock.now()
      const ended = await database.transaction(async (trx) => {
        const tokens = await revokeTokens(trx, { clientId }, at)
        await deleteClient(trx, clientId)
        if (owner_id !== null)
          await noteSecurityEvent(trx, { userId: owner_id, type: 'app_removed', at, whence, subject: name })
        return tokens
      })
      tellRevoked(bus, ended)
    },
  }
}
