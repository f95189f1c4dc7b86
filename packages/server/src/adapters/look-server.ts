import { LookOptions } from '../detection/cameras/look-options.js'
import { type Detector, DetectorError } from '../detection/detector.js'
import type { Bus, Log } from '../ports.js'
import { type DetectorPresence, PRESENT_SUBJECT, ROLL_CALL_SUBJECT, TELL_EVERY_MS } from './detector-presence.js'
import { failedAnswer, foundAnswer, type LookAnswerOnBus } from './look-answer.js'
import type { LookQueue, TakenLook } from './look-queue-redis.js'
import { answersSubject, OFFERED_SUBJECT } from './looks-queue.js'

/** Also asked without being told: a telling may be lost, and a lease may run out. */
const ASK_EVERY_MS = 1_000
/** A lease is renewed this many times before it would run out. */
const RENEWALS = 3
/** Pictures that are with the detector at a time, unless it says otherwise. */
const DEFAULT_LOOKING = 2

const NOT_UNDERSTOOD = 'The look was asked for in a way that this detector does not know.'

export interface LookServerOptions {
  readonly queue: Pick<LookQueue, 'take' | 'renew' | 'release'>
  readonly bus: Bus
  readonly log: Log
  /** The name of this node. */
  readonly node: string
  readonly detector: Detector
  /** How long a lease of the queue is. */
  readonly leaseMs: number
}

/** A detector node at work. */
export interface LookServer {
  /** Takes no more, and resolves when what was taken is answered. */
  close(): Promise<void>
}

/** How to look; undefined where a node of another version asks for what is not known here. */
function optionsOf(text: string): LookOptions | undefined {
  try {
    return LookOptions.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Takes pictures from the queue while its detector has room for them, and answers the nodes that asked. */
export function serveLooks({ queue, bus, log, node, detector, leaseMs }: LookServerOptions): LookServer {
  const maxLooking = detector.capacity ?? DEFAULT_LOOKING
  const looking = new Set<Promise<void>>()
  let isTaking = false
  let taking = Promise.resolve()
  let isAskedAgain = false
  let isClosed = false
  let isAway = false
  let isMisunderstood = false

  const stops = [bus.subscribe(OFFERED_SUBJECT, () => pump()), bus.subscribe(ROLL_CALL_SUBJECT, () => tell())]
  const timers = [setInterval(() => tell(), TELL_EVERY_MS), setInterval(() => pump(), ASK_EVERY_MS)]
  tell()
  pump()

  function tell(): void {
    const problem = detector.ready() ? null : (detector.problem?.() ?? 'The detector is not ready.')
    bus.publish(PRESENT_SUBJECT, { node, problem, isLeaving: isClosed } satisfies DetectorPresence)
  }

  function pump(): void {
    if (isTaking) isAskedAgain = true
    else taking = takeAll()
  }

  function hasRoom(): boolean {
    return !isClosed && detector.ready() && looking.size < maxLooking
  }

  /** Takes as many as there is room for. Never rejects. */
  async function takeAll(): Promise<void> {
    isTaking = true
    do {
      isAskedAgain = false
      while (hasRoom()) {
        const taken = await take()
        if (taken === undefined) break
        const work = look(taken).finally(() => {
          looking.delete(work)
          pump()
        })
        looking.add(work)
      }
    } while (isAskedAgain && hasRoom())
    isTaking = false
  }

  async function take(): Promise<TakenLook | undefined> {
    try {
      const taken = await queue.take()
      isAway = false
      return taken
    } catch (err) {
      if (!isAway) log.warn({ err }, 'pictures cannot be taken from the queue')
      isAway = true
      return undefined
    }
  }

  /** Looks at one picture and answers. Never rejects. */
  async function look(taken: TakenLook): Promise<void> {
    const renewing = setInterval(() => void queue.renew(taken).catch(unanswered), leaseMs / RENEWALS)
    const answer = await answerTo(taken).finally(() => clearInterval(renewing))
    bus.publish(answersSubject(taken.from), answer)
    await queue.release(taken).catch(unanswered)
  }

  /** What there is to say of one picture. Never rejects. */
  async function answerTo(taken: TakenLook): Promise<LookAnswerOnBus> {
    const { ticket, picture } = taken
    const options = optionsOf(taken.options)
    if (options === undefined || picture.length === 0) return misunderstood(taken)
    try {
      return foundAnswer(ticket, await detector.detect(picture, options))
    } catch (err) {
      return failedAnswer(ticket, err)
    }
  }

  /** Logged once: a node of another version goes on asking so. Whoever asked counts each one as failed. */
  function misunderstood({ ticket, from, options, picture }: TakenLook): LookAnswerOnBus {
    const fields = { from, options: options.slice(0, 200), bytes: picture.length }
    log[isMisunderstood ? 'debug' : 'warn'](fields, 'a look that another node asks for cannot be understood')
    isMisunderstood = true
    const code = picture.length === 0 ? 'invalid_image' : 'unavailable'
    return failedAnswer(ticket, new DetectorError(code, NOT_UNDERSTOOD))
  }

  function unanswered(err: unknown): void {
    log.debug({ err }, 'the queue of pictures did not answer')
  }

  return {
    async close() {
      isClosed = true
      for (const stop of stops) stop()
      for (const timer of timers) clearInterval(timer)
      tell()
      // What Redis hands out just now is this node's too.
      await taking
      await Promise.all(looking)
    },
  }
}
