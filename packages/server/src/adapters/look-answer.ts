import { Detection } from '@printwarden/protocol'
import { z } from 'zod'
import { DetectorError, type Findings } from '../detection/detector.js'

// What a detector node answers to the node that asked for a look: plain JSON, bytes as base64. Pure.

/** More are not told; the agreement with the model's own output, which has fewer. */
const MAX_DETECTIONS = 1000

const Bytes = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')))
/** Floats as their bytes. */
const Floats = Bytes.transform((bytes) => new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4)))
const Milliseconds = z.number().nonnegative()

const FindingsOnBus = z.object({
  detections: z.array(Detection).max(MAX_DETECTIONS),
  score: z.number(),
  model: z.string().max(500),
  tagged: Bytes.nullable(),
  times: z.object({ decodeMs: Milliseconds, inferenceMs: Milliseconds, drawMs: Milliseconds }),
  map: Floats.exactOptional(),
  embedding: Floats.exactOptional(),
  thumb: Bytes.exactOptional(),
  size: z.tuple([z.number(), z.number()]).exactOptional(),
  leftOut: z.number().exactOptional(),
  untiledScore: z.number().exactOptional(),
})

/** What became of the look with this ticket. */
export const LookAnswer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('found'), ticket: z.string().max(64), findings: FindingsOnBus }),
  z.object({
    type: z.literal('failed'),
    ticket: z.string().max(64),
    code: z.enum(['invalid_image', 'unavailable']),
    detail: z.string().max(2000),
  }),
  z.object({ type: z.literal('dropped'), ticket: z.string().max(64) }),
])
export type LookAnswer = z.infer<typeof LookAnswer>

/** The answer as it travels. */
export type LookAnswerOnBus = z.input<typeof LookAnswer>

export function foundAnswer(ticket: string, findings: Findings): LookAnswerOnBus {
  const { detections, tagged, map, embedding, thumb, size, ...rest } = findings
  return {
    ...{ type: 'found', ticket },
    findings: {
      ...rest,
      detections: detections.slice(0, MAX_DETECTIONS),
      tagged: tagged === null ? null : base64(tagged),
      ...(map === undefined ? {} : { map: base64(map) }),
      ...(embedding === undefined ? {} : { embedding: base64(embedding) }),
      ...(thumb === undefined ? {} : { thumb: base64(thumb) }),
      ...(size === undefined ? {} : { size: [size[0], size[1]] }),
    },
  }
}

export function failedAnswer(ticket: string, err: unknown): LookAnswerOnBus {
  const code = err instanceof DetectorError ? err.code : 'unavailable'
  const detail = err instanceof DetectorError ? err.message : 'the detector failed'
  return { type: 'failed', ticket, code, detail: detail.slice(0, 2000) }
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array | Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')
