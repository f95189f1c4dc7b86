import type { Clock } from '../../time/clock.js'
import type { Log } from '../../log/log.js'
import type { Asked } from './translate.js'

/** Shows what was asked of Klipper until it is done, and knows when a command counts as accepted. */
export interface Asking {
  /**
   * Asks for something that changes the state.
   *
   * @throws {HostError} when it is refused within a moment; later refusals are logged
   */
  ask(asked: Asked, work: () => Promise<unknown>): Promise<void>
  /** Resolves when `work` is done, or has not failed for a moment. */
  accept(work: Promise<unknown>, failed: string): Promise<void>
  /** What was asked for is not to be done any more. */
  giveUp(asked: Asked): void
  /** The print has ended: with it ends a cancel whose macro has run. */
  noteEnd(): void
}

export interface AskingDeps {
  /** What is asked for now. */
  readonly asked: () => Asked | null
  readonly show: (asked: Asked | null) => void
  /** Whether a print runs or is paused. */
  readonly isPrinting: () => boolean
  readonly clock: Clock
  readonly log: Log
}

/** After so long without a refusal a command counts as accepted: Klipper answers only when its macros have run. */
const ACCEPT_MS = 1_500
/** How long the state may take to follow an answer. */
const FOLLOW_MS = 3_000

export function openAsking({ asked: now, show, isPrinting, clock, log }: AskingDeps): Asking {
  let isCancelAnswered = false
  /** Counts the commands: what is left of one must not end the next of its kind. */
  let latest = 0

  function unshow(asked: Asked, mine = latest): void {
    if (now() === asked && mine === latest) show(null)
  }

  /** A pause and a resume end with the state that they lead to; a cancel with its macro and its print, whichever is last. */
  function answered(asked: Asked, mine: number): void {
    if (now() !== asked || mine !== latest) return
    if (asked === 'cancel' && !isPrinting()) return show(null)
    isCancelAnswered = asked === 'cancel'
    clock.after(FOLLOW_MS, () => unshow(asked, mine))
  }

  async function accept(work: Promise<unknown>, failed: string): Promise<void> {
    let isAccepted = false
    let cancel: () => void = () => undefined
    const patience = new Promise<void>((resolve) => {
      cancel = clock.after(ACCEPT_MS, resolve)
    })
    work.catch((err: unknown) => {
      if (isAccepted) log.warn({ err }, failed)
    })
    try {
      await Promise.race([work, patience])
      isAccepted = true
    } finally {
      cancel()
    }
  }

  return {
    accept,
    ask: async (asked, work) => {
      isCancelAnswered = false
      latest += 1
      const mine = latest
      show(asked)
      const run = work().then(
        () => answered(asked, mine),
        (error: unknown) => {
          unshow(asked, mine)
          throw error
        },
      )
      await accept(run, `Klipper did not ${asked}`)
    },
    giveUp: (asked) => unshow(asked),
    noteEnd: () => {
      if (isCancelAnswered) unshow('cancel')
    },
  }
}
