import { Alert, AlertEvidence, AlertOutcome, AlertOverwrite, Detection } from '@printwarden/protocol'
import { z } from 'zod'
import { instantView } from '../../prints/view.js'
import type { AlertRecord } from './alerts-store.js'
import { explanationOf } from './evidence.js'

const Detections = z.array(Detection)
const StoredAnswer = AlertOverwrite.nullable()

/** Reads a JSON list of detections that we once wrote. */
export function storedDetections(text: string): Detection[] {
  return Detections.parse(JSON.parse(text))
}

/** An alert as its user sees it. */
export function alertView(alert: AlertRecord, mediaUrl: (key: string) => string): Alert {
  const evidence = AlertEvidence.parse(JSON.parse(alert.evidence))
  const outcome = AlertOutcome.parse(alert.outcome)
  const url = (key: string | null) => (key === null ? null : mediaUrl(key))
  return {
    id: alert.id,
    print: alert.print_id,
    printer: alert.printer_id,
    camera: alert.camera_id === null ? null : { id: alert.camera_id, name: alert.camera_name ?? '' },
    created_at: instantView(alert.created_at),
    frame_ts: alert.frame_at / 1000,
    outcome,
    explanation: explanationOf(evidence, outcome),
    image_url: url(alert.image_key),
    raw_url: url(alert.raw_key),
    detections: storedDetections(alert.detections),
    evidence,
    command_id: alert.command_id,
    answer: StoredAnswer.parse(alert.answer),
    answered_at: instantView(alert.answered_at),
    answered_by: alert.answered_by,
    example_id: alert.example_id,
  }
}
