import { openUserFeed, type UserFeed, type UserFeedDeps } from './user-feed-flow.js'

/** How often time alone may change what is seen. */
const AGE_INTERVAL_MS = 10_000

/** How long a dashboard may show what it was not told of: while the bus is away nobody tells it, and it does not know. */
const CATCH_UP_INTERVAL_MS = 60_000

export interface FeedFlowDeps extends UserFeedDeps {
  /** Whether there are other nodes, whose messages may be lost. */
  readonly hasOtherNodes?: boolean | undefined
}

export type FeedFlow = ReturnType<typeof feedFlow>

/** The feeds of all users who have subscribers on this node; one user's subscribers share one. */
export function feedFlow(deps: FeedFlowDeps) {
  const feeds = new Map<number, Promise<UserFeed>>()
  const timers = [setInterval(() => void ageAll(), AGE_INTERVAL_MS).unref()]
  if (deps.hasOtherNodes === true) timers.push(setInterval(() => void catchUpAll(), CATCH_UP_INTERVAL_MS).unref())

  function open(userId: number): Promise<UserFeed> {
    const existing = feeds.get(userId)
    if (existing !== undefined) return existing
    const opening = openUserFeed(deps, userId, () => feeds.delete(userId))
    feeds.set(userId, opening)
    return opening
  }

  /** The feeds that are open by now. One that could not be opened told whoever asked for it. */
  async function opened(): Promise<UserFeed[]> {
    const results = await Promise.allSettled(feeds.values())
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  }

  async function ageAll(): Promise<void> {
    for (const feed of await opened()) feed.age()
  }

  /** One after another, so that the database has other things to do. */
  async function catchUpAll(): Promise<void> {
    for (const feed of await opened()) await feed.catchUp()
  }

  async function close(): Promise<void> {
    for (const timer of timers) clearInterval(timer)
    for (const feed of await opened()) feed.close()
  }

  return { open, ageAll, catchUpAll, close }
}
