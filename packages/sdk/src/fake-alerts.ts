import { MAX_EXAMPLES } from '@printwarden/protocol'
import { addExample, cameraCalibration, setAnswer } from './fake-alert-records.js'
import { pageOf } from './fake-api.js'
import { cameraOf } from './fake-cameras.js'
import { callerOf, type Handlers, visible } from './fake-handlers.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import type { FakeAlertRecord, FakeExampleRecord, FakeState } from './fake-state.js'

/** A zip file without entries. */
const EMPTY_ZIP = new Uint8Array([0x50, 0x4b, 5, 6, ...Array<number>(18).fill(0)])

/** Alerts and their answers, what the answers do, and labelled pictures. */
export function alertHandlers(state: FakeState): Handlers {
  type Call = Parameters<typeof callerOf>[0] & { readonly params: { readonly id: number } }

  /** What belongs to a print is gone with it. */
  const isThere = (print: number): boolean => state.prints.has(print)

  function find(call: Call): FakeAlertRecord {
    const record = visible(call, state.alerts.get(call.params.id))
    if (!isThere(record.alert.print)) throw new FakeRefusal('not_found')
    return record
  }

  const ownExamples = (call: Parameters<typeof callerOf>[0]): FakeExampleRecord[] =>
    [...state.examples.values()].filter(({ userId, example }) => userId === callerOf(call).id && isThere(example.print))

  /** Takes a labelled picture away, and with it the answer that it came from. */
  function forget({ example }: FakeExampleRecord): void {
    if (example.alert !== null) setAnswer(state, example.alert, { answer: null, by: null, source: 'alert' })
    state.examples.delete(example.id)
  }

  return {
    listPrintAlerts(call) {
      const { summary } = visible(call, state.prints.get(call.params.id))
      return [...state.alerts.values()].map(({ alert }) => alert).filter(({ print }) => print === summary.id)
    },
    getAlert: (call) => find(call).alert,
    answerAlert(call) {
      const { alert } = find(call)
      const before = alert.camera === null ? null : cameraCalibration(state, alert.camera.id).needed_score
      setAnswer(state, alert.id, { answer: call.body.answer, by: callerOf(call).email, source: 'alert' })
      const calibration = alert.camera === null ? null : cameraCalibration(state, alert.camera.id)
      return { alert: find(call).alert, calibration, needed_score_before: before }
    },

    getCalibration: (call) => cameraCalibration(state, cameraOf(state, call).camera.id),
    removeCalibrationAnswer(call) {
      const { camera } = cameraOf(state, call)
      const found = state.examples.get(call.params.answer_id)
      if (found === undefined || found.example.camera !== camera.id) throw new FakeRefusal('not_found')
      forget(found)
      return cameraCalibration(state, camera.id)
    },
    resetCalibration(call) {
      const { camera } = cameraOf(state, call)
      for (const record of state.examples.values()) {
        if (record.example.camera === camera.id) record.example = { ...record.example, is_calibrating: false }
      }
      return cameraCalibration(state, camera.id)
    },

    labelFrame(call) {
      const { summary, printerId, userId } = visible(call, state.prints.get(call.params.id))
      const { frame_ts, answer } = call.body
      const frame = state.scores.get(summary.id)?.find(({ ts }) => ts === frame_ts)
      if (frame === undefined) throw invalid('frame_ts', 'is no kept picture of this print')
      const camera = [...state.cameras.values()].find((one) => one.camera.printer_id === printerId)?.camera.id ?? null
      const place = { print: summary.id, printer: printerId, camera, alert: null }
      const said = { answer, source: 'frame', answered_by: callerOf(call).email } as const
      return addExample(state, userId, { ...place, frame_ts, score: frame.score, ...said })
    },
    listDetectionExamples(call) {
      const found = ownExamples(call).map(({ example }) => example)
      return pageOf(call, found.toReversed(), MAX_EXAMPLES)
    },
    deleteDetectionExample: (call) => forget(visible(call, state.examples.get(call.params.id))),
    exportDetectionExamples(call) {
      if (!callerOf(call).detection_export_consent) {
        throw new FakeRefusal('conflict', 'Exporting is off: turn on `detection_export_consent` first.')
      }
      call.reply.set('content-type', 'application/zip')
      call.reply.set('content-disposition', 'attachment; filename="examples.zip"')
      call.out.body = new Blob([EMPTY_ZIP])
    },
  }
}
