import type { Initiator } from '@printwarden/protocol'
import type { Kysely } from 'kysely'
import type { Caller } from '../http/api.js'
import { findTokenName } from '../oauth/store.js'
import type { Tables } from '../tables.js'
import { findUser } from '../users/store.js'

/** Who asks for something, as it is kept and told. */
export interface Actor {
  readonly initiator: Initiator
  readonly initiator_name: string | null
  /** What moved them, where that is kept: a code. */
  readonly reason?: string | null
}

/** The caller by name: a user of the dashboard by theirs, an app by its own. */
export async function actorOf(db: Kysely<Tables>, caller: Caller): Promise<Actor> {
  if (caller.via.type === 'token') {
    return { initiator: 'api', initiator_name: (await findTokenName(db, caller.via.token_id)) ?? null }
  }
  const user = await findUser(db, caller.user_id)
  const name = `${user?.first_name ?? ''} ${user?.last_name ?? ''}`.trim()
  return { initiator: 'web', initiator_name: name === '' ? (user?.username ?? caller.email) : name }
}
