import { LinkMessage, UnlinkedAgent, type UnlinkedAnnouncement } from '@printwarden/protocol'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import type { Clock, Database, LiveStore } from '../ports.js'
import { isPrivateAddress } from './linking-address.js'
import { drawPasscode, drawUntil } from './linking-digits-flow.js'
import { MAX_WAITING } from './linking-limits.js'
import { claimPasscode, countLivePasscodes, findOwnLiveCode, findPasscode, insertPasscode } from './linking-store.js'

/** How long an agent counts as there after it spoke: some speak every five seconds only. */
const SEEN_MS = 15_000

/** More than this many agents of one network are not told apart by people, so none is shown (wire facts, section 1.9). */
const MAX_SHOWN = 2

/** So many are remembered of one network. */
const MAX_SEEN = 8

const MESSAGE_LIFETIME_MS = 60_000
const MAX_MESSAGES = 3

const PASSCODE_LIFETIME_MS = 2 * 3_600_000
/** How long an agent has to fetch the code once a user claimed its passcode. */
const CLAIMED_LIFETIME_MS = 60_000

const Seen = z.array(z.object({ agent: UnlinkedAgent, at: z.number() }))
type Seen = z.infer<typeof Seen>
const Messages = z.array(LinkMessage)

const seenKey = (network: string): string => `unlinked:${network}`
const messagesKey = (network: string, deviceId: string): string => `unlinked-messages:${network}:${deviceId}`

export interface DiscoveryFlowDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly clock: Clock
}

export type DiscoveryFlow = ReturnType<typeof discoveryFlow>

/**
 * Agents that belong to nobody yet: who is there, codes sent to them, and the passcodes that they show. A network is the public
 * address that an agent and a browser share.
 */
export function discoveryFlow({ database, live, clock }: DiscoveryFlowDeps) {
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

  const messagesOf = async (key: string): Promise<LinkMessage[]> => Messages.safeParse(await live.get(key)).data ?? []

  /**
   * An agent says that it is there; the codes that were sent to it are handed over. One that cannot be reached from inside a private
   * network alone is neither shown nor sent anything.
   */
  async function announce(network: string | undefined, announcement: UnlinkedAnnouncement): Promise<LinkMessage[]> {
    const agent = UnlinkedAgent.parse(announcement)
    if (network === undefined || !isPrivateAddress(agent.host_or_ip ?? '')) return []
    return inTurn(async () => {
      const others = (await present(network)).filter((seen) => seen.agent.device_id !== agent.device_id)
      const seen: Seen = [{ agent, at: clock.now() }, ...others].slice(0, MAX_SEEN)
      await live.put(seenKey(network), seen, { ts: clock.now(), ttlMs: SEEN_MS })
      const key = messagesKey(network, agent.device_id)
      const messages = await messagesOf(key)
      if (messages.length > 0) await live.remove(key)
      return messages
    })
  }

  /** The agents of this network, unless there are too many to tell them apart. */
  async function list(network: string | undefined): Promise<UnlinkedAgent[]> {
    const seen = network === undefined ? [] : await present(network)
    return seen.length > MAX_SHOWN ? [] : seen.map(({ agent }) => agent)
  }

  /** Sends a code of the user's to one of these agents. @throws {ApiError} not_found */
  async function send(
    network: string | undefined,
    userId: number,
    { device_id, device_secret, code }: { device_id: string; device_secret: string; code: string },
  ): Promise<void> {
    const isShown = (await list(network)).some((agent) => agent.device_id === device_id)
    const isOwn = (await findOwnLiveCode(db, userId, code, clock.now())) !== undefined
    if (network === undefined || !isShown || !isOwn) throw new ApiError('not_found')
    const message: LinkMessage = { device_id, type: 'verify_code', data: { code, secret: device_secret } }
    await inTurn(async () => {
      const key = messagesKey(network, device_id)
      const messages = [...(await messagesOf(key)), message].slice(-MAX_MESSAGES)
      await live.put(key, messages, { ts: clock.now(), ttlMs: MESSAGE_LIFETIME_MS })
    })
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
  async function claim(userId: number, shown: string, code: string): Promise<void> {
    const now = clock.now()
    const isClaimed = await database.transaction(async (trx) => {
      const own = await findOwnLiveCode(trx, userId, code, now)
      if (own === undefined) return false
      return claimPasscode(trx, shown, { codeId: own.id, now, expiresAt: now + CLAIMED_LIFETIME_MS })
    })
    if (!isClaimed) throw new ApiError('not_found')
  }

  return { announce, list, send, passcode, newPasscode, claim }
}
