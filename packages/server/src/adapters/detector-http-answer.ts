import type { Detection } from '@printwarden/protocol'
import { z } from 'zod'
import type { LookOptions } from '../detection/cameras/look-options.js'
import { isInAny } from '../detection/context/polygon.js'

// What a detection service answers (wire facts, section 5.2), made fit for use. Pure.

const MAX_DETECTIONS = 1000
const CONFIDENCE_FLOOR = 0.08

const ServiceDetection = z.tuple([
  z.string().max(100),
  z.number(),
  z.tuple([z.number(), z.number(), z.number(), z.number()]),
])

const ServiceAnswer = z.looseObject({
  detections: z.array(ServiceDetection).max(MAX_DETECTIONS),
  /** Ours. */
  score: z.number().min(0).max(1).optional(),
  model: z.string().max(100).optional(),
})
export type ServiceAnswer = z.infer<typeof ServiceAnswer>

/** The answer of a service; undefined when it is none. */
export function parseAnswer(body: Uint8Array): ServiceAnswer | undefined {
  try {
    return ServiceAnswer.safeParse(JSON.parse(Buffer.from(body).toString('utf8'))).data
  } catch {
    return undefined
  }
}

const clamp = (value: number, max: number): number => Math.min(max, Math.max(0, value))

/** A box of the picture: what sticks out of it is cut off; undefined when nothing is left. */
function withinPicture(
  [, confidence, [x, y, width, height]]: ServiceAnswer['detections'][number],
  size: Size,
): Detection | undefined {
  const [left, right] = [clamp(x - width / 2, size.width), clamp(x + width / 2, size.width)]
  const [top, bottom] = [clamp(y - height / 2, size.height), clamp(y + height / 2, size.height)]
  if (right <= left || bottom <= top) return undefined
  const box: Detection[2] = [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top]
  return ['failure', clamp(confidence, 1), box]
}

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * Findings from a service's answer. It knows nothing of ignored regions and crops, so boxes whose centre lies in the one or outside
 * of the other are left out here; the score is then that of the boxes that remain.
 */
export function findingsOf(
  answer: ServiceAnswer,
  size: Size,
  { ignore = [], crop }: LookOptions,
): { detections: Detection[]; score: number; leftOut: number } {
  const found = answer.detections
    .filter(([label, confidence]) => label.toLowerCase() === 'failure' && confidence > CONFIDENCE_FLOOR)
    .map((detection) => withinPicture(detection, size))
    .filter((detection) => detection !== undefined)
    .sort((a, b) => b[1] - a[1])
  const detections = found.filter(([, , [x, y]]) => {
    const [shareX, shareY] = [x / size.width, y / size.height]
    const isCropped =
      crop !== undefined &&
      (shareX < crop.x || shareX > crop.x + crop.width || shareY < crop.y || shareY > crop.y + crop.height)
    return !isCropped && !isInAny([shareX, shareY], ignore)
  })
  const best = detections[0]?.[1] ?? 0
  const leftOut = found.length - detections.length
  return { detections, score: leftOut > 0 ? best : (answer.score ?? best), leftOut }
}
