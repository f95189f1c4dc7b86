import { type AssistantModel, ModelError, type ModelPicture, type ModelTurn } from '../model.js'
import type { Prompts } from '../prompts-flow.js'
import type { Evidence } from './evidence.js'
import { type ModelVerdict, readVerdict } from './model-answer.js'
import type { DrawnPicture } from './past-flow.js'
import { AGAIN_CITING, AGAIN_FORM, questionData, questionText } from './question.js'

/** How often a model that did not keep to the form, or cited nothing, is asked. */
const TRIES = 2
/** What is sent back to it of an answer that was not of the form. */
const MAX_SAID = 4_000

export interface Asking {
  readonly model: AssistantModel
  readonly prompts: Pick<Prompts, 'postMortem'>
  readonly evidence: Evidence<DrawnPicture>
  /** The language's name. */
  readonly language: string
  readonly signal: AbortSignal
}

/** What a model said, and which one. */
export interface AskedVerdict {
  readonly verdict: ModelVerdict
  readonly model: string
}

/** Whether the model is shown the pictures, where there are any. */
export const canSee = (model: AssistantModel): boolean => model.visionModel !== undefined

/** Asks a model, that sees if there is one and something to see, and once more when the answer is of no use. @throws {ModelError} */
export async function askWhy({ model, prompts, evidence, language, signal }: Asking): Promise<AskedVerdict> {
  const pictured = canSee(model) ? evidence.moments.filter(({ picture }) => picture !== null) : []
  const pictures = pictured.flatMap(({ picture }): ModelPicture[] =>
    picture === null ? [] : [{ bytes: picture.bytes, type: 'image/jpeg' }],
  )
  const sense = pictures.length > 0 ? 'vision' : 'text'
  const system = prompts.postMortem.text({ language, data: questionData(evidence) })
  const known = new Set(evidence.moments.map(({ number }) => number))
  const turns: ModelTurn[] = [{ role: 'user', text: questionText(pictured), pictures }]
  let uncited: ModelVerdict | undefined
  for (let tries = 1; tries <= TRIES; tries++) {
    const { text } = await model.ask({ sense, system, turns, signal })
    const verdict = readVerdict(text, known)
    if (verdict !== undefined && verdict.cited.size > 0) return { verdict, model: nameOf(model, sense) }
    uncited ??= verdict
    turns.push({ role: 'assistant', text: text.slice(0, MAX_SAID) })
    turns.push({ role: 'user', text: verdict === undefined ? AGAIN_FORM : AGAIN_CITING })
  }
  if (uncited !== undefined) return { verdict: uncited, model: nameOf(model, sense) }
  throw new ModelError('malformed', 'The model did not keep to the form of an answer.')
}

const nameOf = (model: AssistantModel, sense: 'text' | 'vision'): string =>
  sense === 'vision' ? (model.visionModel ?? model.textModel) : model.textModel
