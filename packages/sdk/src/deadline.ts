import { NetworkError } from './errors.js'

/** The time a call has, and the caller's wish to give it up, in one signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Milliseconds that are left; Infinity without a limit. */
  leftMs(): number
  /** Starts the time anew: something moved. */
  touch(): void
  /** Resolves or rejects like `work`, but no later than the deadline, whether or not the platform heeds the signal. */
  race<T>(work: Promise<T>): Promise<T>
  /** Must be called when the work is over. */
  end(): void
}

/**
 * A deadline of its own timer and controller. `AbortSignal.any` over `AbortSignal.timeout` would be shorter, but Node 20 may collect
 * such a timeout before it fires, and then the call never ends.
 *
 * @param given the caller's signal; its reason is passed on
 * @param timeoutMs 0 means no limit
 * @param message of the {@link NetworkError} when the time is over
 */
export function deadlineOf(given: AbortSignal | undefined, timeoutMs: number, message: string): Deadline {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let endsAt = Number.POSITIVE_INFINITY
  let refuse: (reason: unknown) => void = () => undefined
  const refusal = new Promise<never>((_resolve, reject) => {
    refuse = reject
  })
  refusal.catch(() => undefined)

  function stop(reason: unknown): void {
    clearTimeout(timer)
    given?.removeEventListener('abort', giveUp)
    refuse(reason)
    controller.abort(reason)
  }
  const giveUp = () => stop(given?.reason)

  function touch(): void {
    if (timeoutMs <= 0 || controller.signal.aborted) return
    clearTimeout(timer)
    endsAt = Date.now() + timeoutMs
    timer = setTimeout(() => stop(new NetworkError(message)), timeoutMs)
  }

  if (given?.aborted === true) giveUp()
  else {
    given?.addEventListener('abort', giveUp)
    touch()
  }

  return {
    signal: controller.signal,
    leftMs: () => endsAt - Date.now(),
    touch,
    race: (work) => Promise.race([refusal, work]),
    end() {
      clearTimeout(timer)
      given?.removeEventListener('abort', giveUp)
    },
  }
}

/** Waits, or rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    function stop(): void {
      clearTimeout(timer)
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}
