import { beforeEach, expect, test } from 'vitest'
import { fakeLog } from '../../log/fake-log.js'
import { fakeClock, type FakeClock } from '../../time/fake-clock.js'
import { openAsking, type Asking } from './asking.js'
import type { Asked } from './translate.js'

// Commands of the same kind follow each other within moments. What is left of one must not end the next.

let asked: Asked | null
let clock: FakeClock
let asking: Asking

beforeEach(() => {
  asked = null
  clock = fakeClock()
  asking = openAsking({
    asked: () => asked,
    show: (value) => void (asked = value),
    isPrinting: () => true,
    clock,
    log: fakeLog(),
  })
})

test('a command does not end with the time of the one before it', async () => {
  await asking.ask('resume', async () => {})
  await asking.ask('pause', async () => {})
  // The state has followed.
  asked = null
  clock.advance(2_000)
  const heating = asking.ask('resume', () => new Promise(() => {}))
  clock.advance(2_000)
  await heating
  expect(asked).toBe('resume')
})

test('a command does not end with one that was given up, when that fails at last', async () => {
  let fail: (error: Error) => void = () => {}
  const first = asking.ask('resume', () => new Promise((_resolve, reject) => (fail = reject)))
  asking.giveUp('resume')
  expect(asked).toBeNull()
  const second = asking.ask('resume', () => new Promise(() => {}))
  fail(new Error('given up'))
  await expect(first).rejects.toThrow('given up')
  clock.advance(2_000)
  await second
  expect(asked).toBe('resume')
})
