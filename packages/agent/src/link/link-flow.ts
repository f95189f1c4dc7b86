import { pollLink, startLink } from './link-client.js'
import { LinkError } from './link-error.js'

/** What linking shows while it waits. */
export interface LinkDisplay {
  /** A code is there to be entered. */
  readonly code: (code: string) => void
  /** Called about once a second. `trouble` says why the server could not be asked just now. */
  readonly waiting: (leftMs: number, trouble: string | undefined) => void
}

export interface LinkTask {
  readonly server: string
  readonly device: { readonly device_name: string; readonly agent_version: string }
  readonly display: LinkDisplay
  readonly signal: AbortSignal
}

export interface Linked {
  readonly printerId: number
  readonly authToken: string
}

const TICK_MS = 1000
/** Ticks between questions to the server. */
const POLL_TICKS = 2

/**
 * Shows a code and waits until a user has entered it in the dashboard. The time that is left is counted by a clock that
 * nobody sets, since a Pi learns the time only after its start.
 *
 * @throws {LinkError}
 */
export async function linkByCode({ server, device, display, signal }: LinkTask): Promise<Linked> {
  const { code, secret, expires_in } = await startLink(server, device, signal)
  const deadlineMs = performance.now() + expires_in * 1000
  display.code(code)
  let trouble: string | undefined
  for (let tick = 0; ; tick += 1) {
    const leftMs = deadlineMs - performance.now()
    display.waiting(leftMs, trouble)
    if (leftMs <= 0 && trouble !== undefined) throw new LinkError('unreachable', trouble)
    if (tick % POLL_TICKS === 0 || leftMs <= 0) {
      const answer = await ask(server, secret, leftMs, signal)
      if (answer.linked !== undefined) return answer.linked
      trouble = answer.trouble
    }
    await sleep(TICK_MS, signal)
  }
}

interface Answer {
  readonly linked?: Linked
  readonly trouble?: string
}

/** A server that is away for a moment is asked again: the code is good for minutes. */
async function ask(server: string, secret: string, leftMs: number, signal: AbortSignal): Promise<Answer> {
  try {
    const state = await pollLink(server, secret, signal)
    if (state?.state !== 'linked') return {}
    return { linked: { printerId: state.printer_id, authToken: state.auth_token } }
  } catch (error) {
    if (!(error instanceof LinkError)) throw error
    if (error.code === 'unreachable') return { trouble: error.message }
    // The token is handed out once. Gone before its time, the code was entered and the answer was lost on its way to us.
    if (error.code === 'expired' && leftMs > 2 * TICK_MS) {
      throw new LinkError('lost', 'the code was entered, but the answer did not arrive here', { cause: error })
    }
    throw error
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new LinkError('stopped', 'stopped'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
