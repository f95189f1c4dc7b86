import { AtOnce } from '../limits/at-once.js'
import { ApiError } from '../errors.js'
import type { Log } from '../ports.js'
import type { CreditsFlow } from './credits/credits-flow.js'
import { type AssistantModel, ModelError } from './model.js'
import type { Words } from './words.js'

/** Calls of one user at a time: a model on the user's own machine answers one after another anyway. */
const MAX_AT_ONCE = 2
const RETRY_SECONDS = 10

export interface PaidCallFlowDeps {
  readonly credits: Pick<CreditsFlow, 'take'>
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
  /** Refuses, by what it throws, what nothing shall be taken for. It counts as under way too. */
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
    const credit = await credits.take(userId, about).catch((error: unknown) => {
      throw isExhausted(error) ? new ApiError('credits_exhausted', words.creditsExhausted, { cause: error }) : error
    })
    let isDelivered = false
    try {
      onTaken?.()
      const both = AbortSignal.any([signal, stopping.signal])
      both.throwIfAborted()
      const answer = await work({ signal: both, delivered: () => (isDelivered = true) })
      await credit.keep()
      return answer
    } catch (error) {
      const hungUp = signal.aborted
      if (hungUp && isDelivered) await credit.keep()
      else await credit.giveBack()
      if (!hungUp && error instanceof ModelError)
        log.warn({ err: error, user_id: userId, about }, 'the model did not answer')
      throw hungUp || stopping.signal.aborted ? gone(error) : asApiError(error)
    }
  }

  return {
    /** @throws {ApiError} rate_limited, credits_exhausted, unavailable, and what the check refuses */
    run<T>(call: PaidCall, work: (work: PaidWork) => Promise<T>): Promise<T> {
      const running = atOnce.run(call.userId, async () => {
        await call.check?.()
        return paid(call, work)
      })
      const settled = running.catch(() => undefined).finally(() => underWay.delete(settled))
      underWay.add(settled)
      return running
    },
    /** Ends what is under way; its credits are given back. */
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

const isExhausted = (error: unknown): boolean => error instanceof ApiError && error.code === 'credits_exhausted'

/** Nobody reads it when the caller hung up. */
const gone = (cause: unknown): ApiError => new ApiError('unavailable', 'The call was ended.', { cause })

function asApiError(error: unknown): unknown {
  if (!(error instanceof ModelError)) return error
  const detail = `${error.message} The credit was given back.`
  return new ApiError('unavailable', detail, { cause: error, retryAfterSeconds: RETRY_SECONDS })
}
