import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { HostError, type HostErrorCode, type HostPhase } from '../../host.js'
import { fakeLog } from '../../log/fake-log.js'
import type { SettledModes } from './modes.js'
import { openParkingLot, type ParkingLot } from './parking-lot.js'
import { NEW_VIEW } from './translate.js'

// The print may go on at any moment of its parking. What was sent must then be undone, once and after it, and nothing may follow.

const MODES: SettledModes = { axes: 'absolute', extruder: 'relative' }
const PARKING = ['G91', 'M83', 'G1 Z2', 'G90', 'M83', 'M104 T0 S0']
const UNPARKING = ['M104 T0 S205', 'M109 T0 S205', 'G91', 'M83', 'G1 Z-2', 'G90', 'M83']

/** What reaches OctoPrint, in order; each time, its answer waits for the test. */
let sent: string[][]
let answers: ((error?: HostError) => void)[]
let kept: unknown
let lot: ParkingLot
let path: string

beforeEach(() => {
  sent = []
  answers = []
  kept = null
  path = 'part.gcode'
  openLot()
})

function openLot(): void {
  const sendGCode = (commands: readonly string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      answers.push((error) => {
        sent.push([...commands])
        if (error) reject(error)
        else resolve()
      })
    })
  lot = openParkingLot({ sendGCode }, { load: () => kept, save: (value) => void (kept = value) }, fakeLog())
}

const enter = (phase: HostPhase): void =>
  lot.follow({
    ...NEW_VIEW,
    phase,
    job: { file: { name: path, path, display: path } },
    temperatures: { tool0: { actual: 205, target: 205 } },
  })

function book(modes: Promise<SettledModes> = Promise.resolve(MODES)): void {
  enter('printing')
  lot.book({ lift_z: 2, tools_off: true }, modes)
  enter('paused')
}

/** Lets everything happen that waits for nothing. */
const settle = (): Promise<void> => setImmediate()

async function answerAll(): Promise<void> {
  for (await settle(); answers.length > 0; await settle()) answers.shift()?.()
}

test('a print is parked as soon as it has paused, and brought back when it goes on', async () => {
  book()
  await answerAll()
  expect(sent).toEqual([PARKING])
  expect(kept).not.toBeNull()
  const left = lot.leave()
  await answerAll()
  await left
  expect(sent).toEqual([PARKING, UNPARKING])
  expect(kept).toBeNull()
})

test('a print that goes on while its file is still read is not parked any more', async () => {
  let tell: (modes: SettledModes) => void = () => {}
  book(new Promise((resolve) => (tell = resolve)))
  await lot.leave()
  // OctoPrint has not yet said that it goes on.
  tell(MODES)
  enter('paused')
  await answerAll()
  expect(sent).toEqual([])
  expect(kept).toBeNull()
})

test('a print that goes on while it is parked is brought back after that', async () => {
  book()
  await settle()
  const left = lot.leave()
  await settle()
  expect(answers).toHaveLength(1)
  await answerAll()
  await left
  expect(sent).toEqual([PARKING, UNPARKING])
})

test('a print that goes on at OctoPrint while it is parked is brought back after that, too', async () => {
  book()
  await settle()
  enter('resuming')
  enter('printing')
  await answerAll()
  expect(sent).toEqual([PARKING, UNPARKING])
})

test('a print that two resume at once is brought back once', async () => {
  book()
  await answerAll()
  const left = Promise.all([lot.leave(), lot.leave()])
  enter('resuming')
  await answerAll()
  await left
  expect(sent).toEqual([PARKING, UNPARKING])
})

async function failNext(code: HostErrorCode): Promise<void> {
  await settle()
  answers.shift()?.(new HostError(code, code))
  await settle()
}

test.each(['unauthorized', 'not_printing', 'rejected'] as const)(
  'parking that is refused as %s has nothing to bring back',
  async (code) => {
    book()
    await settle()
    const left = lot.leave()
    await failNext(code)
    await left
    await lot.leave()
    expect(sent).toEqual([PARKING])
    expect(kept).toBeNull()
  },
)

test('parking whose answer is lost is undone', async () => {
  book()
  await failNext('unreachable')
  const left = lot.leave()
  await answerAll()
  await left
  expect(sent).toEqual([PARKING, UNPARKING])
})

test('a way back whose answer is lost is heated again, and not moved again', async () => {
  book()
  await answerAll()
  const lost = expect(lot.leave()).rejects.toMatchObject({ code: 'unreachable' })
  await failNext('unreachable')
  await lost
  const left = lot.leave()
  await answerAll()
  await left
  expect(sent).toEqual([PARKING, UNPARKING, UNPARKING.slice(0, 2)])
  expect(kept).toBeNull()
})

test('a way back that is refused is made as a whole when it is asked for again', async () => {
  book()
  await answerAll()
  const refused = expect(lot.leave()).rejects.toMatchObject({ code: 'rejected' })
  await failNext('rejected')
  await refused
  const left = lot.leave()
  await answerAll()
  await left
  expect(sent).toEqual([PARKING, UNPARKING, UNPARKING])
})

test.each([
  { name: 'the same print is brought back', next: 'part.gcode', ending: [UNPARKING] },
  { name: 'another print is left as it is', next: 'other.gcode', ending: [] },
])('after a restart of the agent $name', async ({ next, ending }) => {
  book()
  await answerAll()
  openLot()
  path = next
  enter('paused')
  const left = lot.leave()
  await answerAll()
  await left
  expect(sent).toEqual([PARKING, ...ending])
  expect(kept).toBeNull()
})

test('what an agent has kept that named no file still counts', async () => {
  kept = { retract: 0, lift_z: 2, targets: { tool0: 205 }, modes: MODES }
  openLot()
  enter('paused')
  const left = lot.leave()
  await answerAll()
  await left
  expect(sent).toEqual([UNPARKING])
})

test('the next pause parks again', async () => {
  book()
  await answerAll()
  const left = lot.leave()
  await answerAll()
  await left
  enter('resuming')
  book()
  await answerAll()
  expect(sent).toEqual([PARKING, UNPARKING, PARKING])
})
