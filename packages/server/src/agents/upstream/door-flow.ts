import { randomUUID } from 'node:crypto'
import { CLOSE_CODES, MAX_MESSAGE_BYTES } from '@printwarden/protocol'
import { z } from 'zod'
import type { Bus, Clock, Log } from '../../ports.js'
import { printerSubject } from '../../printers/notices.js'
import type { DoorSide } from '../connection-socket.js'
import type { Door, HandedOver } from '../door.js'
import type { AgentSession } from '../flow.js'
import type { Frame } from '../frame.js'
import { readToAgent } from '../to-agent.js'
import { decodeFrame } from './decoding.js'
import type { DeviationsFlow } from './deviations-flow.js'
import { fromAgent } from './from-agent.js'
import { atOrigin } from './origin.js'
import { awaiting, NEW_SESSION, type UpstreamSession } from './session.js'
import { answerFrame, toUpstream } from './to-agent.js'

export interface UpstreamDoorDeps {
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly deviations: Pick<DeviationsFlow, 'note'>
  isViewed(printerId: number): Promise<boolean>
}

/** An agent that is told that somebody looks sends a picture at once; after this long it has none to send. */
const PICTURE_TIMEOUT_MS = 20_000

const PicNotice = z.object({ type: z.literal('pic') })

/**
 * The door of unmodified upstream agents, `/ws/dev/`, for one connection (decision 1).
 *
 * @param origin under which the agent reaches this server: files that it is to fetch are named with it
 */
export function upstreamDoor(side: DoorSide, origin: string, deps: UpstreamDoorDeps): Door {
  const { bus, clock, log, deviations } = deps
  const { printer_id } = side.agent
  let memory: UpstreamSession = NEW_SESSION
  /** What ends the waiting for each picture that was asked for. */
  const looks = new Set<() => void>()

  function read(bytes: Buffer, isBinary: boolean, { tracking, agent }: AgentSession): readonly Frame[] {
    const value = decodeFrame(bytes, isBinary)
    if (isBinary) deviations.note(printer_id, ['binary_message'])
    const isLong = bytes.byteLength > MAX_MESSAGE_BYTES
    // Replies to passthru may be long: the list of a host's files. Nothing else is.
    if (isLong && !(typeof value === 'object' && value !== null && 'passthru' in value)) return [TOO_LARGE]
    const reading = fromAgent(value, memory, { at: clock.now() / 1000, running: tracking.running, agent })
    memory = reading.session
    if (reading.deviations.length > 0) deviations.note(printer_id, reading.deviations)
    if (reading.deviations.includes('unreadable')) log.debug({ printer_id }, 'message of an upstream agent ignored')
    return reading.frames
  }

  function handOver(payload: unknown): HandedOver | undefined {
    const wanted = readToAgent(payload)
    if (wanted === undefined) return undefined
    const told = toUpstream(atOrigin(wanted, origin), randomUUID())
    switch (told.type) {
      case 'frame':
        if (told.awaited !== undefined) memory = awaiting(memory, told.awaited)
        return { frame: told.frame }
      case 'look':
        look(told.id)
        return { frame: { remote_status: { viewing: true } } }
      case 'refused':
        return { said: { type: 'command_ack', ack: { id: told.id, error: { code: 'rejected', detail: told.detail } } } }
      case 'nothing':
        return {}
    }
  }

  /** The picture that comes is the answer. */
  function look(id: string): void {
    const unsubscribe = bus.subscribe(printerSubject(printer_id), (notice) => {
      if (!PicNotice.safeParse(notice).success) return
      side.say({ type: 'command_ack', ack: { id, result: null } })
      end()
    })
    const timer = setTimeout(end, PICTURE_TIMEOUT_MS).unref()
    looks.add(stop)

    function stop(): void {
      unsubscribe()
      clearTimeout(timer)
      looks.delete(stop)
    }
    function end(): void {
      stop()
      void lookAway()
    }
  }

  async function lookAway(): Promise<void> {
    if (looks.size > 0 || (await deps.isViewed(printer_id))) return
    side.tell({ remote_status: { viewing: false } })
  }

  return {
    tellsTime: false,
    read,
    write: answerFrame,
    handOver,
    close: () => {
      for (const stop of looks) stop()
    },
  }
}

const TOO_LARGE: Frame = { type: 'close', code: CLOSE_CODES.tooLarge, reason: 'a message may have 1 MiB' }
