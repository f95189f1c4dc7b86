import type { PrinterStatus } from '@printwarden/protocol'

// Which of a print's temperatures are kept to look back on. Pure.

/** By heater: how warm it is and should be, in °C. A target of null is a heater that only measures. */
export type Heaters = Readonly<Record<string, readonly [actual: number, target: number | null]>>

export interface TemperatureReading {
  /** Milliseconds of the server's clock. */
  readonly at: number
  readonly heaters: Heaters
}

/** What is known of the temperatures of the running print. */
export interface TemperatureTrack {
  readonly print_id: number
  /** What the next readings are compared with. */
  readonly base: TemperatureReading
  /** Whether the base is kept: the first reading is only when another one follows. */
  readonly isKept: boolean
  readonly last: TemperatureReading
}

/** A reading that is to be kept. */
export interface KeptReading extends TemperatureReading {
  readonly print_id: number
}

/** A reading is kept so often; in a print of more than half a day less often, so that a long one has not many more. */
const INTERVAL_MS = 60_000
const INTERVALS = 720
/** What changes is kept sooner, up to so many times as often. */
const CHANGES_AN_INTERVAL = 6
const CHANGE_DEGREES = 5

/** The names that agents of both dialects use. Others are sensors of the user's own. */
const HEATER = /^(tool\d{1,2}|bed|chamber|extruder\d{0,2}|heater_bed)$/
const MAX_HEATERS = 8
/** Colder or warmer is no temperature of a printer. */
const COLDEST = -100
const WARMEST = 1000

/** The heaters of a status; undefined when it tells of none. By hand and not by schema: every message passes here. */
export function heatersOf({ temperatures }: PrinterStatus): Heaters | undefined {
  if (temperatures === undefined) return undefined
  const heaters: Record<string, readonly [number, number | null]> = {}
  let count = 0
  for (const name in temperatures) {
    const heater: unknown = temperatures[name]
    if (count === MAX_HEATERS || !HEATER.test(name) || !isObject(heater)) continue
    const actual = degreesOf('actual' in heater ? heater.actual : null)
    if (actual === null) continue
    heaters[name] = [actual, degreesOf('target' in heater ? heater.target : null)]
    count++
  }
  return count === 0 ? undefined : heaters
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const degreesOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= COLDEST && value <= WARMEST ? Math.round(value * 10) / 10 : null

/**
 * Takes one message: what the running print is (undefined when nothing prints), and what was read. `due` is to be kept: a reading a
 * minute, what changed by more than 5 °C, another target, and the last one of a print that has ended.
 */
export function followTemperatures(
  track: TemperatureTrack | undefined,
  print: { readonly id: number; readonly started_at: number } | undefined,
  reading: TemperatureReading | undefined,
): { readonly track: TemperatureTrack | undefined; readonly due: readonly KeptReading[] } {
  if (track !== undefined && track.print_id !== print?.id) {
    const next = followTemperatures(undefined, print, reading)
    return { track: next.track, due: [...lastOf(track), ...next.due] }
  }
  if (print === undefined || reading === undefined) return { track, due: [] }
  if (track === undefined) {
    return { track: { print_id: print.id, base: reading, isKept: false, last: reading }, due: [] }
  }
  if (!isDue(track.base, reading, print.started_at)) return { track: { ...track, last: reading }, due: [] }
  const due = [...(track.isKept ? [] : [track.base]), reading].map((kept) => ({ ...kept, print_id: print.id }))
  return { track: { print_id: print.id, base: reading, isKept: true, last: reading }, due }
}

/** The last reading of a print that has ended, if it is not kept yet. */
function lastOf({ print_id, base, isKept, last }: TemperatureTrack): KeptReading[] {
  return isKept && last === base ? [] : [{ ...last, print_id }]
}

function isDue(base: TemperatureReading, { at, heaters }: TemperatureReading, startedAt: number): boolean {
  const intervalMs = Math.max(INTERVAL_MS, (at - startedAt) / INTERVALS)
  const since = at - base.at
  if (since >= intervalMs) return true
  return since >= intervalMs / CHANGES_AN_INTERVAL && hasChanged(base.heaters, heaters)
}

function hasChanged(before: Heaters, now: Heaters): boolean {
  for (const name in now) {
    const [actual, target] = now[name] ?? [0, null]
    const old = before[name]
    if (old === undefined || old[1] !== target || Math.abs(old[0] - actual) > CHANGE_DEGREES) return true
  }
  return false
}
