import { expect, test } from 'vitest'
import { Lanes } from './lanes.js'

test('no more than the limit is under way, the rest waits in order, and too much is refused', async () => {
  const lanes = new Lanes(2, 2, () => new Error('full'))
  const ends: (() => void)[] = []
  const begun: number[] = []
  const work = (index: number) => (): Promise<number> => {
    begun.push(index)
    return new Promise((resolve) => ends.push(() => resolve(index)))
  }
  const answers = [0, 1, 2, 3].map((index) => lanes.run(work(index)))
  await expect(lanes.run(work(4))).rejects.toThrow('full')
  expect(begun).toEqual([0, 1])
  ends[1]?.()
  expect(await answers[1]).toBe(1)
  await expect.poll(() => begun).toEqual([0, 1, 2])
  ends[0]?.()
  await expect.poll(() => begun).toEqual([0, 1, 2, 3])
  ends[2]?.()
  ends[3]?.()
  expect(await Promise.all(answers)).toEqual([0, 1, 2, 3])
})

test('what fails gives its lane back', async () => {
  const lanes = new Lanes(1, 1, () => new Error('full'))
  await expect(lanes.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(lanes.run(async () => 'yes')).resolves.toBe('yes')
})
