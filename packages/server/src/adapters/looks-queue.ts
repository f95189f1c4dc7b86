import { randomUUID } from 'node:crypto'
import { type Detector, DetectorError, type Findings } from '../detection/detector.js'
import type { Look, LookEnd, Looks, WantedLook } from '../detection/looks.js'
import type { Bus, Log } from '../ports.js'
import type { KnownDetectors } from './detector-presence.js'
import { LookAnswer } from './look-answer.js'
import type { LookQueue, LookTicket } from './look-queue-redis.js'

/** Told when there is something to look at. */
export const OFFERED_SUBJECT = 'looks'
/** Answers to the looks that this node asked for. */
export const answersSubject = (node: string): string => `looked.${node}`

/** What was not answered by then is lost with its detector, or was forgotten while it waited. */
const ANSWER_MS = 75_000

const AWAY = 'Pictures cannot be handed to the detectors: the Redis server does not answer.'
const NO_ANSWER = 'No detector has looked at the picture in time.'
const TOO_BUSY = 'The detectors have too much to do.'

export interface QueuedLooksOptions {
  readonly queue: Pick<LookQueue, 'offer'>
  readonly bus: Bus
  readonly log: Log
  /** The name of this node. */
  readonly node: string
  readonly detectors: KnownDetectors
  readonly answerMs?: number
}

/** Where a look stands in the queue. */
interface Place {
  readonly key: string
  readonly group: string
  readonly at: number
}

interface Asked {
  readonly offeredAt: number
  end(end: LookEnd): void
}

/** The detectors of other nodes, in turn for cameras, and as a detector for whatever else wants to look at a picture. */
export function queuedLooks({ queue, bus, log, node, detectors, answerMs = ANSWER_MS }: QueuedLooksOptions): {
  readonly looks: Looks
  readonly detector: Detector
} {
  const asked = new Map<string, Asked>()
  let isClosed = false
  const stopHearing = bus.subscribe(answersSubject(node), (payload) => {
    const answer = LookAnswer.safeParse(payload).data
    if (answer === undefined) log.warn({}, 'the answer of a detector cannot be read')
    else asked.get(answer.ticket)?.end(endOf(answer))
  })

  /** Lets a look wait. Resolves with what became of it; never rejects. */
  function place({ key, group, at }: Place, { picture, options = {} }: Look): Promise<LookEnd> {
    const ticket = randomUUID()
    return new Promise((resolve) => {
      const end = (ended: LookEnd): void => {
        clearTimeout(timer)
        if (asked.delete(ticket)) resolve(ended)
      }
      const timer = setTimeout(() => end(failed(NO_ANSWER)), answerMs).unref()
      asked.set(ticket, { offeredAt: performance.now(), end })
      const look = { ticket, from: node, key, group, at, options: JSON.stringify(options), picture }
      queue.offer(look).then(tellDropped, (err: unknown) => {
        log.debug({ err }, 'a picture could not be handed to the detectors')
        end(failed(AWAY))
      })
    })
  }

  function tellDropped(gone: readonly LookTicket[]): void {
    for (const { ticket, from } of gone) bus.publish(answersSubject(from), { type: 'dropped', ticket })
    bus.publish(OFFERED_SUBJECT, null)
  }

  async function follow(wanted: WantedLook): Promise<void> {
    await wanted.ended(await endOfWanted(wanted))
  }

  async function endOfWanted(wanted: WantedLook): Promise<LookEnd> {
    const { key, group, at } = wanted
    try {
      const look = await wanted.ask()
      if (look === undefined) return { type: 'unwanted' }
      return await place({ key: `camera ${key}`, group: `printer ${group}`, at }, look)
    } catch (reason) {
      return { type: 'failed', reason }
    }
  }

  /** All that is not a camera's own is one group, and so takes no more turns than one printer. */
  async function detect(key: string, look: Look): Promise<Findings | undefined> {
    const end = await place({ key, group: `others of ${node}`, at: Date.now() }, look)
    if (end.type === 'found') return end.findings
    if (end.type === 'failed') throw end.reason
    return undefined
  }

  const looks: Looks = {
    offer: (wanted) => {
      if (!isClosed) void follow(wanted)
    },
    glance: async (look) => (isClosed || asked.size > 0 ? undefined : detect('glance', look)),
    isIdle: () => asked.size === 0,
    waiting() {
      const since = [...asked.values()].map(({ offeredAt }) => offeredAt)
      return { frames: since.length, oldestMs: since.length === 0 ? 0 : performance.now() - Math.min(...since) }
    },
    close() {
      isClosed = true
    },
  }

  const detector: Detector = {
    async detect(picture, options) {
      const problem = detectors.problem()
      if (isClosed || problem !== null) throw new DetectorError('unavailable', problem ?? 'The server is stopping.')
      const findings = await detect(randomUUID(), { picture, options })
      if (findings === undefined) throw new DetectorError('unavailable', TOO_BUSY)
      return findings
    },
    ready: () => detectors.ready(),
    problem: () => detectors.problem(),
    async close() {
      isClosed = true
      stopHearing()
      for (const one of [...asked.values()]) one.end(failed('The server is stopping.'))
    },
  }

  return { looks, detector }
}

function failed(detail: string): LookEnd {
  return { type: 'failed', reason: new DetectorError('unavailable', detail) }
}

function endOf(answer: LookAnswer): LookEnd {
  switch (answer.type) {
    case 'found': {
      const { decodeMs, inferenceMs, drawMs } = answer.findings.times
      // Clocks of nodes differ: told by how long it took there, its turn came no later than this.
      const takenAt = performance.now() - decodeMs - inferenceMs - drawMs
      return { type: 'found', findings: answer.findings, takenAt }
    }
    case 'failed':
      return { type: 'failed', reason: new DetectorError(answer.code, answer.detail) }
    case 'dropped':
      return { type: 'dropped' }
  }
}
