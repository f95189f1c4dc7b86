import type { AssistantLook, AssistantMessage, ChatQuestion } from '@printwarden/protocol'
import type { AssistantModel, ModelAnswer, ModelQuestion, ModelTurn } from '../model.js'
import { type PaidCallFlow, type PaidWork, requireModel } from '../paid-call-flow.js'
import type { Prompts } from '../prompts-flow.js'
import type { ToolCaller, ToolDeps } from '../tools/tool.js'
import { type Gathered, MODEL_TOOLS, openToolbox } from '../tools/toolbox.js'
import { type Words, wordsOf } from '../words.js'
import { oldTurnsText, splitHistory } from './history.js'
import { isOfSlicer, slicerData, unmetNeed } from './slicer.js'
import { SLICER_TOOLS, wishesOf } from './suggestion.js'

export interface MessageFlowDeps {
  readonly model: AssistantModel | undefined
  readonly prompts: Prompts
  readonly calls: PaidCallFlow
  /** What is looked up for a question that is no slicer's. */
  readonly tools: ToolDeps
}

export interface MessageCall {
  readonly userId: number
  readonly question: ChatQuestion
  readonly lang: string | undefined
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal
  /** Told once nothing but the model stands between the caller and the answer. */
  readonly onTaken?: () => void
  /** For whom things may be looked up; undefined where the caller may not read. */
  readonly reader?: ToolCaller
  /** Told of each piece of text as it comes. */
  readonly onText?: (text: string) => void
  /** Told of each thing that is looked at. */
  readonly onLook?: (look: AssistantLook) => void
}

export type MessageFlow = ReturnType<typeof messageFlow>

/** Questions of users. The server keeps none of them. */
export function messageFlow({ model, prompts, calls, tools }: MessageFlowDeps) {
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
    more: Pick<ModelQuestion, 'system' | 'tools' | 'onCall' | 'systemWithoutTools'>,
  ): Promise<ModelAnswer> {
    return asked.ask({
      ...{ sense: 'text', turns: await turnsOf(asked, question, work), signal: work.signal, ...more },
      onText(text) {
        if (onText === undefined) return
        work.delivered()
        onText(text)
      },
    })
  }

  async function answerSlicer(asked: AssistantModel, call: MessageCall, work: PaidWork, words: Words) {
    const { question } = call
    const need = unmetNeed(question, words)
    if (need !== undefined) return said(need)
    const system = prompts.slicer.text({ language: words.language, data: slicerData(question) })
    const answer = await ask(asked, call, work, { system, tools: SLICER_TOOLS })
    return { ...said(answer.text), ...wishesOf(answer, question) }
  }

  /** Proposals are kept once the answer is there: one that fails leaves none behind. */
  async function answerOther(asked: AssistantModel, call: MessageCall, work: PaidWork, { language }: Words) {
    const { reader, onLook } = call
    const plain = prompts.plain.text({ language })
    if (reader === undefined) return said((await ask(asked, call, work, { system: plain })).text)
    const toolbox = openToolbox(tools, reader, (look) => onLook?.(look))
    const { text } = await ask(asked, call, work, {
      ...{ system: prompts.general.text({ language }), systemWithoutTools: plain },
      ...{ tools: MODEL_TOOLS, onCall: (made) => toolbox.answer(made) },
    })
    return { ...said(text), ...(await gathered(reader, toolbox.gathered())) }
  }

  /** The parts of a message that looks and proposals become. */
  async function gathered({ user_id }: ToolCaller, { looks, pictures, proposals }: Gathered) {
    const kept = await tools.proposing.keep(user_id, proposals)
    return {
      ...(looks.length === 0 ? {} : { looked_at: [...looks] }),
      ...(pictures.length === 0 ? {} : { pictures: [...pictures] }),
      ...(kept.length === 0 ? {} : { proposals: kept }),
    }
  }

  return {
    /** @throws {ApiError} assistant_not_configured, rate_limited, credits_exhausted, unavailable */
    async answer(call: MessageCall): Promise<AssistantMessage> {
      const asked = requireModel(model, 'text')
      const words = wordsOf(call.lang)
      const isSlicer = isOfSlicer(call.question)
      const plainly = call.reader === undefined ? prompts.plain : prompts.general
      const about = (isSlicer ? prompts.slicer : plainly).name
      const { userId, signal, onTaken } = call
      const paid = { userId, about, words, signal, ...(onTaken === undefined ? {} : { onTaken }) }
      const answer = isSlicer ? answerSlicer : answerOther
      return calls.run(paid, (work) => answer(asked, call, work, words))
    },
  }
}

const said = (content: string): AssistantMessage => ({ role: 'assistant', content })
