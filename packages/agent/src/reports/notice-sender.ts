import { isRefusedForGood } from '../uplink/agent-client.js'
import type { Clock } from '../time/clock.js'
import { reasonOf } from '../uplink/connection-reason.js'
import { Drain, type DrainStep } from '../uplink/drain.js'
import type { Log } from '../log/log.js'
import type { NoticeClient } from './notice-client.js'
import type { UnsentNotice } from './notices.js'

export interface NoticeSenderDeps {
  readonly client: NoticeClient
  /** The notices that wait, oldest first. */
  readonly waiting: () => readonly UnsentNotice[]
  /** The server has this one, or will never take it. */
  readonly onTold: (id: string) => void
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

/** Tells the server of notices, one after the other, once each. */
export function openNoticeSender({ client, waiting, onTold, clock, random, log }: NoticeSenderDeps): Drain {
  async function step(): Promise<DrainStep> {
    const notice = waiting()[0]
    if (!notice) return 'empty'
    const result = await client.post(notice, clock.monotonicMs() - notice.atMs)
    if (result.type === 'wait') return { waitMs: result.waitMs }
    if (result.type === 'refused') {
      if (!isRefusedForGood(result.status)) throw new Error(`the server answers ${result.status}`)
      log.warn({ status: result.status, detail: result.detail, title: notice.notice.title }, 'a notice was refused')
    }
    onTold(notice.id)
    return 'more'
  }

  return new Drain({ clock, random }, step, (error, retryInMs) =>
    log.debug({ why: reasonOf(error), retry_ms: retryInMs }, 'a notice waits'),
  )
}
