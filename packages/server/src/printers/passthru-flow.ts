import { randomUUID } from 'node:crypto'
import type { PassthruFailure, PassthruRequest, PassthruResult } from '@printwarden/protocol'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import type { Bus, Clock, Database } from '../ports.js'
import { insertPrinterEvent } from '../prints/events-store.js'
import { findCurrentPrint } from '../prints/store.js'
import type { Actor } from './actor-flow.js'
import { agentSubject, passthruSubject, printerSubject, type ToAgent } from './notices.js'
import { isNews, passthruLine } from './passthru-line.js'
import type { PrinterRow } from './store.js'
import { eventNotice } from './view.js'

/** How long the node that holds the agent's socket may take to write a frame to it. */
const HAND_OVER_TIMEOUT_MS = 2000

/** Calls of one printer that wait for their results at a time. */
export const MAX_WAITING = 20

/** So many kinds of calls are remembered as told before they are told again. */
const MOST_TOLD = 5000

const Reply = z.object({
  passthru: z.looseObject({ ref: z.string(), ret: z.unknown().optional(), error: z.unknown().optional() }),
})

export interface PassthruFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
}

export type PassthruFlow = ReturnType<typeof passthruFlow>

/** Calls of functions of an agent, each with its result. */
export function passthruFlow({ database, bus, clock }: PassthruFlowDeps) {
  /** How many calls of each printer wait. */
  const waiting = new Map<number, number>()
  /** When each kind of call became a line of the history last. */
  const told = new Map<string, number>()

  /**
   * Calls the function and waits for what it returns. The printer was found to be the user's.
   *
   * @throws {ApiError} rate_limited when too many calls wait already
   */
  async function call(printer: PrinterRow, request: PassthruRequest, actor: Actor): Promise<PassthruResult> {
    const count = waiting.get(printer.id) ?? 0
    if (count >= MAX_WAITING) {
      throw new ApiError('rate_limited', `${MAX_WAITING} calls wait already.`, { retryAfterSeconds: 5 })
    }
    waiting.set(printer.id, count + 1)
    try {
      return await ask(printer, request, actor)
    } finally {
      const left = (waiting.get(printer.id) ?? 1) - 1
      if (left > 0) waiting.set(printer.id, left)
      else waiting.delete(printer.id)
    }
  }

  async function ask(
    printer: PrinterRow,
    { timeout_seconds, ...called }: PassthruRequest,
    actor: Actor,
  ): Promise<PassthruResult> {
    const ref = randomUUID()
    const { target, func, args, kwargs } = called
    const given = { ...(args === undefined ? {} : { args }), ...(kwargs === undefined ? {} : { kwargs }) }
    const frame: ToAgent = { type: 'passthru', passthru: { target, func, ...given, ref } }
    // Listened for first: the reply may be here before this node hears that the frame went out.
    const reply = replyTo(printer.id, ref, timeout_seconds * 1000)
    try {
      if ((await bus.request(agentSubject(printer.id), frame, HAND_OVER_TIMEOUT_MS)) !== true) {
        return failed('not_connected', 'No agent that takes such calls is connected.')
      }
      await note(printer, called, actor)
      return resultOf(await reply.came)
    } finally {
      reply.forget()
    }
  }

  function replyTo(printerId: number, ref: string, timeoutMs: number) {
    let forget = (): void => {}
    const came = new Promise<z.infer<typeof Reply>['passthru'] | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), timeoutMs)
      const stop = bus.subscribe(passthruSubject(printerId), (message) => {
        const { data } = Reply.safeParse(message)
        if (data?.passthru.ref === ref) resolve(data.passthru)
      })
      forget = () => {
        clearTimeout(timer)
        stop()
      }
    })
    return { came, forget }
  }

  async function note(printer: PrinterRow, called: Omit<PassthruRequest, 'timeout_seconds'>, actor: Actor) {
    const now = clock.now()
    const kind = [printer.id, actor.initiator, actor.initiator_name, called.target, called.func].join(' ')
    if (!isNews(told.get(kind), now)) return
    if (told.size > MOST_TOLD) told.clear()
    told.set(kind, now)
    const event = await database.transaction(async (trx) => {
      const print = await findCurrentPrint(trx, printer.id)
      const about = { user_id: printer.user_id, printer_id: printer.id, print_id: print?.id ?? null }
      const unused = { image_key: null, info_url: null, reason: null, alert_id: null }
      return insertPrinterEvent(trx, { ...passthruLine(called, actor), ...about, ...unused, created_at: now })
    })
    bus.publish(printerSubject(printer.id), eventNotice(event))
  }

  return { call }
}

function resultOf(reply: z.infer<typeof Reply>['passthru'] | undefined): PassthruResult {
  if (reply === undefined) return failed('no_answer', 'The agent did not answer in time.')
  if (reply.error !== undefined && reply.error !== null) return failed('agent_error', textOf(reply.error))
  return { succeeded: true, ret: reply.ret ?? null, error: null }
}

const failed = (code: PassthruFailure, detail: string): PassthruResult => ({
  ...{ succeeded: false, ret: null, error: { code, detail } },
})

const textOf = (error: unknown): string => (typeof error === 'string' ? error : JSON.stringify(error)).slice(0, 2000)
