import { type PrinterState, STATE_TEXTS, type StateText } from '@printwarden/protocol'
import type { DeviationKind } from './deviations.js'
import { type Fields, isFields } from './plain.js'

const REQUIRED = ['operational', 'printing', 'cancelling', 'pausing', 'resuming', 'finishing', 'paused'] as const
const OPTIONAL = ['closedOrError', 'error', 'ready', 'sdReady'] as const

/** Each is true, false, or left out. */
type Flags = { [Name in (typeof REQUIRED)[number] | (typeof OPTIONAL)[number]]?: unknown }

/** What these texts say is in no flag of every agent. */
const FLAG_OF_TEXT: Readonly<Record<string, (typeof REQUIRED)[number]>> = {
  Pausing: 'pausing',
  Resuming: 'resuming',
  Cancelling: 'cancelling',
  Finishing: 'finishing',
}

/** The state of a printer of which nothing is known. */
export const unknownState = (): PrinterState => ({
  text: 'Offline',
  flags: {
    ...{ operational: false, printing: false, cancelling: false, pausing: false, resuming: false },
    ...{ finishing: false, paused: false, closedOrError: true },
  },
})

/**
 * An agent's state as the contract has it, in place: every flag is there, and the text is one of the seven. What the agent itself said
 * stands in `host_text` where it is another one.
 */
export function readState(value: unknown, note: (kind: DeviationKind) => void): object {
  if (!isFields(value) || (typeof value['text'] !== 'string' && !isFields(value['flags']))) {
    note('state_left_out')
    return unknownState()
  }
  const { text, error } = value
  const flags = readFlags(value['flags'], typeof text === 'string' ? text : '', note)
  value['flags'] = flags
  if (typeof error !== 'string') value['error'] = undefined
  if (isStateText(text)) return value
  note('state_text_other')
  if (typeof text === 'string') value['host_text'] = text
  value['text'] = textOfFlags(flags)
  return value
}

function readFlags(value: unknown, text: string, note: (kind: DeviationKind) => void): Flags {
  const flags: Fields = isFields(value) ? value : {}
  for (const name of OPTIONAL) {
    if (flags[name] !== undefined && typeof flags[name] !== 'boolean') flags[name] = undefined
  }
  const meant = Object.hasOwn(FLAG_OF_TEXT, text) ? FLAG_OF_TEXT[text] : undefined
  if (meant !== undefined && flags[meant] === false) {
    note('flag_below_text')
    flags[meant] = true
  }
  for (const name of REQUIRED) {
    if (typeof flags[name] === 'boolean') continue
    note(flags[name] === undefined ? `flags.${name}_left_out` : 'wrong_type')
    flags[name] = name === meant
  }
  return flags
}

const isStateText = (text: unknown): text is StateText => STATE_TEXTS.includes(text as StateText)

/** As our own agents put it. */
function textOfFlags(flags: Flags): StateText {
  if (!flags.operational || flags.closedOrError === true) return 'Offline'
  if (flags.cancelling) return 'Cancelling'
  if (flags.pausing) return 'Pausing'
  if (flags.resuming || flags.finishing) return 'Printing'
  if (flags.paused) return 'Paused'
  return flags.printing ? 'Printing' : 'Operational'
}
