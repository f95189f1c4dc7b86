import { endpoints } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Api, Caller } from '../../http/api.js'
import type { Database } from '../../ports.js'
import { actorOf } from '../../printers/actor-flow.js'
import { findVisiblePrint } from '../../prints/store.js'
import type { MediaUrls } from '../../prints/view.js'
import { alertView } from './alert-view.js'
import { type AlertRecord, findVisibleAlert, listAlertsOfPrint } from './alerts-store.js'
import { neededScore } from '../teaching/calibration.js'
import { findVisibleCamera } from '../context/context-store.js'
import { listCalibratingExamples } from '../teaching/examples-store.js'
import type { TeachingFlow } from '../teaching/teaching-flow.js'
import { calibrationView, USUAL_SCORE } from '../teaching/teaching-view.js'

export interface AlertRoutesDeps {
  readonly database: Database
  readonly media: MediaUrls
  readonly teaching: Pick<TeachingFlow, 'answerAlert'>
}

/** Alerts with what they were judged by, and answers to them. */
export function alertRoutes(api: Api, { database, media, teaching }: AlertRoutesDeps): void {
  const { db } = database

  async function getVisible(caller: Caller, id: number): Promise<AlertRecord> {
    const alert = await findVisibleAlert(db, caller.user_id, id)
    if (alert === undefined) throw new ApiError('not_found')
    return alert
  }

  api.handle(endpoints.listPrintAlerts, async ({ params }, caller, { origin }) => {
    const print = await findVisiblePrint(db, caller.user_id, params.id)
    if (print === undefined) throw new ApiError('not_found')
    const mediaUrl = media.urls(origin)
    return (await listAlertsOfPrint(db, print.id)).map((alert) => alertView(alert, mediaUrl))
  })

  api.handle(endpoints.getAlert, async ({ params }, caller, { origin }) =>
    alertView(await getVisible(caller, params.id), media.urls(origin)),
  )

  api.handle(endpoints.answerAlert, async ({ params, body }, caller, { origin }) => {
    const alert = await getVisible(caller, params.id)
    const camera = await cameraOf(caller, alert)
    const { initiator_name: by } = await actorOf(db, caller)
    await teaching.answerAlert(alert, body.answer, { source: 'alert', by })
    const mediaUrl = media.urls(origin)
    const calibration =
      camera === undefined ? null : calibrationView(camera.id, await listCalibratingExamples(db, camera.id), mediaUrl)
    return {
      alert: alertView(await getVisible(caller, params.id), mediaUrl),
      calibration,
      needed_score_before: camera === undefined ? null : neededScore(USUAL_SCORE, camera.calibration_offset),
    }
  })

  async function cameraOf(caller: Caller, { printer_id, camera_id }: AlertRecord) {
    return camera_id === null ? undefined : findVisibleCamera(db, caller.user_id, printer_id, camera_id)
  }
}
