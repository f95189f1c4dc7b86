import { expect, test } from 'vitest'
import { captureDelayMs, captureReason, type CaptureState } from './capture-policy.js'

const idle: CaptureState = {
  lastMs: 100_000,
  failed: false,
  intervalMs: 10_000,
  printing: false,
  viewing: false,
  asked: false,
}

test.each<{ name: string; state: Partial<CaptureState>; nowMs: number; delayMs: number }>([
  { name: 'the first picture is due at once', state: { lastMs: undefined }, nowMs: 0, delayMs: 0 },
  { name: 'idle waits two minutes', state: {}, nowMs: 101_000, delayMs: 119_000 },
  { name: 'printing waits for the interval', state: { printing: true }, nowMs: 104_000, delayMs: 6_000 },
  {
    name: 'a fraction of a second is an interval',
    state: { printing: true, intervalMs: 250 },
    nowMs: 100_100,
    delayMs: 150,
  },
  {
    name: 'a print that starts after an idle time is due at once',
    state: { printing: true },
    nowMs: 150_000,
    delayMs: -40_000,
  },
  { name: 'somebody who looks on gets the interval', state: { viewing: true }, nowMs: 104_000, delayMs: 6_000 },
  {
    name: 'the server may want pictures sooner',
    state: { printing: true, wantedMs: 4000 },
    nowMs: 101_000,
    delayMs: 3_000,
  },
  {
    name: 'however much the server wants, two seconds are the least',
    state: { printing: true, wantedMs: 100 },
    nowMs: 100_000,
    delayMs: 2_000,
  },
  {
    name: 'a camera that takes long is not asked for more than a quarter of its time',
    state: { printing: true, wantedMs: 2000, tookMs: 1500 },
    nowMs: 100_000,
    delayMs: 6_000,
  },
  {
    name: 'what the server wants never makes pictures rarer',
    state: { printing: true, wantedMs: 60_000 },
    nowMs: 100_000,
    delayMs: 10_000,
  },
  {
    name: 'a camera that takes very long sets the interval, also when nobody wants more',
    state: { printing: true, tookMs: 5_000 },
    nowMs: 100_000,
    delayMs: 20_000,
  },
  {
    name: 'however long it takes, a print is seen twice a minute',
    state: { printing: true, tookMs: 9_900 },
    nowMs: 100_000,
    delayMs: 30_000,
  },
  {
    name: 'a busy machine takes a third of the pictures',
    state: { printing: true, busy: true, intervalMs: 5_000 },
    nowMs: 100_000,
    delayMs: 15_000,
  },
  { name: 'but two a minute', state: { printing: true, busy: true }, nowMs: 100_000, delayMs: 30_000 },
  {
    name: 'unless it is configured to take fewer anyway',
    state: { printing: true, busy: true, intervalMs: 60_000 },
    nowMs: 100_000,
    delayMs: 60_000,
  },
  {
    name: 'a busy machine takes no more because the server wants more',
    state: { printing: true, busy: true, wantedMs: 2_000 },
    nowMs: 100_000,
    delayMs: 30_000,
  },
  {
    name: 'asked for, it is due on a busy machine too',
    state: { asked: true, busy: true },
    nowMs: 100_001,
    delayMs: 0,
  },
  {
    name: 'what the server wants counts while printing only',
    state: { wantedMs: 2000 },
    nowMs: 100_000,
    delayMs: 120_000,
  },
  { name: 'asked for, it is due', state: { asked: true }, nowMs: 100_001, delayMs: 0 },
  { name: 'a failed idle picture is tried again sooner', state: { failed: true }, nowMs: 100_000, delayMs: 30_000 },
  {
    name: 'a failed picture of a print keeps its interval',
    state: { failed: true, printing: true },
    nowMs: 100_000,
    delayMs: 10_000,
  },
])('$name', ({ state, nowMs, delayMs }) => {
  expect(captureDelayMs({ ...idle, ...state }, nowMs)).toBe(delayMs)
})

test.each<{ name: string; state: Partial<CaptureState>; nowMs: number; reason: string }>([
  {
    name: 'asked between two pictures of a print',
    state: { printing: true, asked: true },
    nowMs: 104_000,
    reason: 'asked',
  },
  {
    name: 'asked when the interval is due too',
    state: { printing: true, asked: true },
    nowMs: 111_000,
    reason: 'interval',
  },
  { name: 'asked before the first picture', state: { lastMs: undefined, asked: true }, nowMs: 0, reason: 'interval' },
  { name: 'not asked', state: { printing: true }, nowMs: 111_000, reason: 'interval' },
])('$name: $reason', ({ state, nowMs, reason }) => {
  expect(captureReason({ ...idle, ...state }, nowMs)).toBe(reason)
})
