import { AtOnce } from '../limits/at-once.js'
import { ApiError } from '../errors.js'
import type { Log } from '../ports.js'
import type { CreditsFlow } from './credits/credits-flow.js'
import { type AssistantModel, ModelError } from './model.js'
import type { Words } from './words.js'

/** Calls of one user at a time, at this node: a model on the user's own machine answers one after another anyway. */
const MAX_AT_ONCE = 2
const RETRY_SECONDS = 10

export interface PaidCallFlowDeps {
  readonly credits: Pick<CreditsFlow, 'take' | 'requireOne'>
  readonly log: Log
}

/** Who asks for what. */
export interface PaidCall {
  readonly userId: number
  /** The prompt's name, for the book. */
  readonly about: string
  readonly words: Words
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal
  /** Refuses, by what it throws, what nothing shall be taken for. It counts as under way too, and is left out where no credit is left. */
  readonly check?: () => Promise<void>
  /** Told once the credit is taken. */
  readonly onTaken?: () => void
}

/** While a call is worked on. */
export interface PaidWork {
  /** Aborts when the caller hangs up or the server stops. */
  readonly signal: AbortSignal
  /** From now on the caller has something: hanging up does not give the credit back any more. */
  delivered(): void
}

export type PaidCallFlow = ReturnType<typeof paidCallFlow>

/** Calls that cost a credit (decision 11): it is taken before the model runs, and given back when the model fails. */
export function paidCallFlow({ credits, log }: PaidCallFlowDeps) {
  const atOnce = new AtOnce(MAX_AT_ONCE)
  const stopping = new AbortController()
  const underWay = new Set<Promise<unknown>>()

  async function paid<T>(
    { userId, about, words, signal, onTaken }: PaidCall,
    work: (work: PaidWork) => Promise<T>,
  ): Promise<T> {
    const credit = await inWords(words, credits.take(userId, about))
    const ended = AbortSignal.any([signal, stopping.signal])
    let isDelivered = false
    try {
      onTaken?.()
      ended.throwIfAborted()
      const answer = await work({ signal: ended, delivered: () => (isDelivered = true) })
      await credit.keep()
      return answer
    } catch (error) {
      // What came first counts: who is still connected while the server stops is cut off by it soon after.
      const isStopped = ended.aborted && ended.reason === stopping.signal.reason
      const hungUp = ended.aborted && !isStopped
      if (hungUp && isDelivered) await credit.keep()
      else await credit.giveBack()
      if (!ended.aborted && error instanceof ModelError)
        log.warn({ err: error, user_id: userId, about }, 'the model did not answer')
      throw hungUp ? gone(error) : isStopped ? stopped(error) : asApiError(error)
    }
  }

  return {
    /** @throws {ApiError} rate_limited, credits_exhausted, unavailable, and what the check refuses */
    run<T>(call: PaidCall, work: (work: PaidWork) => Promise<T>): Promise<T> {
      const running = atOnce.run(call.userId, async () => {
        if (call.check !== undefined) {
          // Only a look: another call may have the last one by the time that this one takes it.
          await inWords(call.words, credits.requireOne(call.userId))
          await call.check().catch((error: unknown) => {
            throw call.signal.aborted ? gone(error) : error
          })
        }
        return paid(call, work)
      })
      const settled = running.catch(() => undefined).finally(() => underWay.delete(settled))
      underWay.add(settled)
      return running
    },
    /** Ends what is under way, and resolves once its credits are given back. To be called while answers can still be sent. */
    async close(): Promise<void> {
      stopping.abort(new Error('the server stops'))
      await Promise.all(underWay)
    },
  }
}

/** @throws {ApiError} assistant_not_configured, which costs nothing */
export function requireModel(model: AssistantModel | undefined, sense: 'text' | 'vision'): AssistantModel {
  if (model === undefined) throw new ApiError('assistant_not_configured')
  if (sense === 'text' || model.visionModel !== undefined) return model
  throw new ApiError('assistant_not_configured', 'No model that can look at pictures is configured.')
}

/** Says that no credit is left in the caller's language. */
async function inWords<T>({ creditsExhausted }: Words, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'credits_exhausted') throw error
    throw new ApiError('credits_exhausted', creditsExhausted, { cause: error })
  }
}

/** Nobody reads it: the caller hung up. */
const gone = (cause: unknown): ApiError => new ApiError('unavailable', 'The call was ended.', { cause })

const stopped = (cause: unknown): ApiError =>
  new ApiError('unavailable', 'The server stops. The credit was given back.', {
    ...{ cause, retryAfterSeconds: RETRY_SECONDS },
  })

function asApiError(error: unknown): unknown {
  if (!(error instanceof ModelError)) return error
  const detail = `${error.message} The credit was given back.`
  return new ApiError('unavailable', detail, { cause: error, retryAfterSeconds: RETRY_SECONDS })
}
