import { describe, expect, test } from 'vitest'
import { framesToDrop, type KeyFrameReason, type QuotaFrame } from './frame-quota.js'

const frame = (id: string, atMs: number, reason: KeyFrameReason = 'interval', printTs = 1): QuotaFrame => ({
  ...{ id, printTs, reason, atMs },
  numBytes: 10,
})
const dropped = (frames: QuotaFrame[], quota: { frames?: number; bytes?: number }) =>
  framesToDrop(frames, { frames: 99, bytes: 9999, ...quota }).map(({ id }) => id)

describe('what has to go', () => {
  const print = [
    frame('start', 0, 'started'),
    frame('a', 60),
    frame('b', 65),
    frame('c', 120),
    frame('pause', 180, 'paused'),
    frame('d', 240),
    frame('end', 300, 'ended'),
  ]

  test.each([
    { name: 'nothing while there is room', quota: { frames: 7, bytes: 70 }, gone: [] },
    { name: 'the one that leaves the smallest hole', quota: { frames: 6 }, gone: ['b'] },
    { name: 'one after the other, as even as can be', quota: { frames: 5 }, gone: ['b', 'a'] },
    { name: 'by bytes as by number', quota: { bytes: 65 }, gone: ['b'] },
    { name: 'turns of the print last, the oldest first', quota: { frames: 2 }, gone: ['b', 'a', 'd', 'c', 'start'] },
    { name: 'everything when nothing may be kept', quota: { frames: 0 }, gone: expect.arrayContaining(['end']) },
  ])('$name', ({ quota, gone }) => {
    expect(dropped(print, quota)).toEqual(gone)
  })

  test('the edges of a print stay longer than what is within', () => {
    const two = [frame('a', 0), frame('b', 10), frame('c', 20), frame('d', 500, 'interval', 2)]
    expect(dropped(two, { frames: 3 })).toEqual(['b'])
  })
})

test('a print that goes on and on stays evenly covered', () => {
  let kept: QuotaFrame[] = []
  for (let minute = 0; minute < 1000; minute += 1) {
    kept = [...kept, frame(String(minute), minute * 60_000, minute === 0 ? 'started' : 'interval')]
    const gone = framesToDrop(kept, { frames: 50, bytes: 1e9 })
    kept = kept.filter((one) => !gone.includes(one))
  }
  expect(kept).toHaveLength(50)
  expect(kept[0]?.id).toBe('0')
  expect(kept.at(-1)?.id).toBe('999')
  const gaps = kept.slice(1).map(({ atMs }, index) => atMs - (kept[index]?.atMs ?? 0))
  // Even would be 20 minutes.
  expect(Math.max(...gaps)).toBeLessThanOrEqual(60 * 60_000)
})
