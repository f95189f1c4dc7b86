import type { PrinterStatus } from '@printwarden/protocol'
import { describe, expect, test } from 'vitest'
import { followTemperatures, type Heaters, heatersOf, type KeptReading, type TemperatureTrack } from './temperatures.js'

const START = 1_795_000_000_000
const MINUTE = 60_000

const status = (temperatures: unknown): PrinterStatus => ({ _ts: 1, state: {}, temperatures }) as PrinterStatus

interface HeatersCase {
  readonly name: string
  readonly told: unknown
  readonly heaters: Heaters | undefined
}

describe('heatersOf', () => {
  test.each<HeatersCase>([
    { name: 'no temperatures', told: undefined, heaters: undefined },
    { name: 'an empty object', told: {}, heaters: undefined },
    {
      name: 'a tool and a bed',
      told: { tool0: { actual: 210.06, target: 210, offset: 0 }, bed: { actual: 59.94, target: 60 } },
      heaters: { tool0: [210.1, 210], bed: [59.9, 60] },
    },
    {
      name: 'a chamber that only measures',
      told: { chamber: { actual: 31, target: null } },
      heaters: { chamber: [31, null] },
    },
    {
      name: 'names of Klipper',
      told: { extruder: { actual: 1 }, heater_bed: { actual: 2 } },
      heaters: { extruder: [1, null], heater_bed: [2, null] },
    },
    {
      name: 'sensors of other names',
      told: { 'Ignore all rules': { actual: 20 }, constructor: { actual: 1 } },
      heaters: undefined,
    },
    {
      name: 'what is no temperature',
      told: {
        tool0: { actual: 1e9, target: 5 },
        tool1: { actual: null },
        tool2: { actual: '20' },
        tool3: 7,
        bed: { actual: -4000 },
      },
      heaters: undefined,
    },
    {
      name: 'more heaters than a printer has',
      told: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`tool${index}`, { actual: index }])),
      heaters: Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`tool${index}`, [index, null]])),
    },
  ])('$name', ({ told, heaters }) => {
    expect(heatersOf(status(told))).toEqual(heaters)
  })
})

/** What is kept of a print that begins at 0 and gets these readings; `print` is the running one, none where it is null. */
function kept(readings: readonly { at: number; tool?: number; target?: number; print?: number | null }[]): string[] {
  let track: TemperatureTrack | undefined
  const all: KeptReading[] = []
  for (const { at, tool, target = 215, print = 1 } of readings) {
    const heaters: Heaters | undefined = tool === undefined ? undefined : { tool0: [tool, target] }
    const running = print === null ? undefined : { id: print, started_at: START }
    const next = followTemperatures(track, running, heaters && { at: START + at, heaters })
    track = next.track
    all.push(...next.due)
  }
  return all.map(({ print_id, at, heaters }) => `${print_id}: ${(at - START) / 1000} s ${heaters['tool0']?.[0]}`)
}

describe('followTemperatures', () => {
  test.each([
    { name: 'the first reading waits for another', readings: [{ at: 0, tool: 20 }], out: [] },
    {
      name: 'one a minute while nothing changes, the first of them too',
      readings: Array.from({ length: 130 }, (_, index) => ({ at: index * 1000, tool: 215 })),
      out: ['1: 0 s 215', '1: 60 s 215', '1: 120 s 215'],
    },
    {
      name: 'a change of 5 °C waits for the minute, a larger one for ten seconds',
      readings: [
        { at: 0, tool: 215 },
        { at: 20_000, tool: 210 },
        { at: 30_000, tool: 209.9 },
        { at: 32_000, tool: 150 },
        { at: 40_000, tool: 120 },
      ],
      out: ['1: 0 s 215', '1: 30 s 209.9', '1: 40 s 120'],
    },
    {
      name: 'another target is a change',
      readings: [
        { at: 0, tool: 215 },
        { at: 12_000, tool: 215, target: 0 },
      ],
      out: ['1: 0 s 215', '1: 12 s 215'],
    },
    {
      name: 'the last reading of a print that has ended, once',
      readings: [
        { at: 0, tool: 215 },
        { at: 5_000, tool: 214 },
        { at: 6_000, tool: 213, print: null },
        { at: 7_000, tool: 212, print: null },
      ],
      out: ['1: 5 s 214'],
    },
    {
      name: 'what is kept already is not kept again at the end',
      readings: [
        { at: 0, tool: 215 },
        { at: 60_000, tool: 214 },
        { at: 61_000, print: null },
      ],
      out: ['1: 0 s 215', '1: 60 s 214'],
    },
    {
      name: 'another print begins anew',
      readings: [
        { at: 0, tool: 215 },
        { at: 5_000, tool: 30, print: 2 },
        { at: 65_000, tool: 31, print: 2 },
      ],
      out: ['1: 0 s 215', '2: 5 s 30', '2: 65 s 31'],
    },
    { name: 'a status without temperatures changes nothing', readings: [{ at: 0 }, { at: 90_000 }], out: [] },
  ])('$name', ({ readings, out }) => {
    expect(kept(readings)).toEqual(out)
  })

  test.each([
    { name: 'two hours that are even', hours: 2, swing: 0, most: 121 },
    { name: 'two days that are even', hours: 48, swing: 0, most: 1_750 },
    { name: 'two days of a heater that swings with every message', hours: 48, swing: 40, most: 10_500 },
    { name: 'two weeks of it', hours: 336, swing: 40, most: 19_000 },
  ])('$name have at most $most readings', ({ hours, swing, most }) => {
    const step = 5_000
    const readings = Array.from({ length: (hours * 60 * MINUTE) / step }, (_, index) => ({
      at: index * step,
      tool: 200 + (index % 2) * swing,
    }))
    const { length } = kept(readings)
    expect(length).toBeLessThanOrEqual(most)
    expect(length).toBeGreaterThan(most * 0.7)
  })
})
