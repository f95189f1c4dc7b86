import type { Insertable, Kysely } from 'kysely'
import type { BlobStore, Database, Log } from '../../ports.js'
import { setCommandAlert } from '../../printers/commands-store.js'
import type { AlertsTable, Tables } from '../../tables.js'
import { type AlertRow, insertAlert, listScoresSince } from './alerts-store.js'
import { type Decided, evidenceOf, HISTORY_MS } from './evidence.js'
import { type Frame, type FrameContext, keptDetections } from '../frame.js'
import { PICTURE_ENDINGS, pictureType } from '../picture-type.js'
import type { PredictionsFlow } from '../predictions-flow.js'
import type { SmoothingState } from '../smoothing/smoothing-state.js'
import { insertStart } from '../starts-store.js'

export interface EvidenceFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'put'>
  readonly log: Log
  readonly predictions: Pick<PredictionsFlow, 'flush'>
}

/** What is known of an alert besides the frame. */
export type AlertDone = Pick<Insertable<AlertsTable>, 'outcome' | 'image_key' | 'created_at'> & {
  readonly command_id: string | null
}

export type EvidenceFlow = ReturnType<typeof evidenceFlow>

/** Keeps what alerts were judged by. Prints have few, so that reading and writing here costs the common frame nothing. */
export function evidenceFlow({ database, blobs, log, predictions }: EvidenceFlowDeps) {
  const { db } = database

  /** The row of an alert about this frame, whose picture is kept as it came. */
  async function alertOf(
    frame: Frame,
    context: FrameContext,
    decided: Decided,
    done: AlertDone,
  ): Promise<Insertable<AlertsTable>> {
    const { print } = context
    const cameraId = frame.camera.is_primary === 1 ? null : frame.camera.id
    await predictions.flush()
    const rows = await listScoresSince(db, print.id, cameraId, frame.frame_at - HISTORY_MS)
    const history = rows.map(({ frame_at, score, current_p, normalized_p }) => {
      return { ts: frame_at / 1000, score: score ?? current_p, normalized_p }
    })
    return {
      ...done,
      user_id: print.user_id,
      printer_id: print.printer_id,
      print_id: print.id,
      camera_id: frame.camera.id,
      frame_at: frame.frame_at,
      score: decided.findings.score,
      normalized_p: decided.state.normalized_p,
      raw_key: await keepRaw(print.id, frame),
      detections: JSON.stringify(keptDetections(decided.findings.detections)),
      evidence: JSON.stringify(evidenceOf(frame, context, decided, history)),
      answer: null,
      answered_at: null,
      answered_by: null,
    }
  }

  /** The picture without boxes; null when it cannot be kept, for the alert matters more. */
  async function keepRaw(printId: number, frame: Frame): Promise<string | null> {
    const type = pictureType(frame.bytes) ?? 'image/jpeg'
    const key = `prints/${printId}/alerts/${frame.frame_at}-${frame.camera.id}-raw.${PICTURE_ENDINGS[type]}`
    try {
      await blobs.put(key, frame.bytes, type)
      return key
    } catch (err) {
      log.error({ err, print_id: printId }, 'the picture of an alert could not be kept')
      return null
    }
  }

  /** Writes the alert, in the transaction that tells of it. */
  async function keep(trx: Kysely<Tables>, row: Insertable<AlertsTable>): Promise<AlertRow> {
    const alert = await insertAlert(trx, row)
    if (alert.command_id !== null) await setCommandAlert(trx, alert.command_id, alert.id)
    return alert
  }

  /** Notes how the camera was before the first frame of a print: a replay of it begins there. */
  async function keepStart({ camera }: Frame, printId: number, state: SmoothingState): Promise<void> {
    const camera_id = camera.is_primary === 1 ? 0 : camera.id
    await insertStart(db, { print_id: printId, camera_id, state: JSON.stringify(state) }).catch((err: unknown) => {
      log.warn({ err, print_id: printId }, 'how a print began could not be kept')
    })
  }

  return { alertOf, keep, keepStart }
}
