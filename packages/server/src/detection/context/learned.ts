import type { CameraLearned, UnusedReason } from '@printwarden/protocol'
import { z } from 'zod'
import { type Accepted, type Baseline, MAX_ACCEPTED, NO_BASELINE } from './context-baseline.js'
import type { CleanBed, IdleBed } from './context-clean-bed.js'
import {
  type AnswerPrototype,
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
// is at most 30 KB a camera. Pure.

export interface Learned {
  readonly baseline: Baseline
  readonly prototypes: Prototypes
  /** The first frames of a print. */
  readonly clean_bed: CleanBed | null
  /** The newest good picture before a print. */
  readonly idle_bed: IdleBed | null
}

export const NOTHING_LEARNED: Learned = {
  baseline: NO_BASELINE,
  prototypes: NO_PROTOTYPES,
  clean_bed: null,
  idle_bed: null,
}

const MAX_DIRECTION = 4096
const Bytes = z.base64().max(8_192)
const KeptMap = Bytes
const KeptDirection = z.object({ scale: z.number(), bytes: Bytes })
const KeptAnswer = KeptDirection.extend({ alert_id: z.number().nullable().default(null) })
/** Of each cell its number in two bytes, and what it was in one. */
const KeptAccepted = z.object({ alert_id: z.number(), learned_ms: z.number(), cells: Bytes })
const KeptIdleBed = z.object({ taken_at: z.number(), look: z.string(), thumb: Bytes, map: KeptMap })

const KeptLearned = z.object({
  baseline: z.object({
    map: KeptMap,
    learned_ms: z.number(),
    accepted: z.array(KeptAccepted).max(MAX_ACCEPTED).default([]),
  }),
  prototypes: z.object({
    clean: z.array(z.object({ direction: KeptDirection, learned_ms: z.number() })).max(MAX_CLEAN),
    spread: z.number(),
    failures: z.array(KeptAnswer).max(MAX_ANSWERS),
    not_failures: z.array(KeptAnswer).max(MAX_ANSWERS),
  }),
  clean_bed: KeptIdleBed.extend({ print_id: z.number(), frames: z.number() }).nullable(),
  idle_bed: KeptIdleBed.nullable().default(null),
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

const keptAnswer = ({ direction, alert_id }: AnswerPrototype) => ({ ...keptDirection(direction), alert_id })

const readAnswer = ({ alert_id, ...direction }: z.infer<typeof KeptAnswer>): AnswerPrototype => ({
  direction: readDirection(direction),
  alert_id,
})

function keptAccepted({ alert_id, learned_ms, cells }: Accepted): z.infer<typeof KeptAccepted> {
  const bytes = cells.flatMap(([cell, before]) => [cell >> 8, cell & 255, Math.round(before * 255)])
  return { alert_id, learned_ms, cells: base64(Uint8Array.from(bytes)) }
}

function readAccepted({ alert_id, learned_ms, cells: text }: z.infer<typeof KeptAccepted>): Accepted {
  const bytes = bytesOf(text)
  const cells = Array.from({ length: Math.floor(bytes.length / 3) }, (_, i) => {
    const [high = 0, low = 0, before = 0] = bytes.subarray(i * 3)
    return [high * 256 + low, before / 255] as const
  })
  if (cells.some(([cell]) => cell >= MAP_CELLS)) throw new Error(`a map has ${MAP_CELLS} cells`)
  return { alert_id, learned_ms, cells }
}

const keptBed = <Bed extends IdleBed>(bed: Bed) => ({ ...bed, thumb: base64(bed.thumb), map: keptMap(bed.map) })

const readBed = <Bed extends z.infer<typeof KeptIdleBed>>(bed: Bed) => ({
  ...bed,
  thumb: bytesOf(bed.thumb),
  map: readMap(bed.map),
})

/** Whether what a model saw is small enough to be kept. */
export function isKeepable(direction: Direction): boolean {
  return direction.length <= MAX_DIRECTION
}

/** The text to keep. Frames on probation are not in it: after a restart they are learned anew. */
export function keptLearned({ baseline, prototypes, clean_bed, idle_bed }: Learned): string {
  const clean = ({ direction, learned_ms }: CleanPrototype) => ({ direction: keptDirection(direction), learned_ms })
  const kept: z.infer<typeof KeptLearned> = {
    baseline: {
      map: keptMap(baseline.map),
      learned_ms: baseline.learned_ms,
      accepted: baseline.accepted.map(keptAccepted),
    },
    prototypes: {
      clean: prototypes.clean.map(clean),
      spread: prototypes.spread,
      failures: prototypes.failures.map(keptAnswer),
      not_failures: prototypes.not_failures.map(keptAnswer),
    },
    clean_bed: clean_bed && keptBed(clean_bed),
    idle_bed: idle_bed && keptBed(idle_bed),
  }
  return JSON.stringify(kept)
}

/** What was kept; nothing when it cannot be read. */
export function readLearned(text: string | undefined): Learned {
  if (text === undefined) return NOTHING_LEARNED
  try {
    const { baseline, prototypes, clean_bed, idle_bed } = KeptLearned.parse(JSON.parse(text))
    return {
      baseline: {
        map: readMap(baseline.map),
        learned_ms: baseline.learned_ms,
        pending: null,
        accepted: baseline.accepted.map(readAccepted),
      },
      prototypes: {
        clean: prototypes.clean.map(({ direction, learned_ms }) => ({
          direction: readDirection(direction),
          learned_ms,
        })),
        spread: prototypes.spread,
        failures: prototypes.failures.map(readAnswer),
        not_failures: prototypes.not_failures.map(readAnswer),
      },
      clean_bed: clean_bed && readBed(clean_bed),
      idle_bed: idle_bed && readBed(idle_bed),
    }
  } catch {
    return NOTHING_LEARNED
  }
}

const HOUR_MS = 3_600_000
const hours = (ms: number): number => Math.round((ms / HOUR_MS) * 100) / 100

/** As people and apps see it. */
export function learnedView(learned: Learned, unused: UnusedReason | null): CameraLearned {
  const { baseline, prototypes, clean_bed, idle_bed } = learned
  const seenAt = Math.max(clean_bed?.taken_at ?? 0, idle_bed?.taken_at ?? 0)
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
    clean_bed: { taken_at: seenAt === 0 ? null : new Date(seenAt).toISOString(), unused },
    bytes: keptLearned(learned).length,
  }
}
