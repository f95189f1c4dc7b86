import type { BacktestResult } from '@printwarden/sdk'
import { expect, test } from 'vitest'
import { comparison } from './teaching-words.js'

const paused = (ts: number): BacktestResult['would'][number] => ({ ts, outcome: 'paused' })
const warned = (ts: number): BacktestResult['would'][number] => ({ ts, outcome: 'warning' })

test.each([
  [[paused(100)], [paused(160)], 'Paused 60 s earlier.'],
  [[paused(400)], [paused(100)], 'Paused 5 min later.'],
  [[warned(50), paused(100)], [paused(100)], 'Paused at the same time.'],
  [[paused(100)], [warned(90)], 'It would have been paused; it was not.'],
  [[], [paused(90)], 'It would not have been paused; it was.'],
  [[warned(80)], [warned(90)], 'Not paused either way; told 10 s earlier.'],
  [[], [], 'Nothing would have been told, and nothing was.'],
])('would %j, happened %j: %s', (would, happened, words) => {
  expect(comparison({ would, happened })).toBe(words)
})
