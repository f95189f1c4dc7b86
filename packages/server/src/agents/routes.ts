import { type AgentPrinter, endpoints } from '@printwarden/protocol'
import type { FastifyRequest } from 'fastify'
import { checkPicture } from '../detection/service/check-picture-flow.js'
import { ApiError } from '../errors.js'
import type { AgentCaller, Api } from '../http/api.js'
import { type Form, readForm } from '../http/read-form.js'
import { hasAgentEvent, insertAgentEvent, insertPrinterEvent } from '../prints/events-store.js'
import { findPrintByTs, findRunningPrint } from '../prints/store.js'
import type { Refusals } from '../limits/refusals.js'
import type { Bus, Clock, Counters, Database } from '../ports.js'
import { type PrinterNotice, printerSubject } from '../printers/notices.js'
import { printerColumns } from '../printers/changes.js'
import { findPrinter, type PrinterRow, updatePrinter } from '../printers/store.js'
import { eventNotice } from '../printers/view.js'
import { EventFields, PicFields, readFields, requiredFile } from './form.js'
import type { PictureFlow } from './picture-flow.js'
import { uploadLimit, type UploadLimits } from './upload-limit.js'

export interface AgentRoutesDeps {
  readonly database: Database
  readonly bus: Bus
  readonly counters: Counters
  readonly clock: Clock
  readonly pictures: PictureFlow
  readonly limits: UploadLimits
  readonly refusals: Refusals
  readonly maxSnapshotBytes: number
  /** A slower upload is cut off; 60 s unless stated. */
  readonly uploadTimeoutMs?: number
}

const DEFAULT_UPLOAD_TIMEOUT_MS = 60_000

const ACCEPTED = { result: 'ok' } as const

/** What agents ask for and upload by HTTP. */
export function agentRoutes(api: Api, { pictures, ...deps }: AgentRoutesDeps): void {
  const { database, bus, clock } = deps
  const { db } = database
  const uploadLimits = {
    maxFileBytes: deps.maxSnapshotBytes,
    timeoutMs: deps.uploadTimeoutMs ?? DEFAULT_UPLOAD_TIMEOUT_MS,
  }
  const uploads = uploadLimit(deps)

  /** Reads an upload, when this printer has not sent too many. */
  async function receive(
    { printer_id }: AgentCaller,
    kind: 'picture' | 'event',
    request: FastifyRequest,
    fileName: string,
  ): Promise<Form> {
    const bytes = Number(request.headers['content-length'] ?? deps.maxSnapshotBytes)
    return uploads.run(printer_id, kind, bytes, () => readForm(request, fileName, uploadLimits))
  }

  function show(printer: PrinterRow | undefined): AgentPrinter {
    if (printer === undefined) throw new ApiError('not_found')
    const { id, name, retract_on_pause } = printer
    return {
      user: { is_pro: true },
      printer: { id, name, is_pro: true, retract_on_pause },
      server_ts: clock.now() / 1000,
    }
  }

  api.handleAgent(endpoints.getAgentPrinter, async (_, agent) => {
    return show(await findPrinter(db, agent.printer_id))
  })

  api.handleAgent(endpoints.updateAgentPrinter, async ({ body }, agent) => {
    const printer = await updatePrinter(db, agent.printer_id, printerColumns(body))
    const changed: PrinterNotice = { type: 'row' }
    if (printer !== undefined) bus.publish(printerSubject(printer.id), changed)
    return show(printer)
  })

  api.handleAgent(endpoints.uploadPic, async (_, agent, { request }) => {
    const { fields, file } = await receive(agent, 'picture', request, 'pic')
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
    const { fields, file } = await receive(agent, 'event', request, 'snapshot')
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
