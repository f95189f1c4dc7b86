import { z } from 'zod'

/** The seven texts of `status.state.text` (specification, section 3). */
export const STATE_TEXTS = [
  'Operational',
  'G-Code Downloading',
  'Printing',
  'Pausing',
  'Paused',
  'Cancelling',
  'Offline',
] as const

/** One of the seven texts of `status.state.text`. */
export const StateText = z.enum(STATE_TEXTS)
export type StateText = z.infer<typeof StateText>

/**
 * What the printer is doing, as booleans. The first seven are required; the last four may be absent, which means false
 * (decision 1).
 */
export const StateFlags = z.looseObject({
  operational: z.boolean(),
  printing: z.boolean(),
  cancelling: z.boolean(),
  pausing: z.boolean(),
  resuming: z.boolean(),
  finishing: z.boolean(),
  paused: z.boolean(),
  closedOrError: z.boolean().optional(),
  error: z.boolean().optional(),
  ready: z.boolean().optional(),
  sdReady: z.boolean().optional(),
})
export type StateFlags = z.infer<typeof StateFlags>

const NO_FLAG: StateFlags = {
  operational: false,
  printing: false,
  cancelling: false,
  pausing: false,
  resuming: false,
  finishing: false,
  paused: false,
  closedOrError: false,
  error: false,
  ready: false,
  sdReady: false,
}

const FLAGS_OF_TEXT: Record<StateText, Partial<StateFlags>> = {
  Operational: { operational: true, ready: true },
  'G-Code Downloading': { operational: true },
  Printing: { operational: true, printing: true },
  Pausing: { operational: true, pausing: true },
  Paused: { operational: true, paused: true },
  Cancelling: { operational: true, cancelling: true },
  Offline: { closedOrError: true },
}

/**
 * The flags that belong to a state text. For hosts that report no flags of their own.
 *
 * Printing, Paused and Operational follow the transition table of section 3, with `ready` true when nothing runs.
 */
export function flagsOf(text: StateText): StateFlags {
  return { ...NO_FLAG, ...FLAGS_OF_TEXT[text] }
}

/** The state of a printer: the text for people, the flags for programs. */
export const PrinterState = z.looseObject({
  text: StateText,
  flags: StateFlags,
  error: z.string().optional(),
})
export type PrinterState = z.infer<typeof PrinterState>
