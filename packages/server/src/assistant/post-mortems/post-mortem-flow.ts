import type { AssistantLook } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Database } from '../../ports.js'
import { findVisiblePrint, type PrintRow } from '../../prints/store.js'
import { isRunning } from '../../timelapse/reasons.js'
import type { AssistantModel } from '../model.js'
import { type PaidCallFlow, requireModel } from '../paid-call-flow.js'
import type { Prompts } from '../prompts-flow.js'
import { type Words, wordsOf } from '../words.js'
import { askWhy, canSee } from './asking-flow.js'
import { type Evidence, evidenceOf } from './evidence.js'
import type { KeepingFlow } from './keeping-flow.js'
import { looksOf } from './looks.js'
import type { DrawnPicture, PastFlow } from './past-flow.js'
import { findPostMortem, type PostMortemRow } from './post-mortem-store.js'
import type { PrintPast } from './print-past.js'

export interface PostMortemFlowDeps {
  readonly database: Database
  readonly model: AssistantModel | undefined
  readonly prompts: Prompts
  readonly calls: PaidCallFlow
  readonly pasts: PastFlow
  readonly keeping: KeepingFlow
}

export interface PostMortemCall {
  readonly userId: number
  readonly printId: number
  readonly lang: string | undefined
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal
  /** Told once nothing but the model stands between the caller and the answer. */
  readonly onTaken?: () => void
  /** Told what is read for the answer. */
  readonly onLook?: (look: AssistantLook) => void
}

export type PostMortemFlow = ReturnType<typeof postMortemFlow>

/** No model was asked, since nothing is kept that it could judge by. */
const NO_MODEL = 'none'
const UNSEEN = 'The pictures were not looked at: no model that sees is configured.'

/** Why prints failed: what is kept of a print is put in order, a model judges it, and its last answer is kept. */
export function postMortemFlow({ database, model, prompts, calls, pasts, keeping }: PostMortemFlowDeps) {
  const { db } = database
  /** Prints that are asked about now. Of two nodes both may ask: then the later answer stays. */
  const underWay = new Set<number>()

  async function getPrint(userId: number, printId: number): Promise<PrintRow> {
    const print = await findVisiblePrint(db, userId, printId)
    if (print === undefined) throw new ApiError('not_found')
    return print
  }

  async function ask(asked: AssistantModel, print: PrintRow, call: PostMortemCall): Promise<PostMortemRow> {
    const { userId, signal, onTaken, onLook } = call
    const words = wordsOf(call.lang)
    let past: PrintPast | undefined
    let evidence: Evidence<DrawnPicture> | undefined
    const check = async (): Promise<void> => {
      past = await pasts.read(print)
      evidence = evidenceOf(past, await pasts.draw(print, past, signal))
      if (evidence.isEmpty) throw new NothingKept(evidence)
    }
    const paid = { userId, about: prompts.postMortem.name, words, signal, check, ...(onTaken && { onTaken }) }
    try {
      return await calls.run(paid, async (work) => {
        if (past === undefined || evidence === undefined) throw new Error('a print was judged before it was read')
        for (const look of looksOf(past, evidence, canSee(asked))) onLook?.(look)
        return judge(asked, print, evidence, words, work.signal)
      })
    } catch (error) {
      if (!(error instanceof NothingKept)) throw error
      // What a model said while there was more to judge by is worth more than that there is nothing now.
      const before = await findPostMortem(db, print.id)
      if (before !== undefined && before.model !== NO_MODEL) return before
      return keeping.keep(print, nothingKept(error.evidence, words))
    }
  }

  async function judge(
    asked: AssistantModel,
    print: PrintRow,
    evidence: Evidence<DrawnPicture>,
    { language }: Words,
    signal: AbortSignal,
  ): Promise<PostMortemRow> {
    const { verdict, model: name } = await askWhy({ model: asked, prompts, evidence, language, signal })
    const { cause, certainty, answer, advice, cited } = verdict
    const isShown = ({ number, picture }: Evidence<DrawnPicture>['moments'][number]): boolean =>
      cited.size > 0 ? cited.has(number) : picture !== null
    const isUnseen = !canSee(asked) && evidence.moments.some(({ picture }) => picture !== null)
    return keeping.keep(print, {
      ...{ cause, certainty, answer, advice, model: name },
      moments: evidence.moments.filter(isShown),
      missing: isUnseen ? [...evidence.missing, UNSEEN] : evidence.missing,
    })
  }

  return {
    /** What was answered last. @throws {ApiError} not_found, also when it was never asked */
    async find(userId: number, printId: number): Promise<PostMortemRow> {
      const print = await getPrint(userId, printId)
      const row = await findPostMortem(db, print.id)
      if (row === undefined) throw new ApiError('not_found', 'It was not asked yet why this print failed.')
      return row
    },

    /**
     * Asks, and keeps the answer. A print of which nothing is kept is answered without a model, and costs nothing; a model's answer from
     * before stays.
     * @throws {ApiError} not_found, conflict, assistant_not_configured, rate_limited, credits_exhausted, unavailable
     */
    async ask(call: PostMortemCall): Promise<PostMortemRow> {
      const print = await getPrint(call.userId, call.printId)
      if (isRunning(print)) throw new ApiError('conflict', 'The print is still running.')
      const asked = requireModel(model, 'text')
      if (underWay.has(print.id)) throw new ApiError('conflict', 'This print is being looked at already.')
      underWay.add(print.id)
      try {
        return await ask(asked, print, call)
      } finally {
        underWay.delete(print.id)
      }
    },
  }
}

/** Refuses a call that nobody could answer, before anything is taken for it. */
class NothingKept extends Error {
  override readonly name = 'NothingKept'

  constructor(readonly evidence: Evidence<DrawnPicture>) {
    super('nothing is kept of this print')
  }
}

function nothingKept(
  { moments, missing }: Evidence<DrawnPicture>,
  { nothingKept: answer, unknownCause: cause }: Words,
) {
  const [first, last] = [moments[0], moments.at(-1)]
  const cited = [first, last].flatMap((moment) => (moment === undefined ? [] : [moment]))
  return { cause, certainty: 'unclear', answer, advice: [], moments: cited, missing, model: NO_MODEL } as const
}
