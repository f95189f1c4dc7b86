import { expect, test } from 'vitest'
import type { Viewer } from '../prints/view.js'
import { NOW, sampleFacts, samplePrint, samplePrinter, sampleStatus } from '../printers/sample.js'
import type { PrinterFacts } from '../printers/view.js'
import {
  emptyFeed,
  type Feed,
  owedOf,
  putFacts,
  removePrinter,
  type Selection,
  selectedPrinters,
  type Subscription,
} from './feed.js'

const viewer: Viewer = { origin: 'http://a', mediaUrl: (key) => `http://a/${key}`, canWrite: false }
const everything = { selection: 'all', version: 0, known: new Set([7]) } as const

/** A feed with these printers in it. */
function feedOf(...all: PrinterFacts[]): Feed {
  const feed = emptyFeed('e')
  for (const facts of all) putFacts(feed, facts, NOW)
  return feed
}

const facts = (id: number, changes: Parameters<typeof samplePrinter>[0] = {}) =>
  sampleFacts({ printer: samplePrinter({ id, ...changes }) })

/** A subscriber that has been told everything about its printers. */
function upToDate(feed: Feed, selection: Selection = 'all'): Subscription {
  const known = selectedPrinters(feed, selection).map((printer) => printer.facts.printer.id)
  return { selection, version: feed.version, known: new Set(known) }
}

const live = sampleFacts().live

test.each<{ name: string; next: PrinterFacts; fields: string[] }>([
  { name: 'nothing changed', next: sampleFacts(), fields: [] },
  {
    name: 'the same status again, as another object',
    next: sampleFacts({ live: { ...live, status: sampleStatus('Printing') } }),
    fields: [],
  },
  {
    name: 'a status',
    next: sampleFacts({ live: { ...live, status: sampleStatus('Printing', 11) } }),
    fields: ['status'],
  },
  {
    name: 'a status that ends the watching',
    next: sampleFacts({ live: { ...live, status: sampleStatus('Paused') } }),
    fields: ['not_watching_reason', 'not_watching_code', 'status'],
  },
  { name: 'the gauge', next: sampleFacts({ live: { ...live, normalized_p: 0.5 } }), fields: ['normalized_p'] },
  {
    name: 'a picture',
    next: sampleFacts({ live: { ...live, pic: { key: 'b', raw_key: 'b', ts: NOW / 1000 } } }),
    fields: ['pic'],
  },
  { name: 'a name', next: facts(7, { name: 'Right' }), fields: ['name'] },
  { name: 'an alert', next: sampleFacts({ print: samplePrint({ alerted_at: NOW }) }), fields: ['current_print'] },
  {
    name: 'a rotated token, shown to nobody here but known to have changed',
    next: sampleFacts({ authToken: 'new' }),
    fields: ['auth_token'],
  },
])('$name is owed as $fields', ({ next, fields }) => {
  const feed = feedOf(sampleFacts())
  const subscription = upToDate(feed)
  expect(putFacts(feed, next, NOW)).toBe(fields.length > 0)
  const owed = owedOf(feed, subscription, 7, viewer, NOW)
  expect(owed?.type === 'changes' ? Object.keys(owed.changes) : []).toEqual(fields)
})

test('several changes are owed once, with the newest values', () => {
  const feed = feedOf(sampleFacts())
  const subscription = upToDate(feed)
  for (const completion of [20, 30, 40]) {
    putFacts(feed, sampleFacts({ live: { ...live, status: sampleStatus('Printing', completion) } }), NOW)
  }
  putFacts(feed, sampleFacts({ live: { ...live, status: sampleStatus('Printing', 40), normalized_p: 0.7 } }), NOW)
  expect(owedOf(feed, subscription, 7, viewer, NOW)).toEqual({
    type: 'changes',
    id: 7,
    changes: { status: sampleStatus('Printing', 40), normalized_p: 0.7 },
  })
  expect(owedOf(feed, upToDate(feed), 7, viewer, NOW)).toBeUndefined()
})

test('time alone changes what is seen: a camera that went silent', () => {
  const feed = feedOf(sampleFacts())
  const subscription = upToDate(feed)
  const later = NOW + 4 * 60_000
  expect(putFacts(feed, sampleFacts(), later)).toBe(true)
  expect(owedOf(feed, subscription, 7, viewer, later)).toMatchObject({ changes: { not_watching_code: 'no_picture' } })
})

test('URLs and the auth_token are made for the viewer', () => {
  const feed = feedOf(sampleFacts())
  const fresh = { ...everything, known: new Set<number>() }
  expect(owedOf(feed, fresh, 7, viewer, NOW)).toMatchObject({
    changes: { auth_token: null, pic: { img_url: 'http://a/printers/7/pic/2.jpg' } },
  })
  expect(owedOf(feed, fresh, 7, { ...viewer, canWrite: true }, NOW)).toMatchObject({
    changes: { auth_token: 'ab'.repeat(20) },
  })
})

test('a printer that is new to the subscriber is owed whole', () => {
  const feed = feedOf(sampleFacts())
  const subscription = upToDate(feed)
  putFacts(feed, facts(8), NOW)
  const owed = owedOf(feed, subscription, 8, viewer, NOW)
  expect(owed).toMatchObject({ type: 'changes', id: 8, changes: { id: 8, name: 'Left', settings: {} } })
})

test.each<{ name: string; selection: Selection; change: (feed: Feed) => void; owed: object | undefined }>([
  { name: 'deleted', selection: 'all', change: (feed) => removePrinter(feed, 7), owed: { type: 'removed', id: 7 } },
  {
    name: 'archived, for one who watches all',
    selection: 'all',
    change: (feed) => putFacts(feed, facts(7, { archived_at: NOW }), NOW),
    owed: { type: 'removed', id: 7 },
  },
  {
    name: 'archived, for one who asked for it by its id',
    selection: new Set([7]),
    change: (feed) => putFacts(feed, facts(7, { archived_at: NOW }), NOW),
    owed: { type: 'changes', id: 7, changes: { archived_at: new Date(NOW).toISOString() } },
  },
  { name: 'somebody else’s, asked for by its id', selection: new Set([9]), change: () => {}, owed: undefined },
])('a printer that is $name', ({ selection, change, owed }) => {
  const feed = feedOf(sampleFacts())
  const subscription = upToDate(feed, selection)
  change(feed)
  expect(owedOf(feed, subscription, 7, viewer, NOW)).toEqual(owed)
})

test('a printer brought back from the archive is owed whole, also to one who comes back', () => {
  const feed = feedOf(facts(7, { archived_at: NOW }))
  const subscription = upToDate(feed)
  putFacts(feed, facts(7), NOW)
  expect(owedOf(feed, subscription, 7, viewer, NOW)).toMatchObject({ changes: { name: 'Left' } })
  const cameBack = { ...subscription, known: new Set([7]) }
  expect(owedOf(feed, cameBack, 7, viewer, NOW)).toMatchObject({ changes: { name: 'Left' } })
})

test('removing what is not there changes nothing', () => {
  const feed = feedOf(sampleFacts())
  expect(removePrinter(feed, 99)).toBe(false)
  expect(feed).toMatchObject({ version: 1, removedAt: 0 })
})
