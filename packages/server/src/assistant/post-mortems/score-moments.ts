import { WARNING_AT } from '../../detection/alerts/evidence.js'
import { durationWords } from './plain-words.js'
import type { DraftMoment, PastScore } from './print-past.js'

/** A time in which a camera's pictures looked bad. */
export interface Rise {
  readonly startedAt: number
  readonly peakAt: number
  readonly peak: number
  /** When it looked good again; null when it did not before the end. */
  readonly endedAt: number | null
}

/** It is over only well below the limit, so that a score that trembles there is one rise. */
const CALM_AT = WARNING_AT / 2
const MAX_RISES = 4
/** A peak that comes later than this has a moment of its own. */
const PEAK_APART_MS = 60_000

/** The worst rises of the gauge over the limit of a warning, the highest first. */
export function risesOf(scores: readonly PastScore[]): Rise[] {
  const cameras = new Map<number | null, PastScore[]>()
  for (const score of scores) {
    const others = cameras.get(score.camera_id)
    if (others === undefined) cameras.set(score.camera_id, [score])
    else others.push(score)
  }
  const rises = [...cameras.values()].flatMap(risesOfCamera)
  return rises.toSorted((a, b) => b.peak - a.peak || a.startedAt - b.startedAt).slice(0, MAX_RISES)
}

function risesOfCamera(scores: readonly PastScore[]): Rise[] {
  const rises: Rise[] = []
  let current: Rise | undefined
  for (const { frame_at, normalized_p: p } of scores) {
    if (current === undefined) {
      if (p >= WARNING_AT) current = { startedAt: frame_at, peakAt: frame_at, peak: p, endedAt: null }
    } else if (p < CALM_AT) {
      rises.push({ ...current, endedAt: frame_at })
      current = undefined
    } else if (p > current.peak) {
      current = { ...current, peakAt: frame_at, peak: p }
    }
  }
  return current === undefined ? rises : [...rises, current]
}

/** What the gauge says of the print: its rises, or that there was none. */
export function scoreMoments(scores: readonly PastScore[]): DraftMoment[] {
  const rises = risesOf(scores)
  if (rises.length > 0) return rises.flatMap(riseMoments)
  const highest = scores.reduce<PastScore | undefined>(
    (best, score) => (best === undefined || score.normalized_p > best.normalized_p ? score : best),
    undefined,
  )
  if (highest === undefined) return []
  const text = `The failure score was at its highest: ${percent(highest.normalized_p)}, which is no warning. ${scores.length} pictures were looked at.`
  return [{ kind: 'score', at: highest.frame_at, text }]
}

function riseMoments({ startedAt, peakAt, peak, endedAt }: Rise): DraftMoment[] {
  const isApart = peakAt - startedAt >= PEAK_APART_MS
  const until =
    endedAt === null
      ? 'It stayed high to the end.'
      : `It was low again ${durationWords(endedAt - startedAt)} after it rose.`
  const highest = `The failure score was at its highest: ${percent(peak)}.`
  const rose = `The failure score rose above ${percent(WARNING_AT)}, where a warning is given.`
  if (!isApart) return [{ kind: 'score', at: startedAt, text: `${rose} Its highest was ${percent(peak)}. ${until}` }]
  return [
    { kind: 'score', at: startedAt, text: `${rose} ${until}` },
    { kind: 'score', at: peakAt, text: highest },
  ]
}

const percent = (share: number): string => `${Math.round(share * 100)} %`
