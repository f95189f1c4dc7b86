import { expect, test } from 'vitest'
import { cursorOf, resumeVersion } from './cursor.js'
import { emptyFeed, type Feed, type Selection } from './feed.js'

const feed = (changes: Partial<Feed> = {}): Feed => ({ ...emptyFeed('epoch'), version: 50, removedAt: 20, ...changes })
const all = cursorOf(feed(), 40, 'all')

test.each<{
  name: string
  cursor: string | undefined
  feed?: Feed
  selection?: Selection
  version: number | undefined
}>([
  { name: 'the same feed and selection', cursor: all, version: 40 },
  { name: 'nothing missed', cursor: cursorOf(feed(), 50, 'all'), version: 50 },
  { name: 'no cursor', cursor: undefined, version: undefined },
  { name: 'another feed, after a restart', cursor: all, feed: feed({ epoch: 'other' }), version: undefined },
  { name: 'a printer has left since', cursor: all, feed: feed({ removedAt: 41 }), version: undefined },
  { name: 'a printer left just then', cursor: all, feed: feed({ removedAt: 40 }), version: 40 },
  { name: 'from the future', cursor: cursorOf(feed(), 51, 'all'), version: undefined },
  { name: 'more is asked for than before', cursor: all, selection: new Set([1]), version: undefined },
  {
    name: 'the same ids in another order',
    cursor: cursorOf(feed(), 40, new Set([2, 1])),
    selection: new Set([1, 2]),
    version: 40,
  },
  { name: 'other ids', cursor: cursorOf(feed(), 40, new Set([1, 2])), selection: new Set([1, 3]), version: undefined },
  { name: 'garbage', cursor: 'epoch.-1.all', version: undefined },
  { name: 'more garbage', cursor: 'epoch', version: undefined },
  { name: 'a number too large', cursor: `epoch.${'z'.repeat(30)}.all`, version: undefined },
])('$name', ({ cursor, feed: present = feed(), selection = 'all', version }) => {
  expect(resumeVersion(present, cursor, selection)).toBe(version)
})
