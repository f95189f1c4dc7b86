import type { ActedBy, PassthruCall } from '@printwarden/protocol'
import { byWords } from '../prints/last-action.js'
import type { Actor } from './actor-flow.js'

/** An app that asks the same again and again is one line of the history in this time. */
const FOLDED_MS = 10 * 60_000

/** How the history tells of a call, and who made it. */
export function passthruLine(
  { target, func }: Pick<PassthruCall, 'target' | 'func'>,
  { initiator, initiator_name }: Actor,
) {
  const by: ActedBy = initiator === 'web' ? 'user' : 'app'
  return {
    event_type: 'COMMAND_GIVEN',
    event_class: 'INFO',
    event_title: 'Function of the agent called',
    event_text: `${target} ${func} was called ${byWords({ by, name: initiator_name, reason: null })}.`,
    initiator: by,
    initiator_name,
  }
}

/** Whether a call is news, given when the same was told last. */
export const isNews = (toldAt: number | undefined, now: number): boolean =>
  toldAt === undefined || Math.abs(now - toldAt) >= FOLDED_MS
