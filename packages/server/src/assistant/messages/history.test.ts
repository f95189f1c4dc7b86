import type { ChatTurn } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { oldTurnsText, splitHistory } from './history.js'

const turns = (count: number): ChatTurn[] =>
  Array.from({ length: count }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: `${index}` }))

test.each([
  { count: 1, old: 0, recent: 1 },
  { count: 6, old: 0, recent: 6 },
  { count: 7, old: 2, recent: 5 },
  { count: 20, old: 15, recent: 5 },
])('of $count turns $recent are sent as they are', ({ count, old, recent }) => {
  const split = splitHistory(turns(count))
  expect([split.old.length, split.recent.length]).toEqual([old, recent])
  expect([...split.old, ...split.recent]).toEqual(turns(count))
})

test('of a very long past the newest is told', () => {
  const text = oldTurnsText([
    { role: 'user', content: 'x'.repeat(100_000) },
    { role: 'assistant', content: 'the end' },
  ])
  expect(text.length).toBeLessThan(61_000)
  expect(text.endsWith('assistant: the end')).toBe(true)
})
