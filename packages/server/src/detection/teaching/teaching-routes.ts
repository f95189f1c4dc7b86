import { endpoints, MAX_EXAMPLES } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Api, Caller } from '../../http/api.js'
import { attachmentHeader } from '../../http/content-disposition.js'
import type { BlobStore, Database } from '../../ports.js'
import { actorOf } from '../../printers/actor-flow.js'
import { listHeaders } from '../../prints/links.js'
import { findVisiblePrint } from '../../prints/store.js'
import type { MediaUrls } from '../../prints/view.js'
import { findUser } from '../../users/store.js'
import type { CameraRow } from '../cameras/cameras-store.js'
import { findVisibleCamera } from '../context/context-store.js'
import { countExamples, findVisibleExample, listCalibratingExamples, listExamples } from './examples-store.js'
import type { ExportFlow } from './export-flow.js'
import type { FramesViewFlow } from '../past/frames-view-flow.js'
import type { TeachingFlow } from './teaching-flow.js'
import { calibrationView, exampleView } from './teaching-view.js'

export interface TeachingRoutesDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'get'>
  readonly media: MediaUrls
  readonly teaching: TeachingFlow
  readonly pictures: FramesViewFlow
  readonly exports: ExportFlow
}

/** What a camera was taught by its user's answers, labelled pictures, and the pictures that can be labelled. */
export function teachingRoutes(api: Api, { database, media, teaching, pictures, exports }: TeachingRoutesDeps): void {
  const { db } = database

  async function getCamera(caller: Caller, params: { id: number; camera_id: number }): Promise<CameraRow> {
    const camera = await findVisibleCamera(db, caller.user_id, params.id, params.camera_id)
    if (camera === undefined) throw new ApiError('not_found')
    return camera
  }

  async function getPrint(caller: Caller, id: number) {
    const print = await findVisiblePrint(db, caller.user_id, id)
    if (print === undefined) throw new ApiError('not_found')
    return print
  }

  async function calibrationOf({ id }: CameraRow, origin: string) {
    return calibrationView(id, await listCalibratingExamples(db, id), media.urls(origin))
  }

  api.handle(endpoints.getCalibration, async ({ params }, caller, { origin }) =>
    calibrationOf(await getCamera(caller, params), origin),
  )

  api.handle(endpoints.removeCalibrationAnswer, async ({ params }, caller, { origin }) => {
    const camera = await getCamera(caller, params)
    const example = await findVisibleExample(db, caller.user_id, params.answer_id)
    if (example === undefined || example.camera_id !== camera.id) throw new ApiError('not_found')
    await teaching.forget(example)
    return calibrationOf(camera, origin)
  })

  api.handle(endpoints.resetCalibration, async ({ params }, caller, { origin }) => {
    const camera = await getCamera(caller, params)
    await teaching.reset(camera.id)
    return calibrationOf(camera, origin)
  })

  api.handle(endpoints.listPrintFrames, async ({ params, query }, caller, { origin, reply }) => {
    const print = await getPrint(caller, params.id)
    const { total, frames } = await pictures.list(print, query)
    reply.header('x-total-count', total)
    const mediaUrl = media.urls(origin)
    return frames.map(({ key, ...frame }) => ({ ...frame, image_url: mediaUrl(key) }))
  })

  api.handle(endpoints.labelFrame, async ({ params, body }, caller, { origin }) => {
    const print = await getPrint(caller, params.id)
    const picture = await pictures.copyForLabel(print, Math.round(body.frame_ts * 1000), body.boxes)
    if (picture === undefined) throw new ApiError('not_found', 'No picture of this instant is kept.')
    const { initiator_name: by } = await actorOf(db, caller)
    return exampleView(await teaching.label(print, picture, body.answer, by), media.urls(origin))
  })

  api.handle(endpoints.listDetectionExamples, async ({ query }, caller, { request, reply, origin }) => {
    const page = { start: query.start ?? 0, limit: query.limit ?? MAX_EXAMPLES }
    const [examples, total] = await Promise.all([
      listExamples(db, caller.user_id, page),
      countExamples(db, caller.user_id),
    ])
    reply.headers(listHeaders(new URL(request.url, origin), { ...page, total }))
    const mediaUrl = media.urls(origin)
    return examples.map((example) => exampleView(example, mediaUrl))
  })

  api.handle(endpoints.deleteDetectionExample, async ({ params }, caller) => {
    const example = await findVisibleExample(db, caller.user_id, params.id)
    if (example === undefined) throw new ApiError('not_found')
    await teaching.forget(example)
  })

  api.handle(endpoints.exportDetectionExamples, async (_input, caller, { request, reply }) => {
    const user = await findUser(db, caller.user_id)
    if (user?.detection_export_consent !== 1) {
      throw new ApiError(
        'conflict',
        'Taking labelled pictures out is not allowed yet: turn on detection_export_consent.',
      )
    }
    reply.header('content-disposition', attachmentHeader('printwarden-examples.zip')).type('application/zip')
    // A HEAD asks only whether there is something to fetch.
    await reply.send(request.method === 'HEAD' ? '' : exports.open(caller.user_id))
  })
}
