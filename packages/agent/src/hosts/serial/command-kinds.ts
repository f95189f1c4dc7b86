// What a command says about how long its answer may take.

/** Asks for nothing but an answer. That this answer has temperatures in it tells which line it belongs to. */
export const NUDGE = 'M105'

const LONG_COMMAND =
  /^(G4|G28|G29|G30|G33|G34|G76|M0|M1|M109|M116|M190|M191|M226|M303|M306|M400|M48|M600|M601|M701|M702)\b/i
const USER_WAIT = /^(M0|M1|M226|M600|M601)\b/i

/** Whether a line may take minutes. */
export function isLongCommand(text: string | undefined): boolean {
  return text !== undefined && LONG_COMMAND.test(text)
}

/** Whether a line waits for somebody at the printer, for as long as that takes. */
export function isUserWait(text: string | undefined): boolean {
  return text !== undefined && USER_WAIT.test(text)
}

/** Whether a line is answered with temperatures. */
export function isNudge(text: string): boolean {
  return /^M105\b/i.test(text)
}
