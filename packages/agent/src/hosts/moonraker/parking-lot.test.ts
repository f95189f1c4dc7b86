import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { fakeLog } from '../../log/fake-log.js'
import { fakeClock, type FakeClock } from '../../time/fake-clock.js'
import { openParkingLot, type ParkingLot } from './parking-lot.js'
import type { Parked } from './parking.js'
import { NEW_VIEW, type Asked } from './translate.js'

// Heating up takes minutes, in which the resume may be given up. A print that stays paused must not stay hot.

const HOT = 'SET_HEATER_TEMPERATURE HEATER=extruder TARGET=205'
const COLD = 'SET_HEATER_TEMPERATURE HEATER=extruder TARGET=0'
const PARKED: Parked = { retract: 0, lift_z: 2, targets: { extruder: 205 }, file: 'part.gcode' }

/** The scripts that reach Klipper, in order; each time, its answer waits for the test. */
let scripts: string[]
let answers: (() => void)[]
let kept: Parked | undefined
let clock: FakeClock
let lot: ParkingLot

beforeEach(() => {
  scripts = []
  answers = []
  clock = fakeClock()
  openLot(PARKED)
})

function openLot(initial: Parked): void {
  kept = initial
  lot = openParkingLot({
    runScript: (script) => {
      scripts.push(script)
      return new Promise<void>((resolve) => answers.push(resolve))
    },
    query: async () => ({}),
    initial,
    keep: (parked) => void (kept = parked),
    clock,
    log: fakeLog(),
  })
}

function enter(asked: Asked | null, state = 'paused', temperature = 30): void {
  const print_stats = { state, filename: 'part.gcode' }
  lot.follow({ ...NEW_VIEW, down: null, asked, objects: { print_stats, extruder: { temperature } } })
}

/** Lets everything happen that waits for nothing more. */
async function answerAll(): Promise<void> {
  for (const answer of answers.splice(0)) answer()
  await setImmediate()
}

test('a heater that does not get hot again is turned off', async () => {
  enter('resume')
  const refused = expect(lot.leave()).rejects.toMatchObject({ code: 'rejected' })
  await answerAll()
  clock.advance(20 * 60_000)
  await refused
  expect(scripts).toEqual([HOT, COLD])
  expect(kept).toEqual(PARKED)
})

test('a print that is cancelled meanwhile is left to its own macro', async () => {
  enter('resume')
  const refused = expect(lot.leave()).rejects.toMatchObject({ code: 'rejected' })
  await answerAll()
  enter('cancel')
  await refused
  expect(scripts).toEqual([HOT])
  expect(kept).toBeUndefined()
})

test('a resume that is given up while the filament is pushed back does not go on', async () => {
  openLot({ retract: 3, lift_z: 0, targets: {} })
  enter('resume')
  const refused = expect(lot.leave()).rejects.toMatchObject({ code: 'rejected' })
  enter(null)
  await answerAll()
  await refused
  expect(scripts).toHaveLength(1)
  // Not a second time.
  expect(kept).toBeUndefined()
})

test('a resume that was given up while Klipper was busy does not cool the next one', async () => {
  enter('resume')
  const refused = expect(lot.leave()).rejects.toMatchObject({ code: 'rejected' })
  enter(null)
  enter('resume')
  const left = lot.leave()
  await answerAll()
  await refused
  enter('resume', 'paused', 205)
  await left
  expect(scripts).toEqual([HOT, HOT])
  expect(lot.isLeaving).toBe(false)
  expect(kept).toBeUndefined()
})
