import { endpoints, type GCodeFileUploaded, type Initiator } from '@printwarden/protocol'
import type { z } from 'zod'
import { ApiError } from '../errors.js'
import type { Api, Caller, Exchange, Reader } from '../http/api.js'
import type { Clock, Database } from '../ports.js'
import type { FactsFlow } from '../printers/facts-flow.js'
import { findVisiblePrinter, type PrinterRow } from '../printers/store.js'
import { printerView } from '../printers/view.js'
import { type MediaUrls, viewerOf } from '../prints/view.js'
import type { FileChanges, FileFlow } from './file-flow.js'
import { countFiles, findVisibleFile, type GCodeFileRow, listFiles } from './file-store.js'
import { savedFileView } from './flat-view.js'
import { readGCodeForm } from './form-flow.js'
import { checkedName, folderIdOf, issue, requiredText } from './input.js'
import { checkFileName } from './names.js'
import { fileSelectionOf, fileSortingOf } from './listing.js'
import { pageHeaders, pageOf } from './paging.js'
import type { PrintFlow } from './print-flow.js'
import type { ShowFlow } from './show-flow.js'
import type { SlicerFlow } from './slicer-flow.js'
import { wantsPrint } from './slicer-input.js'
import type { NewFile, ReceivedBytes, UploadFlow } from './upload-flow.js'
import { printerIdOf, UPLOAD_FIELDS } from './upload-wish.js'

export interface FileRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly media: MediaUrls
  readonly facts: FactsFlow
  readonly files: FileFlow
  readonly uploads: UploadFlow
  readonly printing: PrintFlow
  readonly slicers: Pick<SlicerFlow, 'findMeant' | 'folderAt'>
  readonly show: ShowFlow
}

const MAX_FORM_NAME = 64 * 1024

type ListQuery = z.output<NonNullable<typeof endpoints.listGCodeFiles.query>>

/** The endpoints of G-code files (specification, section 4.4). */
export function gCodeFileRoutes(api: Api, deps: FileRoutesDeps): void {
  const { database, clock, media, facts, files, uploads, printing, slicers, show } = deps
  const { db } = database

  async function getVisible(caller: Reader, id: number): Promise<GCodeFileRow> {
    const file = await findVisibleFile(db, caller.user_id, id)
    if (file === undefined) throw new ApiError('not_found')
    return file
  }

  async function list({ user_id }: Reader, query: ListQuery, exchange: Exchange) {
    const selection = fileSelectionOf(query)
    const page = pageOf(query)
    const [rows, total] = await Promise.all([
      listFiles(db, user_id, selection, fileSortingOf(query.sorting), page),
      countFiles(db, user_id, selection),
    ])
    exchange.reply.headers(pageHeaders(new URL(exchange.request.url, exchange.origin), page, total))
    return show.files(user_id, rows, exchange)
  }

  async function update(caller: Caller, id: number, changes: FileChanges, { origin }: Exchange) {
    const file = await files.update(caller.user_id, id, changes)
    if (file === undefined) throw new ApiError('not_found')
    return savedFileView(file, media.urls(origin))
  }

  api.handle(endpoints.listGCodeFiles, ({ query }, caller, exchange) => list(caller, query, exchange))
  api.handleReader(endpoints.listGCodeFilesAsAgent, ({ query }, reader, exchange) => list(reader, query, exchange))

  api.handle(endpoints.getGCodeFile, async ({ params }, caller, exchange) => {
    return show.file(caller.user_id, await getVisible(caller, params.id), exchange)
  })

  api.handle(endpoints.uploadGCodeFile, async ({ body }, caller, exchange) => {
    if (body === undefined) return keepForm(caller, exchange)
    const wanted = { filename: body.filename, parent_folder_id: body.parent_folder ?? null }
    return savedFileView(await uploads.keep(caller.user_id, undefined, wanted), media.urls(exchange.origin))
  })

  async function keepForm(caller: Caller, exchange: Exchange): Promise<GCodeFileUploaded> {
    const { user_id } = caller
    const { fields, file } = await readGCodeForm(exchange.request, uploads, user_id, UPLOAD_FIELDS)
    const wanted = await wantedOf(user_id, fields, file?.bytes).catch(async (error: unknown) => {
      if (file !== undefined) await uploads.discard(file.bytes)
      throw error
    })
    const stored = await uploads.keep(user_id, file?.bytes, wanted)
    const view = savedFileView(stored, media.urls(exchange.origin))
    return wanted.print === undefined
      ? view
      : { ...view, print: await printNow(stored, wanted.print, caller, exchange) }
  }

  /** Prints what was just stored. What cannot be printed now stays, and the answer says where. */
  async function printNow(file: GCodeFileRow, { printer }: PrintWish, caller: Caller, { origin, reply }: Exchange) {
    void reply.header('location', `${origin}/api/v1/g_code_files/${file.id}/`)
    if (printer === undefined) throw notPrinted('Which printer? Choose one, and name it in printer_id.')
    const { reason, command_id } = await printing.print(file, printer, by(caller), media.urls(origin))
    if (reason !== null) throw notPrinted(reason.detail)
    return { printer_id: printer.id, command_id }
  }

  /** What the form asks for. Everything is looked at before a folder is made. */
  async function wantedOf(
    userId: number,
    fields: ReadonlyMap<string, string>,
    bytes: ReceivedBytes | undefined,
  ): Promise<NewFile & { readonly print: PrintWish | undefined }> {
    const filename = checkedName(requiredText(fields, 'filename', MAX_FORM_NAME), checkFileName, 'filename')
    if (bytes?.num_bytes === 0) throw issue('file', 'must not be empty')
    const folder = folderIdOf(fields.get('parent_folder'))
    const print = wantsPrint(fields) ? await printWish(userId, fields, bytes !== undefined) : undefined
    const path = fields.get('path') ?? ''
    return { filename, parent_folder_id: folder ?? (await slicers.folderAt(userId, path)), print }
  }

  async function printWish(userId: number, fields: ReadonlyMap<string, string>, hasFile: boolean): Promise<PrintWish> {
    if (!hasFile) throw issue('print', 'needs a file')
    const id = printerIdOf(fields)
    if (id === undefined) return { printer: await slicers.findMeant(userId, undefined) }
    const printer = await findVisiblePrinter(db, userId, Number(id))
    if (printer === undefined) throw issue('printer_id', 'there is no such printer')
    return { printer }
  }

  api.handle(endpoints.updateGCodeFile, ({ params, body }, caller, exchange) =>
    update(caller, params.id, body, exchange),
  )
  api.handle(endpoints.replaceGCodeFile, ({ params, body }, caller, exchange) => {
    return update(caller, params.id, body, exchange)
  })

  api.handle(endpoints.deleteGCodeFile, async ({ params }, caller) => {
    if ((await files.remove(caller.user_id, [params.id])) === 0) throw new ApiError('not_found')
  })

  api.handle(endpoints.deleteGCodeFiles, async ({ body }, caller) => {
    return { deleted: await files.remove(caller.user_id, body.file_ids) }
  })

  api.handle(endpoints.moveGCodeFiles, async ({ body }, caller) => {
    return { moved: await files.move(caller.user_id, body.file_ids, body.parent_folder) }
  })

  api.handle(endpoints.printGCodeFile, async ({ params, body }, caller, exchange) => {
    const file = await getVisible(caller, params.id)
    const printer = await findVisiblePrinter(db, caller.user_id, body.printer_id)
    if (printer === undefined) throw new ApiError('not_found')
    const viewer = viewerOf(caller, exchange.origin, media)
    const outcome = await printing.print(file, printer, by(caller), viewer.mediaUrl)
    const updated = (await findVisiblePrinter(db, caller.user_id, printer.id)) ?? printer
    return { ...outcome, printer: printerView(await facts.ofPrinter(updated), viewer, clock.now()) }
  })
}

/** That a file is to be printed, and where; it may not be clear which printer is meant. */
interface PrintWish {
  readonly printer: PrinterRow | undefined
}

const by = ({ via }: Caller): { initiator: Initiator } => ({ initiator: via.type === 'session' ? 'web' : 'api' })

const notPrinted = (reason: string): ApiError => new ApiError('conflict', `Stored, but not printed. ${reason}`)
