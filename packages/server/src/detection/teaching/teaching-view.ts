import { AlertOverwrite, type Calibration, type DetectionExample, ExampleSource } from '@printwarden/protocol'
import { instantView } from '../../prints/view.js'
import { calibrationSteps, type CalibrationExample, MAX_OFFSET, neededScore } from './calibration.js'
import type { ExampleRow } from './examples-store.js'

/** The cut of the model itself, which people are told about. */
export const USUAL_SCORE = 0.5

/** Labelled pictures as the calibration reads them. */
export function calibrationExamples(rows: readonly ExampleRow[]): CalibrationExample[] {
  return rows.map(({ score, answer }) => ({ score, answer: AlertOverwrite.parse(answer) }))
}

/** A labelled picture as its user sees it. */
export function exampleView(row: ExampleRow, mediaUrl: (key: string) => string): DetectionExample {
  return {
    id: row.id,
    print: row.print_id,
    printer: row.printer_id,
    camera: row.camera_id,
    alert: row.alert_id,
    frame_ts: row.frame_at / 1000,
    image_url: mediaUrl(row.image_key),
    score: row.score,
    answer: AlertOverwrite.parse(row.answer),
    source: ExampleSource.parse(row.source),
    answered_by: row.answered_by,
    created_at: instantView(row.created_at),
    is_calibrating: row.is_calibrating === 1,
  }
}

/** What the answers make of a camera's scores. */
export function calibrationView(
  cameraId: number,
  rows: readonly ExampleRow[],
  mediaUrl: (key: string) => string,
): Calibration {
  const steps = calibrationSteps(calibrationExamples(rows))
  const offset = steps.reduce((sum, step) => sum + step, 0)
  return {
    camera_id: cameraId,
    offset,
    max_offset: MAX_OFFSET,
    needed_score: neededScore(USUAL_SCORE, offset),
    usual_score: USUAL_SCORE,
    text: calibrationText(offset, rows.length),
    answers: rows.map((row, index) => ({ ...exampleView(row, mediaUrl), step: steps[index] ?? 0 })),
  }
}

/** The calibration in words. */
export function calibrationText(offset: number, answers: number): string {
  if (answers === 0) return 'Scores of this camera count as the model gives them.'
  const needed = neededScore(USUAL_SCORE, offset).toFixed(2)
  const usual = USUAL_SCORE.toFixed(2)
  const because = answers === 1 ? 'Because of one answer' : `Because of ${answers} answers`
  if (needed === usual) return `${because}, alerts on this camera need a score of ${usual}, as without them.`
  return `${because}, alerts on this camera need a score of ${needed} instead of ${usual}.`
}
