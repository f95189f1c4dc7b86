import { AlertOverwrite, type PrintShotAnswer } from '@printwarden/protocol'
import type { Kysely } from 'kysely'
import { pictureLibrary } from '../../picture-library.js'
import { acknowledge, hasStandingAlert } from '../../printers/alert-actions.js'
import { type PrinterNotice, printerSubject } from '../../printers/notices.js'
import type { FeedbackRow } from '../../prints/feedback-store.js'
import { findPrint, type PrintRow, updatePrint } from '../../prints/store.js'
import type { BlobStore, Bus, Clock, Database, Log } from '../../ports.js'
import type { Tables } from '../../tables.js'
import { storedDetections } from '../alerts/alert-view.js'
import { type AlertRow, findAlertOfPrint, setAlertAnswer } from '../alerts/alerts-store.js'
import { offsetOf } from './calibration.js'
import {
  deleteExample,
  type ExampleRow,
  findExampleOf,
  isKeyShared,
  listCalibratingExamples,
  type NewExample,
  putExample,
  setCalibrationOffset,
  stopCalibrating,
} from './examples-store.js'
import type { DetectionFlow } from '../flow.js'
import { inShares } from './labels.js'
import { findPrediction } from '../store.js'
import { calibrationExamples } from './teaching-view.js'

export interface TeachingFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'get' | 'remove'>
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly detection: Pick<DetectionFlow, 'warmUp' | 'corrected'>
}

/** Where an answer came from, and from whom. */
export interface Answering {
  readonly source: 'alert' | 'overwrite' | 'resume' | 'cancel' | 'shot' | 'frame'
  /** The user's or the app's name. */
  readonly by: string | null
}

export type TeachingFlow = ReturnType<typeof teachingFlow>

/** What answers of people do: each is kept as a labelled picture, and moves its camera's scores at once. */
export function teachingFlow({ database, blobs, bus, clock, log, detection }: TeachingFlowDeps) {
  const { db } = database

  const tell = (printerId: number, notice: PrinterNotice): void => bus.publish(printerSubject(printerId), notice)

  /** Works out a camera's calibration from the answers that are there now. */
  async function calibrate(trx: Kysely<Tables>, cameraId: number | null): Promise<void> {
    if (cameraId === null) return
    const examples = await listCalibratingExamples(trx, cameraId)
    await setCalibrationOffset(trx, cameraId, offsetOf(calibrationExamples(examples)))
  }

  /** Answers an alert, or takes the answer back. The print says the same, when it is about its last alert. */
  async function answerAlert(alert: AlertRow, answer: AlertOverwrite | null, answering: Answering): Promise<void> {
    const example = answer === null ? undefined : await exampleOfAlert(alert, answer, answering)
    const wasStanding = await database.transaction(async (trx) => {
      await setAlertExample(trx, alert, answer, example, answering.by)
      const print = await findPrint(trx, alert.print_id)
      if (print === undefined || (await findAlertOfPrint(trx, print))?.id !== alert.id) return false
      const changes = answer === null ? { alert_overwrite: null } : acknowledge(print, answer, clock.now())
      await updatePrint(trx, print.id, changes ?? {})
      return answer !== null && hasStandingAlert(print)
    })
    if (wasStanding) detection.warmUp(alert.printer_id)
    detection.corrected(alert.printer_id, alert.id, answer)
    tell(alert.printer_id, { type: 'row' })
  }

  async function setAlertExample(
    trx: Kysely<Tables>,
    alert: AlertRow,
    answer: AlertOverwrite | null,
    example: NewExample | undefined,
    by: string | null,
  ): Promise<void> {
    const answered =
      answer === null ? { answered_at: null, answered_by: null } : { answered_at: clock.now(), answered_by: by }
    await setAlertAnswer(trx, alert.id, { answer, ...answered })
    const before = await findExampleOf(trx, 'alert_id', alert.id)
    if (before !== undefined) await deleteExample(trx, before.id)
    if (example !== undefined) await putExample(trx, example)
    await calibrate(trx, alert.camera_id)
  }

  async function exampleOfAlert(
    alert: AlertRow,
    answer: AlertOverwrite,
    answering: Answering,
  ): Promise<NewExample | undefined> {
    const image_key = alert.raw_key ?? alert.image_key
    if (image_key === null) return undefined
    const { user_id, printer_id, print_id, camera_id, frame_at, score } = alert
    return {
      ...{ user_id, printer_id, print_id, camera_id, frame_at, score, image_key, answer },
      alert_id: alert.id,
      shot_id: null,
      detections: await detectionsInShares(image_key, alert.detections),
      ...kept(answering),
    }
  }

  const kept = ({ source, by }: Answering) => ({ source, answered_by: by, is_calibrating: 1, created_at: clock.now() })

  /** What was found, in shares of the picture; nothing when its size cannot be read. */
  async function detectionsInShares(key: string, detections: string): Promise<string> {
    const sharp = await pictureLibrary()
    try {
      const blob = await blobs.get(key)
      if (blob === undefined) return '[]'
      const { autoOrient } = await sharp(blob.bytes).metadata()
      return JSON.stringify(inShares(storedDetections(detections), autoOrient.width, autoOrient.height))
    } catch (err) {
      log.warn({ err, key }, 'the size of a labelled picture could not be read')
      return '[]'
    }
  }

  /** What was said about a print as a whole is said about its last alert. */
  async function answerPrint(printId: number, answer: AlertOverwrite | null, answering: Answering): Promise<void> {
    const print = await findPrint(db, printId)
    const alert = print && (await findAlertOfPrint(db, print))
    if (alert === undefined || alert.answer === answer) return
    const example = answer === null ? undefined : await exampleOfAlert(alert, answer, answering)
    await database.transaction((trx) => setAlertExample(trx, alert, answer, example, answering.by))
    detection.corrected(alert.printer_id, alert.id, answer)
  }

  /** An answer about a shot; one without a yes or no is none. */
  async function answerShot(shot: FeedbackRow, answer: PrintShotAnswer | null, by: string | null): Promise<void> {
    const { print_id, frame_at, camera_id } = shot
    const print = await findPrint(db, print_id)
    if (print === undefined || frame_at === null) return
    const says = answer === 'LOOKS_BAD' ? 'FAILED' : answer === 'LOOKS_OK' ? 'NOT_FAILED' : undefined
    const prediction = await findPrediction(db, print_id, frame_at)
    const example = says && {
      ...{ user_id: print.user_id, printer_id: print.printer_id, print_id, camera_id, frame_at, answer: says },
      alert_id: null,
      shot_id: shot.id,
      image_key: shot.image_key,
      // The shot is a turned copy, on which the boxes have no place.
      detections: '[]',
      score: prediction?.score ?? Math.min(1, prediction?.current_p ?? 0.5),
      ...kept({ source: 'shot', by }),
    }
    await database.transaction(async (trx) => {
      const before = await findExampleOf(trx, 'shot_id', shot.id)
      if (before !== undefined) await deleteExample(trx, before.id)
      if (example !== undefined) await putExample(trx, example)
      await calibrate(trx, camera_id)
    })
  }

  /** Labels a kept picture of a print, such as a failure that nobody noticed. */
  async function label(
    print: PrintRow,
    picture: Pick<ExampleRow, 'camera_id' | 'frame_at' | 'image_key' | 'detections' | 'score'>,
    answer: AlertOverwrite,
    by: string | null,
  ): Promise<ExampleRow> {
    const owner = { user_id: print.user_id, printer_id: print.printer_id, print_id: print.id }
    return database.transaction(async (trx) => {
      const row = { ...owner, ...picture, answer, alert_id: null, shot_id: null, ...kept({ source: 'frame', by }) }
      const example = await putExample(trx, row)
      await calibrate(trx, picture.camera_id)
      return example
    })
  }

  /** Forgets an answer, and undoes what it did. The alert that it was about has none then. */
  async function forget(example: ExampleRow): Promise<void> {
    await database.transaction(async (trx) => {
      await deleteExample(trx, example.id)
      await calibrate(trx, example.camera_id)
      if (example.alert_id === null) return
      await setAlertAnswer(trx, example.alert_id, { answer: null, answered_at: null, answered_by: null })
      const print = await findPrint(trx, example.print_id)
      const last = print && (await findAlertOfPrint(trx, print))
      if (last?.id === example.alert_id) await updatePrint(trx, example.print_id, { alert_overwrite: null })
    })
    if (example.alert_id !== null) detection.corrected(example.printer_id, example.alert_id, null)
    const isItsOwn = example.image_key.startsWith(`prints/${example.print_id}/examples/`)
    if (isItsOwn && !(await isKeyShared(db, example.image_key, example.id))) await blobs.remove(example.image_key)
    tell(example.printer_id, { type: 'row' })
  }

  /** Lets a camera's scores count as the model gives them. */
  async function reset(cameraId: number): Promise<void> {
    await database.transaction(async (trx) => {
      await stopCalibrating(trx, cameraId)
      await setCalibrationOffset(trx, cameraId, 0)
    })
  }

  return { answerAlert, answerPrint, answerShot, label, forget, reset }
}
