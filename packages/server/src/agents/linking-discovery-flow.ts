import { type DiscoveryMessage, LinkMessage, UnlinkedAgent, type UnlinkedAnnouncement } from '@printwarden/protocol'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import type { Clock, Database, LiveStore } from '../ports.js'
import { type Home, homeAt } from './linking-address.js'
import { drawPasscode, drawUntil } from './linking-digits-flow.js'
import { MAX_WAITING } from './linking-limits.js'
import { claimPasscode, countLivePasscodes, findOwnLiveCode, findPasscode, insertPasscode } from './linking-store.js'

/** How long an agent counts as there after it spoke: some speak every five seconds only. */
const SEEN_MS = 15_000

/** So many are remembered of one network. */
const MAX_SEEN = 32

const MESSAGE_LIFETIME_MS = 60_000

const PASSCODE_LIFETIME_MS = 2 * 3_600_000
/** How long an agent has to fetch the code once a user claimed its passcode. */
const CLAIMED_LIFETIME_MS = 60_000

const Seen = z.array(z.object({ agent: UnlinkedAgent, address: z.string(), at: z.number() }))
type Seen = z.infer<typeof Seen>

const seenKey = (network: string): string => `unlinked:${network}`
const messageKey = (address: string, deviceId: string): string => `unlinked-message:${address}:${deviceId}`

/** What agents that belong to nobody tell only to those in their own network (wire facts, section 2.4). */
export interface DiscoverySecrets {
  /** The secret of the agent at this address; undefined when nothing answers there as such an agent does. */
  secretOf(agent: {
    readonly address: string
    readonly port: number
    readonly device_id: string
  }): Promise<string | undefined>
}

export interface DiscoveryFlowDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly clock: Clock
  readonly discoverySecrets: DiscoverySecrets
}

export type DiscoveryFlow = ReturnType<typeof discoveryFlow>

/**
 * Agents that belong to nobody yet: who is there, codes sent to them, and the passcodes that they show. Browsers are shown the agents
 * of their own private network alone.
 */
export function discoveryFlow({ database, live, clock, discoverySecrets }: DiscoveryFlowDeps) {
  const { db } = database
  let turn: Promise<unknown> = Promise.resolve()

  /** What is read and put back must not be changed by another in between. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work)
    turn = result.catch(() => undefined)
    return result
  }

  async function present(network: string): Promise<Seen> {
    const seen = Seen.safeParse(await live.get(seenKey(network))).data ?? []
    return seen.filter(({ at }) => at > clock.now() - SEEN_MS)
  }

  /**
   * An agent says that it is there; the code that was sent to it is handed over. Neither shown nor sent anything is one that comes
   * from outside of private networks, or that says it is in another one than it comes from: then something stands between.
   */
  async function announce(home: Home | undefined, announcement: UnlinkedAnnouncement): Promise<LinkMessage[]> {
    const agent = UnlinkedAgent.safeParse(announcement).data
    const isThere = home !== undefined && homeAt(agent?.host_or_ip ?? '')?.network === home.network
    if (agent === undefined || !isThere) return []
    const { network, address } = home
    return inTurn(async () => {
      const isSame = (seen: Seen[number]): boolean =>
        seen.agent.device_id === agent.device_id && seen.address === address
      const others = (await present(network)).filter((seen) => !isSame(seen))
      const seen: Seen = [{ agent, address, at: clock.now() }, ...others].slice(0, MAX_SEEN)
      await live.put(seenKey(network), seen, { ts: clock.now(), ttlMs: SEEN_MS })
      const key = messageKey(address, agent.device_id)
      const message = LinkMessage.safeParse(await live.get(key)).data
      if (message === undefined) return []
      await live.remove(key)
      return [message]
    })
  }

  /** The agents of this network, at the addresses from which they came. Of two that claim to be the same none is taken for it. */
  async function shown(home: Home | undefined): Promise<Seen> {
    const seen = home === undefined ? [] : await present(home.network)
    const isUnique = ({ device_id }: UnlinkedAgent): boolean =>
      seen.filter(({ agent }) => agent.device_id === device_id).length === 1
    return seen.filter(({ agent }) => isUnique(agent))
  }

  async function list(home: Home | undefined): Promise<UnlinkedAgent[]> {
    return (await shown(home)).map(({ agent, address }) => ({ ...agent, host_or_ip: address }))
  }

  /**
   * Sends a code of the user's to one of these agents. It takes the place of one that still waits: some agents take none of two.
   * @throws {ApiError} not_found; conflict when the agent does not tell its secret
   */
  async function send(
    home: Home | undefined,
    userId: number,
    { device_id, device_secret, code }: DiscoveryMessage,
  ): Promise<void> {
    const found = (await shown(home)).find(({ agent }) => agent.device_id === device_id)
    const isOwn = (await findOwnLiveCode(db, userId, code, clock.now())) !== undefined
    if (found === undefined || !isOwn) throw new ApiError('not_found')
    const secret = device_secret ?? (await askSecret(found))
    const message: LinkMessage = { device_id, type: 'verify_code', data: { code, secret } }
    const times = { ts: clock.now(), ttlMs: MESSAGE_LIFETIME_MS }
    await inTurn(() => live.put(messageKey(found.address, device_id), message, times))
  }

  async function askSecret({ agent: { device_id, port }, address }: Seen[number]): Promise<string> {
    const number = Number(port)
    const isPort = Number.isInteger(number) && number > 0 && number <= 65_535
    const secret = isPort ? await discoverySecrets.secretOf({ address, port: number, device_id }) : undefined
    if (secret === undefined) throw new ApiError('conflict', `The agent at ${address} does not answer this server.`)
    return secret
  }

  /** The agent's passcode if it is still good, with the code that a user gave it. */
  async function passcode(sent: string): Promise<{ passcode: string; code: string } | undefined> {
    const found = sent === '' ? undefined : await findPasscode(db, sent, clock.now())
    return found && { passcode: found.passcode, code: found.live_code ?? '' }
  }

  /** A passcode for an agent to show. @throws {ApiError} unavailable */
  async function newPasscode(): Promise<string> {
    const now = clock.now()
    return database.transaction(async (trx) => {
      if ((await countLivePasscodes(trx, now)) >= MAX_WAITING) {
        throw new ApiError('unavailable', 'Too many agents wait to be linked.', { retryAfterSeconds: 60 })
      }
      const row = { created_at: now, expires_at: now + PASSCODE_LIFETIME_MS }
      return drawUntil(drawPasscode, async (drawn) => {
        return (await insertPasscode(trx, { ...row, passcode: drawn })) ? drawn : undefined
      })
    })
  }

  /** Gives a code of the user's to the agent that shows this passcode. @throws {ApiError} not_found */
  async function claim(userId: number, typed: string, code: string): Promise<void> {
    const now = clock.now()
    const isClaimed = await database.transaction(async (trx) => {
      const own = await findOwnLiveCode(trx, userId, code, now)
      if (own === undefined) return false
      return claimPasscode(trx, typed, { codeId: own.id, now, expiresAt: now + CLAIMED_LIFETIME_MS })
    })
    if (!isClaimed) throw new ApiError('not_found')
  }

  return { announce, list, send, passcode, newPasscode, claim }
}
