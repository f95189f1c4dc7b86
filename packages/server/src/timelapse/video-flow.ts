import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pixels } from '../detection/draw-boxes.js'
import type { BlobStore } from '../ports.js'
import type { VideoEncoder, VideoWriter } from './encoder.js'
import type { KeptFrame } from './frames.js'
import { type Orientation, type Size, turnedSize, videoSize } from './orientation.js'
import { decodePicture, frameOf, posterOf, withBoxes } from './render-flow.js'
import { MAX_MISSING, type Tag } from './tagging.js'

/** Frames a second, of every time-lapse (wire facts, section 5.9). */
export const FRAMES_PER_SECOND = 30

export interface VideoDeps {
  readonly blobs: Pick<BlobStore, 'get'>
  readonly encoder: VideoEncoder
  /** An empty place for the videos. */
  readonly folder: string
}

/** What the videos are made of. */
export interface Footage {
  readonly frames: readonly KeptFrame[]
  readonly tags: ReadonlyMap<number, Tag>
  readonly orientation: Orientation
}

/** Videos as files. */
export interface Videos {
  readonly plain: string
  /** The video of the analysed frames with boxes, and which frames it has; null when there is none. */
  readonly tagged: { readonly file: string; readonly frameAts: ReadonlySet<number> } | null
  /** JPEG. */
  readonly poster: Uint8Array
}

/**
 * Makes both videos in one go, each picture read and decoded once; never more than two of them are in memory. Pictures that cannot be
 * read are left out. Undefined when none can be read.
 */
export async function makeVideos(
  { blobs, encoder, folder }: VideoDeps,
  { frames, tags, orientation }: Footage,
  signal: AbortSignal,
  report: (progress: number) => void,
): Promise<Videos | undefined> {
  await mkdir(folder, { recursive: true })
  const files = { plain: join(folder, 'plain.mp4'), tagged: join(folder, 'tagged.mp4') }
  const plain = videoOf(encoder, files.plain)
  const tagged = videoOf(encoder, files.tagged)
  const frameAts = new Set<number>()
  let size: Size | undefined
  let last: Uint8Array | undefined
  let missing = 0

  const read = async (frame: KeptFrame | undefined): Promise<Pixels | undefined> => {
    const blob = frame && (await blobs.get(frame.key))
    return blob && decodePicture(blob.bytes)
  }

  /** Writes the frame with boxes, or as it is when there are none. */
  async function addTagged(
    frameAt: number,
    tag: Tag,
    pixels: Pixels,
    untouched: Uint8Array,
    form: Size,
  ): Promise<void> {
    if (tag.isMissing) missing++
    if (missing > MAX_MISSING) return
    const boxed = tag.boxes.length === 0 ? undefined : withBoxes(pixels, tag.boxes)
    const rgb = boxed === undefined ? untouched : await frameOf(boxed, form, orientation)
    await tagged.write(rgb, turnedSize(form, orientation))
    frameAts.add(frameAt)
  }

  try {
    let next = read(frames[0])
    for (const [index, frame] of frames.entries()) {
      signal.throwIfAborted()
      const pixels = await next
      next = read(frames[index + 1])
      next.catch(() => undefined)
      if (pixels === undefined) continue
      size ??= videoSize(pixels)
      last = await frameOf(pixels, size, orientation)
      const tag = tags.get(frame.frame_at)
      await plain.write(last, turnedSize(size, orientation))
      if (tag !== undefined) await addTagged(frame.frame_at, tag, pixels, last, size)
      report((index + 1) / frames.length)
    }
    signal.throwIfAborted()
    if (size === undefined || last === undefined) return undefined
    await plain.finish()
    if (missing > MAX_MISSING) await tagged.drop()
    else await tagged.finish()
    const isTagged = frameAts.size > 0 && missing <= MAX_MISSING
    return {
      plain: files.plain,
      tagged: isTagged ? { file: files.tagged, frameAts } : null,
      poster: await posterOf(last, turnedSize(size, orientation)),
    }
  } finally {
    await Promise.all([plain.drop(), tagged.drop()])
  }
}

/** A video that begins with its first frame, since only that one tells how large it is. */
function videoOf(encoder: VideoEncoder, file: string) {
  let writer: VideoWriter | undefined
  return {
    async write(rgb: Uint8Array, size: Size): Promise<void> {
      writer ??= await encoder.open(file, { ...size, framesPerSecond: FRAMES_PER_SECOND })
      await writer.write(rgb)
    },
    async finish(): Promise<void> {
      const finishing = writer
      await finishing?.finish()
      writer = undefined
    },
    /** Ends it, if it has not ended yet. */
    async drop(): Promise<void> {
      if (writer === undefined) return
      await writer.abort()
      writer = undefined
      await rm(file, { force: true })
    },
  }
}
