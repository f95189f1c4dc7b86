import { endpoints } from '@printwarden/protocol'
import type { z } from 'zod'
import { ApiError } from '../errors.js'
import type { Api, Caller, Exchange, Reader } from '../http/api.js'
import type { Clock, Database } from '../ports.js'
import type { FactsFlow } from '../printers/facts-flow.js'
import { findVisiblePrinter } from '../printers/store.js'
import { printerView } from '../printers/view.js'
import { type MediaUrls, viewerOf } from '../prints/view.js'
import type { FileChanges, FileFlow } from './file-flow.js'
import { countFiles, findVisibleFile, type GCodeFileRow, listFiles } from './file-store.js'
import { savedFileView } from './flat-view.js'
import { readGCodeForm } from './form-flow.js'
import { folderIdOf, requiredText } from './input.js'
import { fileSelectionOf, fileSortingOf } from './listing.js'
import { pageHeaders, pageOf } from './paging.js'
import type { PrintFlow } from './print-flow.js'
import type { ShowFlow } from './show-flow.js'
import type { NewFile, UploadFlow } from './upload-flow.js'

export interface FileRoutesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly media: MediaUrls
  readonly facts: FactsFlow
  readonly files: FileFlow
  readonly uploads: UploadFlow
  readonly printing: PrintFlow
  readonly show: ShowFlow
}

const MAX_FORM_NAME = 64 * 1024

type ListQuery = z.output<NonNullable<typeof endpoints.listGCodeFiles.query>>

/** The endpoints of G-code files (specification, section 4.4). */
export function gCodeFileRoutes(api: Api, deps: FileRoutesDeps): void {
  const { database, clock, media, facts, files, uploads, printing, show } = deps
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

  api.handle(endpoints.uploadGCodeFile, async ({ body }, { user_id }, exchange) => {
    const file = await (body === undefined
      ? keepForm(user_id, exchange)
      : uploads.keep(user_id, undefined, { filename: body.filename, parent_folder_id: body.parent_folder ?? null }))
    return savedFileView(file, media.urls(exchange.origin))
  })

  async function keepForm(userId: number, { request }: Exchange): Promise<GCodeFileRow> {
    const { fields, file } = await readGCodeForm(request, uploads, userId, ['filename', 'parent_folder'])
    const wanted = await wantedOf(fields).catch(async (error: unknown) => {
      if (file !== undefined) await uploads.discard(file.bytes)
      throw error
    })
    return uploads.keep(userId, file?.bytes, wanted)
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
    const initiator = caller.via.type === 'session' ? 'web' : 'api'
    const outcome = await printing.print(file, printer, initiator, viewer.mediaUrl)
    const updated = (await findVisiblePrinter(db, caller.user_id, printer.id)) ?? printer
    return { ...outcome, printer: printerView(await facts.ofPrinter(updated), viewer, clock.now()) }
  })
}

async function wantedOf(fields: ReadonlyMap<string, string>): Promise<NewFile> {
  return {
    filename: requiredText(fields, 'filename', MAX_FORM_NAME),
    parent_folder_id: folderIdOf(fields.get('parent_folder')),
  }
}
