import type { Alert, AlertOverwrite, DetectionExample } from '@printwarden/protocol'
import { calibrationOf } from './fake-calibration.js'
import { camerasOf } from './fake-camera-records.js'
import { FAKE_MODEL } from './fake-model.js'
import type { FakeAlertRecord, FakePrinterRecord, FakePrintRecord, FakeState } from './fake-state.js'

/** Where the gauge warns, and where it fails. */
export const WARNING_AT = 1 / 3
export const FAILING_AT = 2 / 3

/** A picture of a print was looked at: its score, and what the gauge shows, are kept. */
export function keepScore(state: FakeState, print: FakePrintRecord, score: number, normalized_p: number): void {
  const kept = state.scores.get(print.summary.id) ?? []
  kept.push({ ts: Date.parse(state.now()) / 1000, score, normalized_p })
  state.scores.set(print.summary.id, kept)
}

/** Failure detection tells of a failure: the alert with what it was judged by. */
export function addAlert(state: FakeState, printer: FakePrinterRecord, print: FakePrintRecord, p: number): Alert {
  const camera = camerasOf(state, printer.id)[0]?.camera
  const level = p >= FAILING_AT ? 'failing' : 'warning'
  const sensitivity = printer.settings.detective_sensitivity
  const scores = { score: p, judged_score: p, mean: p, norm: 0.02, normalized_p: p }
  const id = state.nextId()
  const alert: Alert = {
    id,
    print: print.summary.id,
    printer: printer.id,
    camera: camera === undefined ? null : { id: camera.id, name: camera.name },
    created_at: state.now(),
    frame_ts: Date.parse(state.now()) / 1000,
    outcome: 'warning',
    explanation: `You were told. That puts the gauge at ${Math.round(p * 100)}%.`,
    image_url: null,
    raw_url: null,
    detections: [['failure', p, [320, 240, 80, 60]]],
    evidence: {
      rule: {
        smoothing: 'default',
        level,
        ...scores,
        sensitivity,
        calibration_offset: camera === undefined ? 0 : cameraCalibration(state, camera.id).offset,
        warning_at: WARNING_AT,
        failing_at: FAILING_AT,
      },
      parts: [],
      model: FAKE_MODEL,
      settings: { ...printer.settings },
      history: [...(state.scores.get(print.summary.id) ?? [])],
    },
    command_id: null,
    answer: null,
    answered_at: null,
    answered_by: null,
    example_id: null,
  }
  state.alerts.set(id, { userId: printer.userId, alert })
  return alert
}

/** The calibration of a camera by the answers that count now. */
export function cameraCalibration(state: FakeState, cameraId: number) {
  const examples = [...state.examples.values()].map(({ example }) => example)
  return calibrationOf(
    cameraId,
    examples.filter(({ camera, is_calibrating }) => camera === cameraId && is_calibrating),
  )
}

/** An answer of a person about a failure. */
export interface FakeAnswer {
  readonly answer: AlertOverwrite | null
  readonly by: string | null
  readonly source: DetectionExample['source']
}

/** Answers an alert, or takes the answer back; the print says the same when it is about its last alert. */
export function setAnswer(state: FakeState, alertId: number, said: FakeAnswer): void {
  const record = state.alerts.get(alertId)
  if (record === undefined) return
  answerRecord(state, record, said)
  const { print: printId, answer, answered_at } = record.alert
  const print = state.prints.get(printId)
  if (print === undefined || lastAlert(state, printId) !== record) return
  const acknowledged = print.summary.alert_acknowledged_at ?? answered_at
  print.summary = { ...print.summary, alert_overwrite: answer, alert_acknowledged_at: acknowledged }
}

/** What was said about a print as a whole is said about its last alert. */
export function answerPrint(state: FakeState, printId: number, said: FakeAnswer): void {
  const record = lastAlert(state, printId)
  if (record !== undefined && record.alert.answer !== said.answer) answerRecord(state, record, said)
}

const lastAlert = (state: FakeState, printId: number): FakeAlertRecord | undefined =>
  [...state.alerts.values()].findLast(({ alert }) => alert.print === printId)

function answerRecord(state: FakeState, record: FakeAlertRecord, { answer, by, source }: FakeAnswer): void {
  const { alert, userId } = record
  if (alert.example_id !== null) state.examples.delete(alert.example_id)
  const example =
    answer === null ? null : addExample(state, userId, { ...exampleOf(alert), answer, source, answered_by: by })
  const answered = answer === null ? { at: null, by: null } : { at: state.now(), by }
  const times = { answered_at: answered.at, answered_by: answered.by }
  record.alert = { ...alert, answer, ...times, example_id: example?.id ?? null }
}

const exampleOf = (alert: Alert) => ({
  print: alert.print,
  printer: alert.printer,
  camera: alert.camera?.id ?? null,
  alert: alert.id,
  frame_ts: alert.frame_ts,
  score: alert.evidence.rule.score,
})

/** Keeps a labelled picture. */
export function addExample(
  state: FakeState,
  userId: number,
  fresh: Omit<DetectionExample, 'id' | 'image_url' | 'created_at' | 'is_calibrating'>,
): DetectionExample {
  const id = state.nextId()
  const image_url = `/media/examples/${id}.jpg`
  const example: DetectionExample = { ...fresh, id, image_url, created_at: state.now(), is_calibrating: true }
  state.examples.set(id, { userId, example })
  return example
}
