import type { Viewer } from '../prints/view.js'
import { type Feed, owedOf, type Subscription } from './feed.js'

/** What a subscriber is owed of one printer, as the text that goes over the wire. */
export type OwedText =
  | { readonly type: 'changes'; readonly id: number; readonly text: string }
  | { readonly type: 'removed'; readonly id: number }

/** Texts of the last round. Those who look at the same printers are told the same then, so each is made once and not for every viewer. */
export interface EncodedRound {
  version: number
  roundAt: number
  readonly texts: Map<string, string>
}

export const emptyRound = (): EncodedRound => ({ version: 0, roundAt: 0, texts: new Map() })

/** As `owedOf`, with the changes encoded: taken from what another subscriber was told in this round, where that is the same. */
export function owedTextOf(
  feed: Feed,
  round: EncodedRound,
  subscription: Subscription,
  id: number,
  viewer: Viewer,
  now: number,
): OwedText | undefined {
  if (round.version !== feed.version || round.roundAt !== feed.roundAt) {
    round.version = feed.version
    round.roundAt = feed.roundAt
    round.texts.clear()
  }
  const key = keyOf(subscription, id, viewer)
  const made = round.texts.get(key)
  if (made !== undefined) return { type: 'changes', id, text: made }
  const owed = owedOf(feed, subscription, id, viewer, now)
  if (owed?.type !== 'changes') return owed
  const text = JSON.stringify(owed.changes)
  round.texts.set(key, text)
  return { type: 'changes', id, text }
}

/** Everything that what is told depends on besides the feed: from where on, of which printer, and who sees it. */
function keyOf({ version, known, selection }: Subscription, id: number, { origin, canWrite }: Viewer): string {
  const from = known.has(id) ? String(version) : 'whole'
  // Of an archived printer a subscriber to all is told that it is gone, one who named it what changed.
  return `${id} ${from} ${selection === 'all' ? 'all' : 'named'} ${canWrite} ${origin}`
}

/** The frame of a round about one printer: `LivePrinter` or `LiveRemoved`. */
export function frameText(owed: OwedText, cursor: string): string {
  const { id } = owed
  if (owed.type === 'removed') return JSON.stringify({ removed: { cursor, id } })
  return `{"printer":{"cursor":${JSON.stringify(cursor)},"id":${id},"changes":${owed.text}}}`
}
