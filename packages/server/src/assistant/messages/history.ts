import type { ChatTurn } from '@printwarden/protocol'

/** From so many questions on only the newest turns are kept as they are (wire facts, section 1.16). */
const LONG_FROM_QUESTIONS = 4
const KEPT_TURNS = 5

/** More of an old conversation than this, in characters, is not even summarised. */
const MAX_OLD_LENGTH = 60_000

/** A conversation, split into what is told in brief and what is sent as it is. */
export interface SplitHistory {
  readonly old: readonly ChatTurn[]
  readonly recent: readonly ChatTurn[]
}

export function splitHistory(turns: readonly ChatTurn[]): SplitHistory {
  const questions = turns.filter(({ role }) => role === 'user').length
  if (questions < LONG_FROM_QUESTIONS) return { old: [], recent: turns }
  return { old: turns.slice(0, -KEPT_TURNS), recent: turns.slice(-KEPT_TURNS) }
}

/** Old turns as one text, the newest of them where they are too long. */
export function oldTurnsText(turns: readonly ChatTurn[]): string {
  return turns
    .map(({ role, content }) => `${role}: ${content}`)
    .join('\n\n')
    .slice(-MAX_OLD_LENGTH)
}
