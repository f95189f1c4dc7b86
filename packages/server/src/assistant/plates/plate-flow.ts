import type { AssistantMessage, PlateQuestion } from '@printwarden/protocol'
import { oldTurnsText } from '../messages/history.js'
import { platesData } from '../messages/slicer.js'
import { type AssistantModel, ModelError, type ModelPicture, type ModelTurn } from '../model.js'
import { type PaidCallFlow, requireModel } from '../paid-call-flow.js'
import type { Prompts } from '../prompts-flow.js'
import { withoutMarks } from '../tools/data-text.js'
import { wordsOf } from '../words.js'
import { readAnalysis } from './analysis.js'
import { readPlatePictures } from './pictures-flow.js'

/** How often a model that did not keep to the form is asked. */
const TRIES = 2

export interface PlateFlowDeps {
  readonly model: AssistantModel | undefined
  readonly prompts: Prompts
  readonly calls: PaidCallFlow
  readonly maxPictureBytes: number
}

export interface PlateCall {
  readonly userId: number
  readonly question: PlateQuestion
  readonly lang: string | undefined
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal
}

export type PlateFlow = ReturnType<typeof plateFlow>

/** How to print what pictures of a plate show. */
export function plateFlow({ model, prompts, calls, maxPictureBytes }: PlateFlowDeps) {
  async function look(
    asked: AssistantModel,
    { question, lang }: PlateCall,
    pictures: readonly ModelPicture[],
    signal: AbortSignal,
  ): Promise<AssistantMessage> {
    const data = withoutMarks(JSON.stringify(platesData(question.plates))).slice(0, 40_000)
    const system = prompts.plate.text({ language: wordsOf(lang).language, data })
    const turn: ModelTurn = { role: 'user', text: askedText(question), pictures }
    for (let tries = 1; tries <= TRIES; tries++) {
      const { text } = await asked.ask({ sense: 'vision', system, turns: [turn], signal })
      const found = readAnalysis(text)
      if (found === undefined) continue
      const { analysis: content, suggested_printing_method } = found
      return { role: 'assistant', content, suggested_printing_method }
    }
    throw new ModelError('malformed', 'The model did not keep to the form of an analysis.')
  }

  return {
    /** @throws {ApiError} assistant_not_configured, invalid_image, too_large, rate_limited, credits_exhausted, unavailable */
    async analyse(call: PlateCall): Promise<AssistantMessage> {
      const asked = requireModel(model, 'vision')
      const { userId, signal } = call
      let pictures: readonly ModelPicture[] = []
      const check = async (): Promise<void> => {
        pictures = await readPlatePictures(call.question.images, maxPictureBytes)
      }
      const paid = { userId, about: prompts.plate.name, words: wordsOf(call.lang), signal, check }
      return calls.run(paid, (work) => look(asked, call, pictures, work.signal))
    },
  }
}

function askedText({ messages }: PlateQuestion): string {
  const wishes = oldTurnsText(messages ?? [])
  return wishes === ''
    ? 'How should this plate be printed?'
    : `What was said before:\n${wishes}\n\nHow should this plate be printed?`
}
