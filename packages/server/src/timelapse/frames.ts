/** A picture that is kept of a print. */
export interface KeptFrame {
  readonly key: string
  /** When it was taken, in milliseconds. */
  readonly frame_at: number
  /** In bytes. */
  readonly size: number
}

/** No print keeps more pictures than this, nor more bytes: then every second one goes. */
export const MAX_FRAMES = 20_000
export const MAX_FRAME_BYTES = 2 * 1024 ** 3

/** Where the pictures of a print lie until its time-lapse is made of them. */
export const framesPrefix = (printId: number): string => `prints/${printId}/frames/`

const ENDING = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' } as const

/** @param frameId the agent's name for the picture, so that it is known again when it comes twice */
export function frameKey(printId: number, frameAt: number, type: keyof typeof ENDING, frameId?: string): string {
  const name = frameId === undefined ? String(frameAt) : `${frameAt}-${frameId}`
  return `${framesPrefix(printId)}${name}.${ENDING[type]}`
}

/** Whether the picture of this name is among the frames. */
export function hasFrame(frames: readonly KeptFrame[], frameId: string): boolean {
  return frames.some(({ key }) => key.includes(`-${frameId}.`))
}

/** The frames among blobs, in order of time. What is none by its name is left out. */
export function keptFrames(blobs: readonly { readonly key: string; readonly size: number }[]): KeptFrame[] {
  const frames = blobs.flatMap(({ key, size }) => {
    const frameAt = /\/frames\/(\d+)(?:-[0-9a-f-]{36})?\.(?:jpg|png|webp)$/.exec(key)?.[1]
    return frameAt === undefined ? [] : [{ key, size, frame_at: Number(frameAt) }]
  })
  return frames.sort((a, b) => a.frame_at - b.frame_at)
}

/** What is known of the kept frames of a running print. */
export interface Keeping {
  readonly count: number
  readonly bytes: number
  readonly lastAt: number
  /** Frames that come sooner after the last one are not kept: as dense as the ones before, after they were thinned. */
  readonly minGapMs: number
}

export const NOTHING_KEPT: Keeping = { count: 0, bytes: 0, lastAt: -Infinity, minGapMs: 0 }

/**
 * What is known from the frames alone. When there are many they may have been thinned, so what comes is kept as far apart as they are.
 */
export function keepingOf(
  frames: readonly KeptFrame[],
  limits = { frames: MAX_FRAMES, bytes: MAX_FRAME_BYTES },
): Keeping {
  const bytes = frames.reduce((sum, { size }) => sum + size, 0)
  const isThinned = frames.length >= limits.frames / 2 || bytes >= limits.bytes / 2
  const lastAt = frames.at(-1)?.frame_at ?? -Infinity
  return { count: frames.length, bytes, lastAt, minGapMs: isThinned ? 0.9 * usualGap(frames) : 0 }
}

/** Whether there is room for the next frame only when others go. */
export function isFull(keeping: Keeping, limits = { frames: MAX_FRAMES, bytes: MAX_FRAME_BYTES }): boolean {
  return keeping.count >= limits.frames || keeping.bytes >= limits.bytes
}

/** Every second frame: those that go, so that the rest is spread over the print as evenly as before. */
export function everySecond(frames: readonly KeptFrame[]): { kept: KeptFrame[]; gone: KeptFrame[] } {
  return {
    kept: frames.filter((_, index) => index % 2 === 0),
    gone: frames.filter((_, index) => index % 2 === 1),
  }
}

/** The median time between frames. */
function usualGap(frames: readonly KeptFrame[]): number {
  const gaps = frames.slice(1).map(({ frame_at }, index) => frame_at - (frames[index]?.frame_at ?? frame_at))
  return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0
}
