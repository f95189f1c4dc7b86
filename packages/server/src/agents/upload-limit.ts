import { ApiError } from '../errors.js'
import { Allowance, type AllowanceDeps } from '../limits/allowance.js'
import { AtOnce } from '../limits/at-once.js'
import type { Refusals } from '../limits/refusals.js'
import type { LimitSettings } from '../limits/settings.js'

export type UploadLimits = Pick<
  LimitSettings,
  'agent_pictures' | 'agent_picture_bytes' | 'agent_events' | 'agent_uploads_at_once'
>

export interface UploadLimitDeps extends AllowanceDeps {
  readonly limits: UploadLimits
  readonly refusals: Refusals
}

/** What one printer may upload. Asked before a body is read. */
export function uploadLimit({ limits, refusals, ...deps }: UploadLimitDeps) {
  const pictures = new Allowance(deps, 'agent_pictures', limits.agent_pictures)
  const pictureBytes = new Allowance(deps, 'agent_picture_bytes', limits.agent_picture_bytes)
  const events = new Allowance(deps, 'agent_events', limits.agent_events)
  // An agent sends one after another; a few may hang in a broken connection.
  const atOnce = new AtOnce(limits.agent_uploads_at_once)

  function refuse(limit: keyof UploadLimits, printerId: number, waitMs: number, detail?: string): never {
    refusals.note(limit, `printer ${printerId}`)
    throw new ApiError('rate_limited', detail, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) })
  }

  return {
    /**
     * Receives a picture or an event of so many bytes.
     * @throws {ApiError} rate_limited
     */
    async run<T>(printerId: number, kind: 'picture' | 'event', bytes: number, receive: () => Promise<T>): Promise<T> {
      const key = `printer ${printerId}`
      // First, since it gives back what it took.
      const end = atOnce.begin(printerId)
      if (end === undefined) return refuse('agent_uploads_at_once', printerId, 0, 'Too many uploads at once.')
      try {
        const count = kind === 'picture' ? pictures : events
        const waitMs = await count.take(key)
        if (waitMs > 0) refuse(kind === 'picture' ? 'agent_pictures' : 'agent_events', printerId, waitMs)
        const bytesWaitMs = await pictureBytes.take(key, bytes)
        if (bytesWaitMs > 0) {
          count.giveBack(key, 1)
          refuse('agent_picture_bytes', printerId, bytesWaitMs)
        }
        return await receive()
      } finally {
        end()
      }
    },
  }
}
