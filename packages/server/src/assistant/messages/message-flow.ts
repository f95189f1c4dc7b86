import type { AssistantMessage, ChatQuestion } from '@printwarden/protocol'
import type { AssistantModel, ModelTurn } from '../model.js'
import { type PaidCallFlow, type PaidWork, requireModel } from '../paid-call-flow.js'
import type { Prompts } from '../prompts-flow.js'
import { type Words, wordsOf } from '../words.js'
import { oldTurnsText, splitHistory } from './history.js'
import { isOfSlicer, slicerData, unmetNeed } from './slicer.js'
import { SLICER_TOOLS, wishesOf } from './suggestion.js'

export interface MessageFlowDeps {
  readonly model: AssistantModel | undefined
  readonly prompts: Prompts
  readonly calls: PaidCallFlow
}

export interface MessageCall {
  readonly userId: number
  readonly question: ChatQuestion
  readonly lang: string | undefined
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal
  /** Told once nothing but the model stands between the caller and the answer. */
  readonly onTaken?: () => void
  /** Told of each piece of text as it comes. */
  readonly onText?: (text: string) => void
}

export type MessageFlow = ReturnType<typeof messageFlow>

/** Questions of users. The server keeps none of them. */
export function messageFlow({ model, prompts, calls }: MessageFlowDeps) {
  /** The conversation as the model is shown it: the beginning of a long one in brief. */
  async function turnsOf(asked: AssistantModel, question: ChatQuestion, { signal }: PaidWork): Promise<ModelTurn[]> {
    const { old, recent } = splitHistory(question.messages)
    const turns = recent.map(({ role, content }) => ({ role, text: content }))
    if (old.length === 0) return turns
    const brief = await asked.ask({
      sense: 'text',
      system: prompts.summary.text(),
      turns: [{ role: 'user', text: oldTurnsText(old) }],
      signal,
    })
    return [{ role: 'user', text: `Summary of the conversation so far:\n${brief.text}` }, ...turns]
  }

  async function ask(
    asked: AssistantModel,
    { question, onText }: MessageCall,
    work: PaidWork,
    words: Words,
  ): Promise<AssistantMessage> {
    const isSlicer = isOfSlicer(question)
    const need = isSlicer ? unmetNeed(question, words) : undefined
    if (need !== undefined) return { role: 'assistant', content: need }
    const { language } = words
    const system = isSlicer
      ? prompts.slicer.text({ language, data: slicerData(question) })
      : prompts.general.text({ language })
    const answer = await asked.ask({
      ...{ sense: 'text', system, turns: await turnsOf(asked, question, work), signal: work.signal },
      ...(isSlicer ? { tools: SLICER_TOOLS } : {}),
      onText(text) {
        if (onText === undefined) return
        work.delivered()
        onText(text)
      },
    })
    return { role: 'assistant', content: answer.text, ...(isSlicer ? wishesOf(answer, question) : {}) }
  }

  return {
    /** @throws {ApiError} assistant_not_configured, rate_limited, credits_exhausted, unavailable */
    async answer(call: MessageCall): Promise<AssistantMessage> {
      const asked = requireModel(model, 'text')
      const words = wordsOf(call.lang)
      const about = (isOfSlicer(call.question) ? prompts.slicer : prompts.general).name
      const { userId, signal, onTaken } = call
      const paid = { userId, about, words, signal, ...(onTaken === undefined ? {} : { onTaken }) }
      return calls.run(paid, (work) => ask(asked, call, work, words))
    },
  }
}
