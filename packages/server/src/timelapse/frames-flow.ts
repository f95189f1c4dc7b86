import type { BlobStore, Log } from '../ports.js'
import {
  everySecond,
  frameKey,
  framesPrefix,
  hasFrame,
  isFull,
  type Keeping,
  type KeptFrame,
  keepingOf,
  keptFrames,
  MAX_FRAME_BYTES,
  MAX_FRAMES,
} from './frames.js'

/** How many blobs are removed at a time. */
const AT_ONCE = 16

export interface FramesFlowDeps {
  readonly blobs: Pick<BlobStore, 'copy' | 'list' | 'put' | 'remove' | 'removeAll'>
  readonly log: Log
  /** What a print may keep. */
  readonly limits?: { readonly frames: number; readonly bytes: number }
}

/** A snapshot of the primary camera that is to be kept, and where its bytes are. */
export interface NewFrame {
  readonly print_id: number
  readonly frame_at: number
  /** The agent's name for it, if it has one. */
  readonly frame_id?: string | undefined
  readonly raw_key: string
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp'
  readonly size: number
}

/** A picture that comes after others that are younger. */
export interface PastFrame extends Pick<NewFrame, 'print_id' | 'frame_at' | 'frame_id' | 'type'> {
  readonly bytes: Uint8Array
}

export type FramesFlow = ReturnType<typeof framesFlow>

/** The pictures of a running print that its time-lapse is made of. The bytes are those of the snapshot: they are not written again. */
export function framesFlow({ blobs, log, limits = { frames: MAX_FRAMES, bytes: MAX_FRAME_BYTES } }: FramesFlowDeps) {
  /** Of prints that run, by their ids: a print's frames come one after another. */
  const keepings = new Map<number, Keeping>()

  /** Keeps one. Never rejects: the snapshot itself matters more than the time-lapse. Those of one print must take turns. */
  async function keep(frame: NewFrame): Promise<void> {
    try {
      await add(frame)
    } catch (err) {
      keepings.delete(frame.print_id)
      log.warn({ err, print_id: frame.print_id }, 'a picture could not be kept for the time-lapse')
    }
  }

  async function add({ print_id, frame_at, frame_id, raw_key, type, size }: NewFrame): Promise<void> {
    let keeping = keepings.get(print_id) ?? keepingOf(await list(print_id), limits)
    if (frame_at - keeping.lastAt < keeping.minGapMs) return
    if (isFull(keeping, limits)) keeping = await thin(print_id)
    if (await blobs.copy(raw_key, frameKey(print_id, frame_at, type, frame_id))) {
      const { count, bytes, minGapMs } = keeping
      keeping = { count: count + 1, bytes: bytes + size, lastAt: frame_at, minGapMs }
    }
    keepings.set(print_id, keeping)
  }

  /**
   * Keeps a picture that was taken before others that are kept; once, however often it comes. Hands back its key when it was not there yet.
   * Those of one print must take turns.
   */
  async function keepPast({ print_id, frame_at, frame_id, bytes, type }: PastFrame): Promise<string | undefined> {
    const kept = await list(print_id)
    if (frame_id !== undefined && hasFrame(kept, frame_id)) return undefined
    if (isFull(keepingOf(kept, limits), limits)) await thin(print_id)
    const key = frameKey(print_id, frame_at, type, frame_id)
    await blobs.put(key, bytes, type)
    keepings.delete(print_id)
    return key
  }

  async function thin(printId: number): Promise<Keeping> {
    const { kept, gone } = everySecond(await list(printId))
    for (let start = 0; start < gone.length; start += AT_ONCE) {
      await Promise.all(gone.slice(start, start + AT_ONCE).map(({ key }) => blobs.remove(key)))
    }
    return keepingOf(kept, limits)
  }

  /** The print's frames in order of time. */
  async function list(printId: number): Promise<KeptFrame[]> {
    return keptFrames(await blobs.list(framesPrefix(printId)))
  }

  /** Removes all frames of a print. */
  async function removeAll(printId: number): Promise<void> {
    keepings.delete(printId)
    await blobs.removeAll(framesPrefix(printId))
  }

  return { keep, keepPast, list, removeAll }
}
