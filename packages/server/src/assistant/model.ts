import type { z } from 'zod'

/** One endpoint with the model that is asked there. */
export interface ModelTarget {
  /** As `http://192.168.1.5:11434/v1`. */
  readonly url: string
  readonly key: string | undefined
  readonly model: string
}

/** A picture for a model that sees. */
export interface ModelPicture {
  readonly bytes: Uint8Array
  readonly type: 'image/jpeg'
}

/** One turn of what a model is asked. */
export interface ModelTurn {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly pictures?: readonly ModelPicture[]
}

/** How often a model may go on after its calls were answered, and how many calls of one answer are answered. */
export const MAX_TOOL_ROUNDS = 6
export const MAX_TOOL_CALLS = 12

/** Something that a model may ask for. It only asks: what becomes of it is the caller's to decide. */
export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType
}

/** What a model asked for, in the form of its tool's schema. */
export interface ModelCall {
  readonly name: string
  readonly input: unknown
}

export interface ModelQuestion {
  /** Which of the two models; they may be the same. */
  readonly sense: 'text' | 'vision'
  readonly system: string
  readonly turns: readonly ModelTurn[]
  readonly tools?: readonly ModelTool[]
  /**
   * Answers a call; then the model goes on, within {@link MAX_TOOL_ROUNDS} and {@link MAX_TOOL_CALLS}. Without it calls are wishes and end
   * the answer. What it rejects with ends the question, and is rejected with.
   */
  readonly onCall?: (call: ModelCall) => Promise<string>
  /** What a model is told that takes no tools, in place of `system`. Without it such a model refuses the question. */
  readonly systemWithoutTools?: string
  readonly signal: AbortSignal
  /** Told of each piece of text as it comes. */
  readonly onText?: (text: string) => void
}

export interface ModelAnswer {
  /** All that was said, in every round. */
  readonly text: string
  /** What was asked for and not answered. */
  readonly calls: readonly ModelCall[]
}

/** `unreachable`: no answer, or one that says to come later. `refused`: it will not answer this. `malformed`: an answer that is none. */
export type ModelErrorCode = 'unreachable' | 'refused' | 'timeout' | 'malformed'

/** No answer of use. The message is fit for whoever asked: it holds nothing of the model's server. */
export class ModelError extends Error {
  override readonly name = 'ModelError'

  constructor(
    readonly code: ModelErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** The port towards language models. */
export interface AssistantModel {
  readonly textModel: string
  /** Undefined when no model that sees is configured. */
  readonly visionModel: string | undefined
  /** The longest that one question takes with all its rounds, in milliseconds. */
  readonly timeoutMs: number
  /**
   * Asks once; a server that is busy is tried again while nothing was said yet.
   * @throws {ModelError}; whatever aborted `signal`
   */
  ask(question: ModelQuestion): Promise<ModelAnswer>
  /** What is wrong with the model's server; undefined when it answers. */
  problem(): Promise<string | undefined>
}
