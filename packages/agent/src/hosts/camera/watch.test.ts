import { expect, test } from 'vitest'
import { NEW_WATCH, stepWatch, type Watch, type WatchInput, type WatchSettings } from './watch.js'

const MINUTE = 60_000
const byMotion: WatchSettings = { motion: true, motionMs: 3 * MINUTE, quietMs: 10 * MINUTE }
const byHand: WatchSettings = { ...byMotion, motion: false }

/** `start`, `stop`, `cancel`; or minutes of what is seen: `5 moving`, `12 still`, `3 unclear`. */
function play(story: string, settings: WatchSettings): { events: string[]; watch: Watch } {
  let watch = NEW_WATCH
  const events: string[] = []
  const take = (input: WatchInput): void => {
    const step = stepWatch(watch, input, settings)
    watch = step.watch
    events.push(...step.events)
  }
  for (const word of story.split(', ')) {
    if (word === 'start') take({ type: 'start', name: 'vase', wallMs: 1_000 })
    else if (word === 'stop') take({ type: 'stop', outcome: 'done' })
    else if (word === 'cancel') take({ type: 'stop', outcome: 'cancelled' })
    else {
      const [minutes, sight] = word.split(' ')
      if (sight !== 'moving' && sight !== 'still' && sight !== 'unclear') throw new Error(word)
      for (let seconds = 0; seconds < Number(minutes) * 60; seconds += 10) {
        take({ type: 'sight', sight, ms: 10_000, wallMs: 2_000 })
      }
    }
  }
  return { events, watch }
}

test.each([
  { name: 'nothing moves', story: '60 still', events: '' },
  { name: 'somebody walks by', story: '1 moving, 5 still, 1 moving, 5 still, 2 moving', events: '' },
  { name: 'a print starts', story: '2 still, 3 moving', events: 'started' },
  { name: 'a print starts once', story: '30 moving', events: 'started' },
  { name: 'a print with short rests', story: '2 moving, 0.5 still, 2 moving', events: 'started' },
  { name: 'a print that has ended', story: '30 moving, 10 still', events: 'started done' },
  { name: 'a long rest, not long enough', story: '30 moving, 9 still, 1 moving, 9 still', events: 'started' },
  { name: 'two prints', story: '5 moving, 12 still, 5 moving, 12 still', events: 'started done started done' },
  { name: 'the dark is no rest', story: '30 moving, 60 unclear, 5 still', events: 'started' },
  { name: 'the dark is no motion', story: '60 unclear', events: '' },
  {
    name: 'started by a person, before anything moves',
    story: 'start, 30 still, 5 moving, 10 still',
    events: 'started done',
  },
  { name: 'stopped by a person, while it goes on', story: '5 moving, stop, 30 moving', events: 'started done' },
  {
    name: 'after such a stop and a rest, the next one',
    story: '5 moving, stop, 5 moving, 10 still, 4 moving',
    events: 'started done started',
  },
  { name: 'cancelled', story: 'start, 1 moving, cancel', events: 'started cancelled' },
  { name: 'a start while one is watched ends that one', story: 'start, start', events: 'started done started' },
  { name: 'a stop of nothing', story: 'stop', events: '' },
])('by motion: $name', ({ story, events }) => {
  expect(play(story, byMotion).events.join(' ')).toBe(events)
})

test.each([
  { name: 'motion starts nothing', story: '60 moving', events: '' },
  { name: 'and ends nothing', story: 'start, 5 moving, 60 still', events: 'started' },
  { name: 'a person does', story: 'start, 5 moving, 60 still, stop', events: 'started done' },
])('by hand alone: $name', ({ story, events }) => {
  expect(play(story, byHand).events.join(' ')).toBe(events)
})

test('one that a person started has the name they gave', () => {
  expect(play('start', byHand).watch.watched).toMatchObject({ name: 'vase', startedBy: 'person' })
})

test('one that motion started says so', () => {
  expect(play('4 moving', byMotion).watch.watched).toMatchObject({ name: 'Watched by picture', startedBy: 'motion' })
})
