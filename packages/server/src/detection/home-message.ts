import { z } from 'zod'
import { SelfTestState } from '../printers/watch-state.js'
import type { Frame } from './frame.js'
import type { Thumbnail } from './watching/thumbnail.js'

// What one node tells the home of a printer. Pictures travel by their key: all nodes have the same blobs. Pure.

const Id = z.number().int().positive()
const Grey = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
const ThumbnailOnBus = z
  .object({ width: z.number().int().positive(), height: z.number().int().positive(), grey: Grey })
  .refine(({ width, height, grey }) => grey.length === width * height)

export const HomeMessage = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('frame'),
    camera_id: Id,
    user_id: Id,
    print_id: Id.nullable(),
    raw_key: z.string().max(500),
    frame_at: z.number(),
  }),
  z.object({ op: z.literal('seen'), camera_id: Id, taken_at: z.number(), thumbnail: ThumbnailOnBus }),
  z.object({ op: z.literal('camera_changed'), camera_id: Id }),
  z.object({ op: z.literal('self_tested'), camera_id: Id, self_test: SelfTestState }),
  z.object({ op: z.literal('forget'), camera_id: Id }),
  z.object({ op: z.literal('reset') }),
  z.object({ op: z.literal('warm_up') }),
  z.object({ op: z.literal('corrected'), alert_id: Id, answer: z.enum(['FAILED', 'NOT_FAILED']).nullable() }),
])
export type HomeMessage = z.infer<typeof HomeMessage>

/** The message as it travels. */
export type HomeMessageOnBus = z.input<typeof HomeMessage>

export function frameMessage({ camera, user_id, print_id, raw_key, frame_at }: Frame): HomeMessageOnBus {
  return { op: 'frame', camera_id: camera.id, user_id, print_id, raw_key, frame_at }
}

export function seenMessage(cameraId: number, takenAt: number, { width, height, grey }: Thumbnail): HomeMessageOnBus {
  const text = Buffer.from(grey.buffer, grey.byteOffset, grey.byteLength).toString('base64')
  return { op: 'seen', camera_id: cameraId, taken_at: takenAt, thumbnail: { width, height, grey: text } }
}
