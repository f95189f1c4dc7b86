/** Why a picture was kept while the server was away. */
export const KEY_FRAME_REASONS = ['started', 'paused', 'resumed', 'ended', 'interval', 'lost'] as const
export type KeyFrameReason = (typeof KEY_FRAME_REASONS)[number]

/** How much may be kept of one printer. */
export interface FrameQuota {
  readonly frames: number
  readonly bytes: number
}

/** About a day of printing without a network, five minutes apart, and a part of an SD card that nobody misses. */
export const DEFAULT_FRAME_QUOTA: FrameQuota = { frames: 300, bytes: 64 * 1024 * 1024 }

/** What decides which picture goes. `atMs` is monotonic. */
export interface QuotaFrame {
  readonly id: string
  readonly printTs: number
  readonly reason: KeyFrameReason
  readonly atMs: number
  readonly numBytes: number
}

/**
 * The pictures that have to go, so that the rest is within the quota. Pictures of turns of the print (its start, its pauses, its
 * end) stay as long as there are others. Of those it is always the one that leaves the smallest hole, so that the rest stays
 * spread over the whole print. `frames` are in order of time.
 */
export function framesToDrop(frames: readonly QuotaFrame[], quota: FrameQuota): QuotaFrame[] {
  const kept = [...frames]
  const dropped: QuotaFrame[] = []
  let bytes = kept.reduce((sum, { numBytes }) => sum + numBytes, 0)
  while (kept.length > 0 && (kept.length > quota.frames || bytes > quota.bytes)) {
    const [frame] = kept.splice(leastMissed(kept), 1)
    if (frame === undefined) break
    bytes -= frame.numBytes
    dropped.push(frame)
  }
  return dropped
}

function leastMissed(frames: readonly QuotaFrame[]): number {
  let least = 0
  let leastHoleMs = Number.POSITIVE_INFINITY
  frames.forEach((frame, index) => {
    if (isTurn(frame)) return
    const holeMs = holeWithout(frames, index)
    if (holeMs < leastHoleMs) [least, leastHoleMs] = [index, holeMs]
  })
  // Only turns are left: the oldest one goes.
  return least
}

/** How far apart its neighbours of the same print are; a picture at the edge leaves the largest hole. */
function holeWithout(frames: readonly QuotaFrame[], index: number): number {
  const [before, frame, after] = [frames[index - 1], frames[index], frames[index + 1]]
  const isInside = before?.printTs === frame?.printTs && after?.printTs === frame?.printTs
  return isInside && before && after ? after.atMs - before.atMs : Number.MAX_VALUE
}

function isTurn({ reason }: QuotaFrame): boolean {
  return reason !== 'interval' && reason !== 'lost'
}
