import { expect, test } from 'vitest'
import { LatestQueue } from './latest-queue.js'

const nobody = (): boolean => false

function takeAll(queue: LatestQueue<string>): string[] {
  const taken: string[] = []
  for (let value = queue.take(nobody); value !== undefined; value = queue.take(nobody)) taken.push(value)
  return taken
}

test.each([
  { name: 'nothing waits', offers: [], taken: [], dropped: 0 },
  {
    name: 'keys take turns in the order of arrival',
    offers: [
      [2, 10, 'b'],
      [1, 11, 'a'],
    ],
    taken: ['b', 'a'],
    dropped: 0,
  },
  {
    name: 'the newest wins',
    offers: [
      [1, 10, 'old'],
      [1, 20, 'new'],
    ],
    taken: ['new'],
    dropped: 1,
  },
  {
    name: 'a late older one is dropped',
    offers: [
      [1, 20, 'new'],
      [1, 10, 'old'],
    ],
    taken: ['new'],
    dropped: 1,
  },
  {
    name: 'of the same instant the later wins',
    offers: [
      [1, 20, 'first'],
      [1, 20, 'second'],
    ],
    taken: ['second'],
    dropped: 1,
  },
  {
    name: 'a key that offers often does not push itself forward or back',
    offers: [
      [1, 1, 'a1'],
      [2, 2, 'b1'],
      [1, 3, 'a2'],
      [3, 4, 'c1'],
      [1, 5, 'a3'],
    ],
    taken: ['a3', 'b1', 'c1'],
    dropped: 2,
  },
] as { name: string; offers: [number, number, string][]; taken: string[]; dropped: number }[])(
  '$name',
  ({ offers, taken, dropped }) => {
    const queue = new LatestQueue<string>()
    for (const [key, at, value] of offers) queue.offer(key, at, value)
    expect(takeAll(queue)).toEqual(taken)
    expect(queue.dropped).toBe(dropped)
    expect(queue.size).toBe(0)
  },
)

test('a busy key keeps its place and lets the others pass', () => {
  const queue = new LatestQueue<string>()
  queue.offer(1, 1, 'a')
  queue.offer(2, 2, 'b')
  expect(queue.take((key) => key === 1)).toBe('b')
  expect(queue.take((key) => key === 1)).toBeUndefined()
  expect(queue.take(nobody)).toBe('a')
})

test('a removed key is not handed out, and is not counted as dropped', () => {
  const queue = new LatestQueue<string>()
  queue.offer(1, 1, 'a')
  queue.offer(2, 2, 'b')
  queue.remove(1)
  expect(takeAll(queue)).toEqual(['b'])
  expect(queue.dropped).toBe(0)
})

test('a thousand offers of one key hold one value', () => {
  const queue = new LatestQueue<string>()
  for (let i = 0; i < 1000; i++) queue.offer(7, i, `frame ${i}`)
  expect(queue.size).toBe(1)
  expect(takeAll(queue)).toEqual(['frame 999'])
})

test('groups take turns, however many keys each has', () => {
  const queue = new LatestQueue<string>()
  const offerAll = (at: number): void => {
    for (const key of [1, 2, 3]) queue.offer(key, at, `many${key}`, 100)
    queue.offer(4, at, 'one', 200)
  }
  offerAll(1)
  const taken: (string | undefined)[] = []
  for (let i = 0; i < 6; i++) {
    taken.push(queue.take(nobody))
    offerAll(2 + i)
  }
  // Each group half of the turns, and within the first each key its own.
  expect(taken).toEqual(['many1', 'one', 'many2', 'one', 'many3', 'one'])
})

test('the value that gave way is handed back, and what waits can be seen', () => {
  const queue = new LatestQueue<string>()
  expect(queue.offer(1, 10, 'a')).toBeUndefined()
  expect(queue.offer(1, 11, 'b')).toBe('a')
  expect(queue.offer(1, 9, 'c')).toBe('c')
  expect(queue.values()).toEqual(['b'])
})
