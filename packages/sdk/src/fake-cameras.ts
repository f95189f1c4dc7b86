import { currentPrint } from './fake-agent.js'
import { camerasOf, NOTHING_LEARNED } from './fake-camera-records.js'
import { type callerOf, given, type Handlers, visible } from './fake-handlers.js'
import { FAKE_MODEL } from './fake-model.js'
import { FakeRefusal } from './fake-refusal.js'
import { type FakeCameraRecord, type FakeState, tell } from './fake-state.js'

type CameraCall = Parameters<typeof callerOf>[0] & {
  readonly params: { readonly id: number; readonly camera_id: number }
}

/** A camera of the caller's, on the printer that the path names. */
export function cameraOf(state: FakeState, call: CameraCall): FakeCameraRecord {
  const record = visible(call, state.cameras.get(call.params.camera_id))
  if (record.camera.printer_id !== call.params.id) throw new FakeRefusal('not_found')
  return record
}

/** Cameras: settings, what was learned, the self-test. */
export function cameraHandlers(state: FakeState): Handlers {
  return {
    listCameras(call) {
      const { id } = visible(call, state.printers.get(call.params.id))
      return camerasOf(state, id).map(({ camera }) => camera)
    },
    updateCamera(call) {
      const record = cameraOf(state, call)
      const { camera } = record
      const { detection_enabled = camera.detection_enabled, settings = {} } = call.body
      const isRecropped = settings.bed_crop !== undefined && !isSame(settings.bed_crop, camera.settings.bed_crop)
      if (isRecropped) record.learned = NOTHING_LEARNED
      record.camera = { ...camera, detection_enabled, settings: { ...camera.settings, ...given(settings) } }
      tell(state, { type: 'changed' })
      return record.camera
    },
    updateCameras(call) {
      const { id } = visible(call, state.printers.get(call.params.id))
      const { detection_enabled, settings = {} } = call.body
      for (const record of camerasOf(state, id)) {
        const { camera } = record
        record.camera = {
          ...camera,
          detection_enabled: detection_enabled ?? camera.detection_enabled,
          settings: { ...camera.settings, ...given(settings) },
        }
      }
      tell(state, { type: 'changed' })
      return camerasOf(state, id).map(({ camera }) => camera)
    },
    getCameraLearned: (call) => cameraOf(state, call).learned,
    forgetBaseline(call) {
      const record = cameraOf(state, call)
      record.learned = NOTHING_LEARNED
      return record.learned
    },
    predictPrint(call) {
      const printer = visible(call, state.printers.get(call.params.id))
      if (currentPrint(state, printer) === undefined) throw new FakeRefusal('not_found')
      const means = { ewm_mean: 0.1, rolling_mean_short: 0.1, rolling_mean_long: 0.1 }
      const temporal_stats = { ...means, prediction_num: 1, prediction_num_lifetime: 1 }
      return { result: { p: 0.1, temporal_stats, detections: [] } }
    },
    runSelfTest(call) {
      const printer = visible(call, state.printers.get(call.params.id))
      const all = camerasOf(state, printer.id)
      const wanted = call.query.camera_id
      const record = wanted === undefined ? all[0] : all.find(({ camera }) => camera.id === wanted)
      if (record === undefined && wanted !== undefined) throw new FakeRefusal('not_found')
      if (record === undefined) throw new FakeRefusal('conflict', 'The printer has no camera yet.')
      const passed = { passed: true, score: 0.93, threshold: 0.5, took_ms: 42, model: FAKE_MODEL, error: null }
      record.selfTest = { at: state.now(), ...passed }
      tell(state, { type: 'changed' })
      return record.selfTest
    },
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
