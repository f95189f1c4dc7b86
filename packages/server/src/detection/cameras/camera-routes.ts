import { type Camera, type CameraChanges, endpoints } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Api, Caller, Exchange } from '../../http/api.js'
import type { Database, LiveStore } from '../../ports.js'
import { type MediaUrls, viewerOf } from '../../prints/view.js'
import { cameraPicKey, picKey } from '../../printers/live-keys.js'
import { readLivePic } from '../../printers/live-view.js'
import { findVisiblePrinter } from '../../printers/store.js'
import { changesTheView, settingsOf, withSettings } from './camera-settings.js'
import { type CameraRow, listCameras } from './cameras-store.js'
import type { ContextFlow } from '../context/context-flow.js'
import type { HomeFlow } from '../home-flow.js'
import { findVisibleCamera, updateCamera } from '../context/context-store.js'

export interface CameraRoutesDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly media: MediaUrls
  readonly contexts: Pick<ContextFlow, 'learnedOf'>
  readonly detection: Pick<HomeFlow, 'cameraChanged' | 'forget'>
}

/** How each camera of a printer is looked at, and what was learned of it. */
export function cameraRoutes(api: Api, { database, live, media, contexts, detection }: CameraRoutesDeps): void {
  const { db } = database

  async function getVisible(caller: Caller, printerId: number, cameraId: number): Promise<CameraRow> {
    const camera = await findVisibleCamera(db, caller.user_id, printerId, cameraId)
    if (camera === undefined) throw new ApiError('not_found')
    return camera
  }

  async function view(camera: CameraRow, caller: Caller, { origin }: Exchange): Promise<Camera> {
    const { mediaUrl } = viewerOf(caller, origin, media)
    const key = camera.is_primary === 1 ? picKey(camera.printer_id) : cameraPicKey(camera.id)
    const pic = readLivePic(await live.get(key))
    return {
      id: camera.id,
      printer_id: camera.printer_id,
      name: camera.name,
      is_primary: camera.is_primary === 1,
      detection_enabled: camera.detection_enabled === 1,
      settings: settingsOf(camera.settings),
      pic: pic === undefined ? null : { img_url: mediaUrl(pic.key), raw_url: mediaUrl(pic.raw_key), ts: pic.ts },
    }
  }

  api.handle(endpoints.listCameras, async ({ params }, caller, exchange) => {
    const printer = await findVisiblePrinter(db, caller.user_id, params.id)
    if (printer === undefined) throw new ApiError('not_found')
    const cameras = await listCameras(db, printer.id)
    return Promise.all(cameras.map((camera) => view(camera, caller, exchange)))
  })

  async function change(camera: CameraRow, { detection_enabled, settings }: CameraChanges): Promise<CameraRow> {
    const before = settingsOf(camera.settings)
    const after = withSettings(before, settings ?? {})
    const updated = await updateCamera(db, camera.id, {
      settings: JSON.stringify(after),
      ...(detection_enabled === undefined ? {} : { detection_enabled: detection_enabled ? 1 : 0 }),
    })
    if (updated === undefined) throw new ApiError('not_found')
    detection.cameraChanged(updated)
    if (changesTheView(before, after)) await detection.forget(camera)
    return updated
  }

  api.handle(endpoints.updateCamera, async ({ params, body }, caller, exchange) => {
    const camera = await getVisible(caller, params.id, params.camera_id)
    return view(await change(camera, body), caller, exchange)
  })

  api.handle(endpoints.updateCameras, async ({ params, body }, caller, exchange) => {
    const printer = await findVisiblePrinter(db, caller.user_id, params.id)
    if (printer === undefined) throw new ApiError('not_found')
    const changed: CameraRow[] = []
    for (const camera of await listCameras(db, printer.id)) changed.push(await change(camera, body))
    return Promise.all(changed.map((camera) => view(camera, caller, exchange)))
  })

  api.handle(endpoints.getCameraLearned, async ({ params }, caller) => {
    const camera = await getVisible(caller, params.id, params.camera_id)
    return contexts.learnedOf(camera.id)
  })

  api.handle(endpoints.forgetBaseline, async ({ params }, caller) => {
    const camera = await getVisible(caller, params.id, params.camera_id)
    await detection.forget(camera)
    return contexts.learnedOf(camera.id)
  })
}
