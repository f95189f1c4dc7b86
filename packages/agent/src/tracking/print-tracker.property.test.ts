import { NO_PRINT, type StatusMessage } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import type { HostPhase, PrintOutcome } from '../host.js'
import { isEnd } from './print-events.js'
import type { TrackerInput } from './print-tracker.js'
import { LOST, openPlayer, shown, type Player } from './transitions-testing.js'

// Any interleaving of what hosts tell, with restarts of the agent and of the machine, lost hosts and clocks that jump, must give a legal
// sequence of messages: whatever a host may do, no server shall see a print end twice or two prints at once.

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const RUNS = 3000
const STEPS = 60

/** Mulberry32: small, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const PHASES: HostPhase[] = ['offline', 'idle', 'printing', 'pausing', 'paused', 'resuming', 'cancelling', 'finishing']
const WORDS = ['started', 'paused', 'resumed', 'done', 'cancelled', 'failed'] as const
const OUTCOMES: (PrintOutcome | null)[] = [null, 'done', 'cancelled']
const YEAR_MS = 365 * 24 * 3_600_000

function play(random: () => number): Player {
  const pick = <T>(values: readonly [T, ...T[]] | readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const player = openPlayer()
  // A machine without a clock begins in 1970.
  if (random() < 0.3) player.wallMs = Math.floor(random() * 100_000)
  const inputs: (() => TrackerInput | undefined)[] = [
    () => ({ type: 'print', event: pick(WORDS) }),
    () => ({ type: 'print', event: pick(WORDS) }),
    () =>
      shown(pick(PHASES), {
        path: random() < 0.9 ? 'a.gcode' : 'b.gcode',
        completion: random() < 0.2 ? null : Math.floor(random() * 101),
        outcome: pick(OUTCOMES),
      }),
    () => shown(pick(PHASES)),
    () => shown('printing', { completion: 50 }),
    () => LOST,
    () => ({ type: 'tick' }),
    () => {
      if (random() < 0.5) player.restart()
      return undefined
    },
    () => {
      if (random() < 0.3) player.wallMs = Math.max(0, player.wallMs + (random() < 0.5 ? 56 : -56) * YEAR_MS * random())
      return undefined
    },
    () => {
      if (random() > 0.2) return undefined
      player.bootId = `boot-${random()}`
      player.restart()
      player.monotonicMs = random() * 60_000
      return undefined
    },
  ]
  for (let step = 0; step < STEPS; step += 1) {
    const ms = random() < 0.7 ? random() * 1000 : random() * 30_000
    player.monotonicMs += ms
    player.wallMs += ms
    const input = pick(inputs)()
    if (input) player.feed(input)
  }
  return player
}

/** What is wrong with a sequence of messages; undefined when nothing is. */
function faultOf(messages: readonly StatusMessage[]): string | undefined {
  let open: { ts: number; paused: boolean } | undefined
  let highest = 0
  for (const { event, current_print_ts: ts } of messages) {
    if (!event) {
      if (ts !== (open?.ts ?? NO_PRINT)) return `a status of print ${ts} while ${open?.ts ?? 'none'} is open`
      continue
    }
    const { event_type: type, age_ms = 0 } = event
    if (age_ms < 0) return `${type} in the future`
    if (type === 'PrintStarted') {
      if (open) return `a start while ${open.ts} is open`
      if (ts <= highest || !Number.isInteger(ts)) return `print ${ts} after ${highest}`
      highest = ts
      open = { ts, paused: false }
      continue
    }
    if (!open || open.ts !== ts) return `${type} of print ${ts} while ${open?.ts ?? 'none'} is open`
    if (isEnd(type)) open = undefined
    else if (open.paused === (type === 'PrintPaused')) return `${type} twice`
    else open.paused = type === 'PrintPaused'
  }
  return undefined
}

test(`any interleaving gives a legal sequence of messages (SEED=${SEED})`, () => {
  for (let run = 0; run < RUNS; run += 1) {
    const seed = SEED + run
    const { messages } = play(randomOf(seed))
    const fault = faultOf(messages)
    if (fault) expect.fail(`SEED=${seed}: ${fault}\n${storyOf(messages)}`)
  }
})

test('every type of event comes about in these interleavings', () => {
  const types = new Set<string>()
  for (let run = 0; run < 200; run += 1) {
    for (const { event } of play(randomOf(run)).messages) if (event) types.add(event.event_type)
  }
  expect([...types].sort()).toEqual(
    ['PrintCancelled', 'PrintDone', 'PrintFailed', 'PrintPaused', 'PrintResumed', 'PrintStarted'].sort(),
  )
})

test('a print keeps its value, whatever the clock does and however often the agent and the machine are started anew', () => {
  for (let run = 0; run < 500; run += 1) {
    const random = randomOf(SEED + run)
    const player = openPlayer()
    if (random() < 0.5) player.wallMs = 30_000
    player.feed(shown('idle'))
    player.feed({ type: 'print', event: 'started' })
    let completion = 0
    for (let step = 0; step < 40; step += 1) {
      player.monotonicMs += random() * 60_000
      const what = Math.floor(random() * 5)
      if (what === 0) player.wallMs = Math.max(0, player.wallMs + (random() - 0.5) * 112 * YEAR_MS)
      if (what === 1) player.restart()
      if (what === 2) player.feed(LOST)
      if (what === 3) {
        player.bootId = `boot-${step}`
        player.restart()
        player.monotonicMs = 1000
      }
      completion = Math.min(99, completion + random() * 3)
      player.feed(shown('printing', { completion }))
    }
    const values = new Set(
      player.messages.map(({ current_print_ts }) => current_print_ts).filter((ts) => ts !== NO_PRINT),
    )
    expect([...values], `SEED=${SEED + run}`).toHaveLength(1)
    const started = player.messages.filter(({ event }) => event).map(({ event }) => event?.event_type)
    expect(started).toEqual(['PrintStarted'])
  }
})

function storyOf(messages: readonly StatusMessage[]): string {
  return messages
    .map(({ event, current_print_ts, status }) => `${event?.event_type ?? status.state.text} ${current_print_ts}`)
    .join('\n')
}
