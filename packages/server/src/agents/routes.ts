import { endpoints } from '@printwarden/protocol'
import type { FastifyRequest } from 'fastify'
import { checkPicture } from '../detection/service/check-picture-flow.js'
import { ApiError } from '../errors.js'
import type { AgentCaller, Api } from '../http/api.js'
import { type Form, readForm } from '../http/read-form.js'
import { hasAgentEvent, insertAgentEvent, insertPrinterEvent } from '../prints/events-store.js'
import { findPrintByTs, findRunningPrint } from '../prints/store.js'
import type { Bus, Clock, Database } from '../ports.js'
import { printerSubject } from '../printers/notices.js'
import { findPrinter } from '../printers/store.js'
import { eventNotice } from '../printers/view.js'
import { EventFields, PicFields, readFields, requiredFile } from './form.js'
import type { PictureFlow } from './picture-flow.js'
import { RateLimiter } from './rate-limiter.js'

export interface AgentRoutesDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly pictures: PictureFlow
  readonly maxSnapshotBytes: number
  /** A slower upload is cut off; 60 s unless stated. */
  readonly uploadTimeoutMs?: number
}

/** Pictures of one printer: agents that boost send three at once, then one each second or two. */
const PIC_RATE = { perSecond: 5, burst: 30 }
/** Printer events of one printer: rare by nature. */
const EVENT_RATE = { perSecond: 1, burst: 30 }

/** Uploads of one printer at a time. An agent sends one after another; a few may hang in a broken connection. */
const MAX_UPLOADS = 4
const DEFAULT_UPLOAD_TIMEOUT_MS = 60_000

const ACCEPTED = { result: 'ok' } as const

/** What agents ask for and upload by HTTP. */
export function agentRoutes(api: Api, { database, bus, clock, pictures, ...limits }: AgentRoutesDeps): void {
  const { db } = database
  const uploadLimits = {
    maxFileBytes: limits.maxSnapshotBytes,
    timeoutMs: limits.uploadTimeoutMs ?? DEFAULT_UPLOAD_TIMEOUT_MS,
  }
  const picLimit = new RateLimiter(PIC_RATE)
  const eventLimit = new RateLimiter(EVENT_RATE)
  const uploading = new Map<number, number>()

  /** Reads an upload, when this printer has not sent too many. */
  async function receive(
    { printer_id }: AgentCaller,
    limiter: RateLimiter,
    request: FastifyRequest,
    fileName: string,
  ): Promise<Form> {
    const waitMs = limiter.take(printer_id, clock.now())
    if (waitMs > 0) throw new ApiError('rate_limited', undefined, { retryAfterSeconds: Math.ceil(waitMs / 1000) })
    const count = uploading.get(printer_id) ?? 0
    if (count >= MAX_UPLOADS) throw new ApiError('rate_limited', 'Too many uploads at once.', { retryAfterSeconds: 1 })
    uploading.set(printer_id, count + 1)
    try {
      return await readForm(request, fileName, uploadLimits)
    } finally {
      const left = (uploading.get(printer_id) ?? 1) - 1
      if (left > 0) uploading.set(printer_id, left)
      else uploading.delete(printer_id)
    }
  }

  api.handleAgent(endpoints.getAgentPrinter, async (_, agent) => {
    const printer = await findPrinter(db, agent.printer_id)
    if (printer === undefined) throw new ApiError('not_found')
    const { id, name, retract_on_pause } = printer
    return {
      user: { is_pro: true },
      printer: { id, name, is_pro: true, retract_on_pause },
      server_ts: clock.now() / 1000,
    }
  })

  api.handleAgent(endpoints.uploadPic, async (_, agent, { request }) => {
    const { fields, file } = await receive(agent, picLimit, request, 'pic')
    const {
      is_primary_camera: is_primary,
      camera_name: name,
      viewing_boost,
      frame_id,
      ...when
    } = readFields(PicFields, fields)
    const picture = await checkPicture(requiredFile(file, 'pic'))
    if (when.current_print_ts !== undefined) {
      const taken_at = Math.round(clock.now() - when.frame_age_ms)
      const { current_print_ts, pics_to_come } = when
      const frame = { ...picture, taken_at, frame_id, current_print_ts, pics_to_come }
      if (is_primary) await pictures.keepPast(agent.printer_id, frame)
      return ACCEPTED
    }
    const taken_at = Math.round(clock.now() - when.age_ms)
    await pictures.show(agent, { name, is_primary }, { ...picture, viewing_boost, taken_at, frame_id })
    return ACCEPTED
  })

  api.handleAgent(endpoints.reportPrinterEvent, async (_none, agent, { request }) => {
    const { fields, file } = await receive(agent, eventLimit, request, 'snapshot')
    const { event_id, age_ms, current_print_ts, notify: _, info_url, ...event } = readFields(EventFields, fields)
    const now = clock.now()
    const created_at = Math.round(now - age_ms)
    const { printer_id, user_id } = agent
    if (event_id !== undefined && (await hasAgentEvent(db, printer_id, event_id))) return ACCEPTED
    const image_key = file && (await pictures.keepForEvent(printer_id, await checkPicture(file), created_at))
    const row = await database.transaction(async (trx) => {
      const isNew = event_id === undefined || (await insertAgentEvent(trx, { printer_id, event_id, received_at: now }))
      if (!isNew) return undefined
      const print =
        current_print_ts === undefined
          ? await findRunningPrint(trx, printer_id)
          : await findPrintByTs(trx, printer_id, current_print_ts)
      const images = { info_url: info_url ?? null, image_key: image_key ?? null }
      return insertPrinterEvent(trx, {
        printer_id,
        user_id,
        print_id: print?.id ?? null,
        ...event,
        ...images,
        created_at,
      })
    })
    if (row !== undefined) bus.publish(printerSubject(printer_id), eventNotice(row))
    return ACCEPTED
  })
}
