import type { CameraLearned, UnusedReason } from '@printwarden/protocol'
import { z } from 'zod'
import { type Baseline, NO_BASELINE } from './context-baseline.js'
import type { CleanBed } from './context-clean-bed.js'
import {
  type CleanPrototype,
  cleanTime,
  type Direction,
  MAX_ANSWERS,
  MAX_CLEAN,
  NO_PROTOTYPES,
  type Prototypes,
} from './context-prototypes.js'
import { MAP_CELLS, type ScoreMap } from './score-map.js'

// What was learned of one camera, and the compact text that it is kept as: numbers as bytes in base64. With the shipped model that
// is at most 20 KB a camera. Pure.

export interface Learned {
  readonly baseline: Baseline
  readonly prototypes: Prototypes
  readonly clean_bed: CleanBed | null
}

export const NOTHING_LEARNED: Learned = { baseline: NO_BASELINE, prototypes: NO_PROTOTYPES, clean_bed: null }

const MAX_DIRECTION = 4096
const Bytes = z.base64().max(8_192)
const KeptMap = Bytes
const KeptDirection = z.object({ scale: z.number(), bytes: Bytes })

const KeptLearned = z.object({
  baseline: z.object({ map: KeptMap, learned_ms: z.number() }),
  prototypes: z.object({
    clean: z.array(z.object({ direction: KeptDirection, learned_ms: z.number() })).max(MAX_CLEAN),
    spread: z.number(),
    failures: z.array(KeptDirection).max(MAX_ANSWERS),
    not_failures: z.array(KeptDirection).max(MAX_ANSWERS),
  }),
  clean_bed: z
    .object({
      print_id: z.number(),
      taken_at: z.number(),
      look: z.string(),
      frames: z.number(),
      thumb: Bytes,
      map: KeptMap,
    })
    .nullable(),
})

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'))

/** A cell as a byte: a step is 0.004. */
const keptMap = (map: ScoreMap): string => base64(Uint8Array.from(map, (value) => Math.round(value * 255)))

function readMap(text: string): ScoreMap {
  const bytes = bytesOf(text)
  if (bytes.length !== MAP_CELLS) throw new Error(`a map has ${MAP_CELLS} cells, not ${bytes.length}`)
  return Float32Array.from(bytes, (value) => value / 255)
}

function keptDirection(direction: Direction): z.infer<typeof KeptDirection> {
  const scale = direction.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9) / 127
  return {
    scale,
    bytes: base64(new Uint8Array(Int8Array.from(direction, (value) => Math.round(value / scale)).buffer)),
  }
}

function readDirection({ scale, bytes }: z.infer<typeof KeptDirection>): Direction {
  const signed = new Int8Array(bytesOf(bytes).buffer)
  return Float32Array.from(signed, (value) => value * scale)
}

/** Whether what a model saw is small enough to be kept. */
export function isKeepable(direction: Direction): boolean {
  return direction.length <= MAX_DIRECTION
}

/** The text to keep. Frames on probation are not in it: after a restart they are learned anew. */
export function keptLearned({ baseline, prototypes, clean_bed }: Learned): string {
  const clean = ({ direction, learned_ms }: CleanPrototype) => ({ direction: keptDirection(direction), learned_ms })
  const kept: z.infer<typeof KeptLearned> = {
    baseline: { map: keptMap(baseline.map), learned_ms: baseline.learned_ms },
    prototypes: {
      clean: prototypes.clean.map(clean),
      spread: prototypes.spread,
      failures: prototypes.failures.map(keptDirection),
      not_failures: prototypes.not_failures.map(keptDirection),
    },
    clean_bed: clean_bed && { ...clean_bed, thumb: base64(clean_bed.thumb), map: keptMap(clean_bed.map) },
  }
  return JSON.stringify(kept)
}

/** What was kept; nothing when it cannot be read. */
export function readLearned(text: string | undefined): Learned {
  if (text === undefined) return NOTHING_LEARNED
  try {
    const { baseline, prototypes, clean_bed } = KeptLearned.parse(JSON.parse(text))
    return {
      baseline: { map: readMap(baseline.map), learned_ms: baseline.learned_ms, pending: null },
      prototypes: {
        clean: prototypes.clean.map(({ direction, learned_ms }) => ({
          direction: readDirection(direction),
          learned_ms,
        })),
        spread: prototypes.spread,
        failures: prototypes.failures.map(readDirection),
        not_failures: prototypes.not_failures.map(readDirection),
      },
      clean_bed: clean_bed && { ...clean_bed, thumb: bytesOf(clean_bed.thumb), map: readMap(clean_bed.map) },
    }
  } catch {
    return NOTHING_LEARNED
  }
}

const HOUR_MS = 3_600_000
const hours = (ms: number): number => Math.round((ms / HOUR_MS) * 100) / 100

/** As people and apps see it. */
export function learnedView(learned: Learned, unused: UnusedReason | null): CameraLearned {
  const { baseline, prototypes, clean_bed } = learned
  return {
    baseline: {
      hours: hours(baseline.learned_ms),
      pending_hours: hours(baseline.pending?.waiting_ms ?? 0),
      map: baseline.learned_ms === 0 ? [] : Array.from(baseline.map, (value) => Math.round(value * 1000) / 1000),
    },
    prototypes: {
      clean_hours: hours(cleanTime(prototypes)),
      failures: prototypes.failures.length,
      not_failures: prototypes.not_failures.length,
    },
    clean_bed: { taken_at: clean_bed === null ? null : new Date(clean_bed.taken_at).toISOString(), unused },
    bytes: keptLearned(learned).length,
  }
}
