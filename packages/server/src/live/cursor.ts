import { memoizeByObject } from '../memoize.js'
import type { Feed, Selection } from './feed.js'

// A cursor is opaque to clients. It names the feed, the version up to which everything was told, and what was subscribed to:
// a client that comes back and asks for more than before has not seen what it now asks for.

/** The cursor of a subscriber that was told everything up to `version`. */
export function cursorOf(feed: Pick<Feed, 'epoch'>, version: number, selection: Selection): string {
  return `${feed.epoch}.${version.toString(36)}.${selectionMark(selection)}`
}

/**
 * The version from which a subscriber with this cursor can go on; undefined when it must be given the full state, because the
 * cursor is of another feed or selection, or because a printer has left since and nobody remembers which.
 */
export function resumeVersion(feed: Feed, cursor: string | undefined, selection: Selection): number | undefined {
  const [epoch, versionText = '', mark] = cursor?.split('.') ?? []
  const version = /^[0-9a-z]{1,10}$/.test(versionText) ? Number.parseInt(versionText, 36) : Number.NaN
  if (epoch !== feed.epoch || mark !== selectionMark(selection)) return undefined
  return version >= feed.removedAt && version <= feed.version ? version : undefined
}

function selectionMark(selection: Selection): string {
  return selection === 'all' ? 'all' : markOf(selection)
}

// A subscriber's selection stays the same object from one round to the next.
const markOf = memoizeByObject((selection: ReadonlySet<number>) => {
  const ids = [...selection].sort((a, b) => a - b)
  return `${ids.length.toString(36)}-${hashOf(ids.join()).toString(36)}`
})

/** FNV-1a, twice with different seeds, 53 bits together: to tell one client's own selections apart. */
function hashOf(text: string): number {
  return fnv(text, 0x811c9dc5) * 0x200000 + (fnv(text, 0x01000193) >>> 11)
}

function fnv(text: string, seed: number): number {
  let hash = seed
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  }
  return hash
}
