import type { ActedBy, AnswerPromptArgs, ExcludeObjectArgs, PrintFileArgs } from '@printwarden/protocol'
import { byWords } from '../prints/last-action.js'
import type { Actor } from './actor-flow.js'

/** A command that no event of a print tells of, with what it is about. */
export type Steering =
  | { readonly cmd: 'emergency_stop' }
  | { readonly cmd: 'restart_firmware' }
  | ({ readonly cmd: 'exclude_object' } & Pick<ExcludeObjectArgs, 'name'>)
  | ({ readonly cmd: 'answer_prompt' } & Pick<AnswerPromptArgs, 'prompt_id' | 'choice'>)
  | ({ readonly cmd: 'print_file' } & Pick<PrintFileArgs, 'path' | 'origin'>)

/** How the history tells of a command that was handed over, and who gave it. */
export function steeringLine(steering: Steering, { initiator, initiator_name }: Actor) {
  const by: ActedBy = initiator === 'web' ? 'user' : initiator === 'system' ? 'system' : 'app'
  const who = byWords({ by, name: initiator_name, reason: null })
  return {
    event_type: 'COMMAND_GIVEN',
    event_class: steering.cmd === 'emergency_stop' ? 'WARNING' : 'INFO',
    ...wordsOf(steering, who),
    initiator: by,
    initiator_name,
  }
}

function wordsOf(steering: Steering, who: string): { event_title: string; event_text: string } {
  switch (steering.cmd) {
    case 'emergency_stop':
      return { event_title: 'Emergency stop ordered', event_text: `An emergency stop was ordered ${who}.` }
    case 'restart_firmware':
      return { event_title: 'Firmware restart', event_text: `A restart of the firmware was ordered ${who}.` }
    case 'exclude_object':
      return { event_title: 'Object left out', event_text: `${steering.name} was taken out of the print ${who}.` }
    case 'answer_prompt':
      return { event_title: 'Question answered', event_text: `The question of the printer was answered ${who}.` }
    case 'print_file':
      return { event_title: 'Print ordered', event_text: `${steering.path} was sent to print ${who}.` }
  }
}
