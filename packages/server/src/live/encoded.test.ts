import { LiveMessage } from '@printwarden/protocol'
import { expect, test, vi } from 'vitest'
import type { Viewer } from '../prints/view.js'
import { NOW, sampleFacts, sampleStatus } from '../printers/sample.js'
import { emptyRound, frameText, owedTextOf } from './encoded.js'
import { emptyFeed, type Feed, owedOf, putFacts, removePrinter, type Subscription } from './feed.js'

const viewer = (origin: string, canWrite = true): Viewer => ({
  origin,
  mediaUrl: (key) => `${origin}/${key}`,
  canWrite,
})
const owner = viewer('https://a.example')

/** A feed in which a status of printer 7 came after version 1. */
function feedWithNews(): { feed: Feed; subscription: Subscription } {
  const feed = emptyFeed('epoch')
  const facts = sampleFacts()
  putFacts(feed, facts, NOW)
  const { version } = feed
  putFacts(feed, { ...facts, live: { ...facts.live, status: sampleStatus('Printing', 42) } }, NOW)
  return { feed, subscription: { selection: 'all', version, known: new Set([7]) } }
}

/** How often a status was made into text while `work` ran. */
function encodings(work: () => void): number {
  const stringify = vi.spyOn(JSON, 'stringify')
  try {
    work()
    return stringify.mock.calls.filter(([value]) => value !== null && typeof value === 'object' && 'status' in value)
      .length
  } finally {
    stringify.mockRestore()
  }
}

test('two hundred viewers of one printer cost one encoding a round', () => {
  const { feed, subscription } = feedWithNews()
  const round = emptyRound()
  const texts = new Set<string>()
  const made = encodings(() => {
    for (let index = 0; index < 200; index++) {
      const owed = owedTextOf(feed, round, subscription, 7, viewer('https://a.example'), NOW)
      texts.add(owed === undefined ? '' : frameText(owed, 'cursor'))
    }
  })
  expect(made).toBe(1)
  expect(texts.size).toBe(1)
})

test('the text is the frame that the subscriber would have been told alone', () => {
  const { feed, subscription } = feedWithNews()
  const owed = owedTextOf(feed, emptyRound(), subscription, 7, owner, NOW)
  const alone = owedOf(feed, subscription, 7, owner, NOW)
  expect(alone?.type).toBe('changes')
  const frame: unknown = JSON.parse(frameText(owed ?? { type: 'removed', id: 0 }, 'a "cursor"'))
  expect(LiveMessage.parse(frame)).toEqual(frame)
  const changes = alone?.type === 'changes' ? alone.changes : undefined
  expect(frame).toEqual(JSON.parse(JSON.stringify({ printer: { cursor: 'a "cursor"', id: 7, changes } })))
})

test.each([
  { name: 'who sees it from another address', other: { viewer: viewer('https://b.example') } },
  { name: 'who may not see the auth_token', other: { viewer: viewer('https://a.example', false) } },
  { name: 'who was told less so far', other: { version: 0 } },
  { name: 'who does not know the printer yet', other: { known: new Set<number>() } },
])('one $name is not given the text of another', ({ other: { viewer: seenBy = owner, ...changes } }) => {
  const { feed, subscription } = feedWithNews()
  const round = emptyRound()
  const first = owedTextOf(feed, round, { ...subscription, known: new Set([7]) }, 7, owner, NOW)
  const theirs: Subscription = { ...subscription, ...changes }
  const second = owedTextOf(feed, round, theirs, 7, seenBy, NOW)
  const alone = owedOf(feed, theirs, 7, seenBy, NOW)
  expect(first?.type).toBe('changes')
  expect(second?.type === 'changes' && second.text).toBe(alone?.type === 'changes' && JSON.stringify(alone.changes))
})

test('what comes later is encoded anew', () => {
  const { feed, subscription } = feedWithNews()
  const round = emptyRound()
  const before = owedTextOf(feed, round, subscription, 7, owner, NOW)
  const facts = feed.printers.get(7)?.facts ?? sampleFacts()
  putFacts(feed, { ...facts, live: { ...facts.live, status: sampleStatus('Printing', 43) } }, NOW)
  const after = owedTextOf(feed, round, subscription, 7, owner, NOW)
  expect(after).not.toEqual(before)
  removePrinter(feed, 7)
  expect(owedTextOf(feed, round, subscription, 7, owner, NOW)).toEqual({ type: 'removed', id: 7 })
})
