import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type LanguageModelMiddleware, type ModelMessage, streamText, tool, type ToolSet, wrapLanguageModel } from 'ai'
import {
  type AssistantModel,
  type ModelAnswer,
  ModelError,
  type ModelQuestion,
  type ModelTarget,
  type ModelTool,
  type ModelTurn,
} from '../assistant/model.js'
import { asModelError, outboundErrorIn, refusesToolsIn } from './model-openai-errors.js'
import { answerInRounds, type AskRound, CallFailure } from './model-openai-rounds.js'
import { answerCounter, collectRound } from './model-openai-stream.js'
import { finalIfRefused, soundsLikeRefusal } from './model-openai-tool-refusal.js'

export interface OpenAiModelOptions {
  readonly text: ModelTarget
  readonly vision: ModelTarget | undefined
  readonly timeoutMs: number
  readonly fetch: typeof fetch
  /** How often a server that is busy is asked again. */
  readonly retries?: number
  /** For how long a model that refused tools is asked without them. */
  readonly withoutToolsMs?: number
}

const RETRIES = 2
const PROBE_TIMEOUT_MS = 5000
/** Then it is tried again: another model may answer under the same name by now. */
const WITHOUT_TOOLS_MS = 10 * 60_000

/** A model that takes no tools does not take them the next time either, though its server may call that a failure. */
const NO_RETRY_OF_REFUSALS: LanguageModelMiddleware = {
  specificationVersion: 'v3',
  async wrapStream({ doStream }) {
    try {
      return await doStream()
    } catch (error) {
      throw finalIfRefused(error)
    }
  },
}

/** Models behind an endpoint that speaks OpenAI's protocol, as Ollama, vLLM, llama.cpp and most services do. */
export function openOpenAiModel({
  text,
  vision,
  timeoutMs,
  fetch,
  retries = RETRIES,
  withoutToolsMs = WITHOUT_TOOLS_MS,
}: OpenAiModelOptions): AssistantModel {
  const modelOf = ({ url, key, model }: ModelTarget) => {
    const auth = key === undefined ? {} : { apiKey: key }
    const asked = createOpenAICompatible({ name: 'assistant', baseURL: url, ...auth, fetch })(model)
    return wrapLanguageModel({ model: asked, middleware: NO_RETRY_OF_REFUSALS })
  }
  const models = { text: modelOf(text), vision: vision === undefined ? undefined : modelOf(vision) }

  /** Until when each of the two is asked without tools, in milliseconds of this process. */
  const withoutToolsUntil = new Map<ModelQuestion['sense'], number>()

  /** Asks once. A model that refuses tools is asked without them, where the question says how. */
  async function ask(question: ModelQuestion, abortSignal: AbortSignal): Promise<ModelAnswer> {
    const { sense, systemWithoutTools: plain } = question
    const model = models[sense]
    if (model === undefined) throw new Error(`there is no model for ${sense}`)
    const count = answerCounter()
    // Once a word was told or a round was answered, there is no other answer to this question.
    let isBegun = false
    const askRound: AskRound = async (messages, system, choice, onText) => {
      const left = new AbortController()
      const { fullStream } = streamText({
        ...{ model, system, messages, maxRetries: retries, abortSignal: AbortSignal.any([abortSignal, left.signal]) },
        ...(choice === 'no tools' ? {} : { tools: toolsOf(question.tools ?? []), toolChoice: choice }),
        // What went wrong comes as a part of the stream; the library would print it.
        onError: () => undefined,
      })
      const tell = (piece: string): void => {
        isBegun = true
        onText(piece)
      }
      try {
        const round = await collectRound(fullStream, { onText: tell, count, signal: question.signal })
        isBegun = true
        return round
      } catch (error) {
        // What is read no further is ended at the model, too.
        left.abort(error)
        throw error
      }
    }
    const messages = question.turns.map(messageOf)
    const hasTools = question.tools !== undefined
    if (!hasTools || plain === undefined) return answerInRounds(askRound, messages, question, hasTools)
    const askPlainly = () => answerInRounds(askRound, messages, { ...question, system: plain }, false)
    if (performance.now() < (withoutToolsUntil.get(sense) ?? 0)) return askPlainly()
    try {
      return await answerInRounds(askRound, messages, question, true)
    } catch (error) {
      if (isBegun || !refusesToolsIn(error)) throw error
      const answer = await askPlainly()
      // Its server may have quoted a question that says so itself: nobody else loses the tools by that.
      const isQuotable = question.turns.some((turn) => soundsLikeRefusal(turn.text))
      if (!isQuotable) withoutToolsUntil.set(sense, performance.now() + withoutToolsMs)
      return answer
    }
  }

  return {
    textModel: text.model,
    visionModel: vision?.model,
    timeoutMs,
    async ask(question) {
      const late = AbortSignal.timeout(timeoutMs)
      try {
        return await ask(question, AbortSignal.any([question.signal, late]))
      } catch (error) {
        question.signal.throwIfAborted()
        if (error instanceof CallFailure) throw error.cause
        if (late.aborted) throw new ModelError('timeout', 'The model took too long.', { cause: error })
        throw asModelError(error)
      }
    },
    async problem() {
      for (const target of [text, ...(vision === undefined ? [] : [vision])]) {
        const problem = await problemOf(target, fetch)
        if (problem !== undefined) return problem
      }
      return undefined
    },
  }
}

function messageOf({ role, text, pictures = [] }: ModelTurn): ModelMessage {
  if (role === 'assistant' || pictures.length === 0) return { role, content: text }
  const images = pictures.map(({ bytes, type }) => ({ type: 'image' as const, image: bytes, mediaType: type }))
  return { role, content: [{ type: 'text', text }, ...images] }
}

/** Without `execute`: the library runs nothing. */
const toolsOf = (tools: readonly ModelTool[]): ToolSet =>
  Object.fromEntries(tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: input })]))

/** Every server of this protocol lists its models. For administrators, so it says more than callers are told. */
async function problemOf({ url, key, model }: ModelTarget, ask: typeof fetch): Promise<string | undefined> {
  try {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const answer = await ask(`${url}/models`, { headers, signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    await answer.body?.cancel()
    if (answer.status === 401 || answer.status === 403) return `the key for ${model} was refused`
    return answer.status >= 500 ? `the server of ${model} answered ${answer.status}` : undefined
  } catch (error) {
    const known = outboundErrorIn(error)
    if (known?.code !== 'refused') return `the server of ${model} cannot be reached`
    return `the server of ${model} has a private address: list it in PRINTWARDEN_OUTBOUND_ALLOW`
  }
}
