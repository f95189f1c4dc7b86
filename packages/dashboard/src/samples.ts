import type { PrinterStatus } from '@printwarden/sdk'

/** One reading of a printer's heaters, in °C; null where there is none. */
export interface HeatSample {
  /** Unix seconds. */
  readonly ts: number
  readonly tool: number | null
  readonly toolTarget: number | null
  readonly bed: number | null
  readonly bedTarget: number | null
  readonly chamber: number | null
}

/** One value of the failure gauge (0–1) at a time in Unix seconds. */
export interface ScoreSample {
  readonly ts: number
  readonly score: number
}

/** The heaters of a status; undefined when it has none. */
export function heatSample(status: PrinterStatus, ts: number): HeatSample | undefined {
  const { tool0, bed, chamber } = status.temperatures ?? {}
  if (tool0 === undefined && bed === undefined && chamber === undefined) return undefined
  return {
    ts,
    tool: tool0?.actual ?? null,
    // A heater that is off aims at 0, which is no line anybody wants to see.
    toolTarget: tool0?.target || null,
    bed: bed?.actual ?? null,
    bedTarget: bed?.target || null,
    chamber: chamber?.actual ?? null,
  }
}

/**
 * Samples with one more, in order of time: without those older than `keepSeconds`, and never more than `most`. A sample that is not
 * newer than the last one is left out.
 */
export function withSample<Sample extends { readonly ts: number }>(
  samples: readonly Sample[],
  sample: Sample,
  keepSeconds: number,
  most: number,
): readonly Sample[] {
  const last = samples.at(-1)
  if (last !== undefined && sample.ts <= last.ts) return samples
  const kept = samples.filter((one) => one.ts >= sample.ts - keepSeconds)
  return [...kept.slice(-(most - 1)), sample]
}

/** Two runs of samples as one: the older run, then what the newer one has after it. */
export function joined<Sample extends { readonly ts: number }>(
  older: readonly Sample[],
  newer: readonly Sample[],
): readonly Sample[] {
  const last = older.at(-1)
  return last === undefined ? newer : [...older, ...newer.filter((sample) => sample.ts > last.ts)]
}

/**
 * Samples as columns for a chart: times first, then one column for each reader. Where more than `gapSeconds` pass without a sample an
 * empty row breaks the line, so that the chart does not draw what nobody measured.
 */
export function columnsOf<Sample extends { readonly ts: number }>(
  samples: readonly Sample[],
  readers: readonly ((sample: Sample) => number | null)[],
  gapSeconds: number,
): [number[], ...(number | null)[][]] {
  const times: number[] = []
  const columns = readers.map(() => new Array<number | null>())
  let lastTs: number | undefined
  for (const sample of samples) {
    if (lastTs !== undefined && sample.ts - lastTs > gapSeconds) {
      times.push(lastTs + gapSeconds / 2)
      for (const column of columns) column.push(null)
    }
    times.push(sample.ts)
    readers.forEach((read, index) => columns[index]?.push(read(sample)))
    lastTs = sample.ts
  }
  return [times, ...columns]
}
