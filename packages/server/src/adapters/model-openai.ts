import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, type ModelMessage, RetryError, streamText, tool, type ToolSet } from 'ai'
import {
  type AssistantModel,
  type ModelAnswer,
  type ModelCall,
  ModelError,
  type ModelQuestion,
  type ModelTarget,
  type ModelTool,
  type ModelTurn,
} from '../assistant/model.js'
import { OutboundError } from '../ports.js'

export interface OpenAiModelOptions {
  readonly text: ModelTarget
  readonly vision: ModelTarget | undefined
  readonly timeoutMs: number
  readonly fetch: typeof fetch
  /** How often a server that is busy is asked again. */
  readonly retries?: number
}

const RETRIES = 2
const PROBE_TIMEOUT_MS = 5000

/** Models behind an endpoint that speaks OpenAI's protocol, as Ollama, vLLM, llama.cpp and most services do. */
export function openOpenAiModel({
  text,
  vision,
  timeoutMs,
  fetch,
  retries = RETRIES,
}: OpenAiModelOptions): AssistantModel {
  const modelOf = ({ url, key, model }: ModelTarget) => {
    const auth = key === undefined ? {} : { apiKey: key }
    return createOpenAICompatible({ name: 'assistant', baseURL: url, ...auth, fetch })(model)
  }
  const models = { text: modelOf(text), vision: vision === undefined ? undefined : modelOf(vision) }

  return {
    textModel: text.model,
    visionModel: vision?.model,
    timeoutMs,
    async ask(question) {
      const model = models[question.sense]
      if (model === undefined) throw new Error(`there is no model for ${question.sense}`)
      const late = AbortSignal.timeout(timeoutMs)
      const abortSignal = AbortSignal.any([question.signal, late])
      try {
        const { fullStream } = streamText({
          model,
          system: question.system,
          messages: question.turns.map(messageOf),
          ...(question.tools === undefined ? {} : { tools: toolsOf(question.tools) }),
          maxRetries: retries,
          abortSignal,
          // What went wrong comes as a part of the stream; the library would print it.
          onError: () => undefined,
        })
        return await collect(fullStream, question)
      } catch (error) {
        question.signal.throwIfAborted()
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

type Parts = ReturnType<typeof streamText<ToolSet>>['fullStream']

/** Reads an answer to its end. */
async function collect(parts: Parts, { onText, signal }: ModelQuestion): Promise<ModelAnswer> {
  const calls: ModelCall[] = []
  let text = ''
  let isFinished = false
  for await (const part of parts) {
    if (part.type === 'text-delta') {
      text += part.text
      if (part.text !== '') onText?.(part.text)
    } else if (part.type === 'tool-call') {
      // Of a tool that we have, and in its form.
      if (part.invalid !== true) calls.push({ name: part.toolName, input: part.input })
    } else if (part.type === 'error') {
      throw part.error
    } else if (part.type === 'abort') {
      signal.throwIfAborted()
      throw new ModelError('timeout', 'The model took too long.')
    } else if (part.type === 'finish') {
      // A stream that was cut off ends without a reason of the server's.
      isFinished = part.rawFinishReason !== undefined && part.finishReason !== 'error'
    }
  }
  if (!isFinished) throw new ModelError('malformed', "The model's answer was cut off.")
  if (text.trim() === '' && calls.length === 0) throw new ModelError('malformed', 'The model said nothing.')
  return { text, calls }
}

function messageOf({ role, text, pictures = [] }: ModelTurn): ModelMessage {
  if (role === 'assistant' || pictures.length === 0) return { role, content: text }
  const images = pictures.map(({ bytes, type }) => ({ type: 'image' as const, image: bytes, mediaType: type }))
  return { role, content: [{ type: 'text', text }, ...images] }
}

/** Without `execute`: nothing is run here. */
const toolsOf = (tools: readonly ModelTool[]): ToolSet =>
  Object.fromEntries(tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: input })]))

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  const cause = RetryError.isInstance(error) ? error.lastError : error
  if (!APICallError.isInstance(cause)) {
    if (outboundErrorIn(cause) !== undefined) return unreachable(cause)
    return new ModelError('malformed', "The model's answer could not be read.", { cause })
  }
  const { statusCode } = cause
  if (statusCode === undefined || statusCode === 429 || statusCode >= 500) return unreachable(cause)
  if (statusCode >= 400) return new ModelError('refused', 'The model refused the question.', { cause })
  return new ModelError('malformed', "The model's answer could not be read.", { cause })
}

const unreachable = (cause: unknown): ModelError =>
  new ModelError('unreachable', 'The model cannot be asked just now.', { cause })

/** The guard's own error, which libraries wrap. */
function outboundErrorIn(error: unknown): OutboundError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof OutboundError) return at
  return undefined
}

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
