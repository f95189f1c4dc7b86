// Which pictures of a print its user is asked about (wire facts, section 5.8). Pure.

/** A frame that scored less is not worth a question. */
export const LEAST_SHOT_P = 0.076
export const MAX_SHOTS_OF_PRINT = 7
/** Shots are at least this far apart: pictures of the same minute show the same. */
export const SHOT_GAP_MS = 120_000

export interface ShotCandidate {
  readonly frame_at: number
  readonly current_p: number
}

/** The frames to ask about: the highest first, none close to one that was taken before it. */
export function pickShots<Candidate extends ShotCandidate>(candidates: readonly Candidate[]): Candidate[] {
  const worst = candidates
    .filter(({ current_p }) => current_p > LEAST_SHOT_P)
    .sort((a, b) => b.current_p - a.current_p || a.frame_at - b.frame_at)
  const picked: Candidate[] = []
  for (const candidate of worst) {
    if (picked.length === MAX_SHOTS_OF_PRINT) break
    const isApart = picked.every(({ frame_at }) => Math.abs(frame_at - candidate.frame_at) >= SHOT_GAP_MS)
    if (isApart) picked.push(candidate)
  }
  return picked
}
