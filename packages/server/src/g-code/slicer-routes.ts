import { endpoints } from '@printwarden/protocol'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import type { Api, Caller, Exchange } from '../http/api.js'
import type { PrinterRow } from '../printers/store.js'
import type { MediaUrls } from '../prints/view.js'
import { VERSION } from '../version.js'
import { type GCodeForm, readGCodeForm } from './form-flow.js'
import { checkedName, issue } from './input.js'
import { checkFileName } from './names.js'
import type { SlicerFlow } from './slicer-flow.js'
import { folderNamesOf, SLICER_FIELDS, wantsPrint } from './slicer-input.js'
import {
  slicerJobView,
  slicerPrinterView,
  slicerProfilesView,
  slicerUploadView,
  slicerVersionView,
} from './slicer-view.js'
import type { NewFile, UploadFlow } from './upload-flow.js'

export interface SlicerRoutesDeps {
  readonly media: MediaUrls
  readonly slicers: SlicerFlow
  readonly uploads: UploadFlow
}

/** Every path has a second form below a printer's address. */
const Address = z.object({ printer: z.string().optional() })

const printerIn = ({ request }: Exchange): string | undefined => Address.parse(request.params).printer

/** The endpoints that slicers know from OctoPrint. */
export function slicerRoutes(api: Api, { media, slicers, uploads }: SlicerRoutesDeps): void {
  const meant = ({ user_id }: Caller, exchange: Exchange): Promise<PrinterRow | undefined> =>
    slicers.findMeant(user_id, printerIn(exchange))

  // A printer that does not exist is found out by the slicer's test, not by the first upload.
  api.handle(endpoints.getSlicerVersion, async (_input, caller, exchange) => {
    await meant(caller, exchange)
    return slicerVersionView(VERSION)
  })

  api.handle(endpoints.getSlicerSettings, async (_input, caller, exchange) => {
    await meant(caller, exchange)
    return { feature: { sdSupport: false }, webcam: {}, plugins: {} }
  })

  api.handle(endpoints.getSlicerPrinter, async (_input, caller, exchange) => {
    const printer = await meant(caller, exchange)
    const status = printer === undefined ? null : await slicers.statusOf(printer)
    if (status === null) throw new ApiError('conflict', 'The printer is offline, or it is not clear which is meant.')
    return slicerPrinterView(status)
  })

  api.handle(endpoints.getSlicerJob, async (_input, caller, exchange) => {
    const printer = await meant(caller, exchange)
    return slicerJobView(printer === undefined ? null : await slicers.statusOf(printer))
  })

  api.handle(endpoints.listSlicerProfiles, async (_input, caller, exchange) =>
    slicerProfilesView(await meant(caller, exchange)),
  )

  api.handle(endpoints.uploadFromSlicer, async (_input, caller, exchange) =>
    take(await meant(caller, exchange), caller, exchange),
  )

  api.handle(endpoints.uploadFromSlicerToPrinter, async ({ params }, caller, exchange) =>
    take(await slicers.getPrinter(caller.user_id, params.printer), caller, exchange),
  )

  async function take(printer: PrinterRow | undefined, { user_id }: Caller, exchange: Exchange) {
    const { fields, file } = await readGCodeForm(exchange.request, uploads, user_id, SLICER_FIELDS)
    if (file === undefined) throw issue('file', 'is required')
    const wanted = await wantedOf(user_id, fields, file).catch(async (error: unknown) => {
      await uploads.discard(file.bytes)
      throw error
    })
    const stored = await uploads.keep(user_id, file.bytes, wanted)
    const mediaUrl = media.urls(exchange.origin)
    if (wanted.isPrinted) await slicers.print(user_id, stored, printer, mediaUrl)
    const resource = `${exchange.origin}/api/v1/g_code_files/${stored.id}/`
    const download = stored.blob_key === null ? resource : mediaUrl(stored.blob_key, stored.filename)
    exchange.reply.header('location', resource)
    return slicerUploadView({ filename: stored.filename, path: wanted.path, resource, download }, wanted.isPrinted)
  }

  /** What the form asks for. The name is looked at first, so that a file that is refused leaves no folder behind. */
  async function wantedOf(
    userId: number,
    fields: ReadonlyMap<string, string>,
    file: NonNullable<GCodeForm['file']>,
  ): Promise<NewFile & { path: string; isPrinted: boolean }> {
    const isPrinted = wantsPrint(fields)
    const filename = checkedName(file.name, checkFileName, 'file name')
    if (file.bytes.num_bytes === 0) throw issue('file', 'must not be empty')
    const path = fields.get('path') ?? ''
    const parent_folder_id = await slicers.folderAt(userId, path)
    return { filename, parent_folder_id, path: folderNamesOf(path).join('/'), isPrinted }
  }
}
