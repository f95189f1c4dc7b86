import { expect, test, vi } from 'vitest'
import { Turns } from './turns.js'

/** What happened, in order. Each step joins when its turn comes. */
function diary(turns: Turns) {
  const lines: string[] = []
  return {
    lines,
    shared: async (name: string): Promise<void> => {
      await turns.shared()
      lines.push(name)
    },
    alone: async (name: string): Promise<void> => {
      await turns.alone()
      lines.push(name)
    },
  }
}

const settle = async (): Promise<void> => {
  for (let hops = 0; hops < 10; hops++) await Promise.resolve()
}

test('without a transaction nobody waits', () => {
  expect(new Turns(1000).shared()).toBeUndefined()
})

test('turns come in order of arrival, and a transaction has its turn alone', async () => {
  const turns = new Turns(1000)
  const { lines, shared, alone } = diary(turns)
  await alone('t1')
  void shared('s1')
  void shared('s2')
  void alone('t2')
  void shared('s3')
  void alone('t3')
  await settle()
  expect(lines).toEqual(['t1'])
  turns.leave()
  await settle()
  expect(lines).toEqual(['t1', 's1', 's2', 't2'])
  turns.leave()
  await settle()
  expect(lines).toEqual(['t1', 's1', 's2', 't2', 's3', 't3'])
  turns.leave()
  expect(turns.shared()).toBeUndefined()
})

test('somebody new does not overtake those who wait', async () => {
  const turns = new Turns(1000)
  const { lines, shared, alone } = diary(turns)
  await alone('t1')
  void alone('t2')
  turns.leave()
  void shared('late')
  await settle()
  expect(lines).toEqual(['t1', 't2'])
  turns.leave()
  await settle()
  expect(lines).toEqual(['t1', 't2', 'late'])
})

test('who waits too long is told so, and the others keep their order', async () => {
  vi.useFakeTimers()
  try {
    const turns = new Turns(1000)
    await turns.alone()
    const stuck = expect(turns.shared()).rejects.toThrow('is "db" used inside')
    await vi.advanceTimersByTimeAsync(500)
    const patient = turns.alone()
    await vi.advanceTimersByTimeAsync(500)
    await stuck
    turns.leave()
    await expect(patient).resolves.toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})
