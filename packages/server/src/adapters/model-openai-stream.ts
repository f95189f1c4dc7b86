import { type streamText, ToolChoiceViolationError, type ToolSet } from 'ai'
import { ModelError } from '../assistant/model.js'

/** What a model says before it waits for answers to its calls, or has ended. */
export interface Round {
  readonly text: string
  readonly calls: readonly RoundCall[]
}

/** A call as the model made it. */
export interface RoundCall {
  readonly name: string
  readonly input: unknown
  /** Whether there is such a tool, and the input is in its form. */
  readonly isValid: boolean
}

type Parts = ReturnType<typeof streamText<ToolSet>>['fullStream']

/** How much one answer may be in all its rounds, in characters, with what a model thinks and the input of its calls. */
export const MAX_ANSWER_CHARACTERS = 1024 * 1024

/** Counts what one answer is made of. It throws a ModelError, `malformed`, once that is too much. */
export function answerCounter(): (piece: string) => void {
  let characters = 0
  return (piece) => {
    characters += piece.length
    if (characters > MAX_ANSWER_CHARACTERS) throw new ModelError('malformed', "The model's answer is too long.")
  }
}

/** What a round is read with. */
export interface RoundReading {
  readonly onText: (text: string) => void
  /** Told of all that comes; what it throws ends the round. */
  readonly count: (piece: string) => void
  readonly signal: AbortSignal
}

/** Reads what a model says to its end. @throws {ModelError}; the stream's own errors; whatever aborted `signal` */
export async function collectRound(parts: Parts, { onText, count, signal }: RoundReading): Promise<Round> {
  const calls: RoundCall[] = []
  let text = ''
  let isFinished = false
  // It called although calls were forbidden: they are left out, and what else it said counts.
  let isDisobedient = false
  for await (const part of parts) {
    if (part.type === 'text-delta') {
      count(part.text)
      text += part.text
      if (part.text !== '') onText(part.text)
    } else if (part.type === 'reasoning-delta') {
      count(part.text)
    } else if (part.type === 'tool-input-delta') {
      count(part.delta)
    } else if (part.type === 'tool-call') {
      calls.push({ name: part.toolName, input: part.input, isValid: part.invalid !== true })
    } else if (part.type === 'error') {
      if (!ToolChoiceViolationError.isInstance(part.error)) throw part.error
      isDisobedient = true
    } else if (part.type === 'abort') {
      signal.throwIfAborted()
      throw new ModelError('timeout', 'The model took too long.')
    } else if (part.type === 'finish') {
      // A stream that was cut off ends without a reason of the server's.
      isFinished = part.rawFinishReason !== undefined && (isDisobedient || part.finishReason !== 'error')
    }
  }
  if (!isFinished) throw new ModelError('malformed', "The model's answer was cut off.")
  return { text, calls }
}
