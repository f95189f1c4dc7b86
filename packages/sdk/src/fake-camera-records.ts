import { type Camera, type CameraLearned, type CameraWatching, DEFAULT_CAMERA_SETTINGS } from '@printwarden/protocol'
import { type FakeCameraRecord, type FakePrinterRecord, type FakeState, tell } from './fake-state.js'

/** Nothing was learned of the camera yet. */
export const NOTHING_LEARNED: CameraLearned = {
  baseline: { hours: 0, pending_hours: 0, map: [] },
  prototypes: { clean_hours: 0, failures: 0, not_failures: 0 },
  clean_bed: { taken_at: null, unused: null },
  bytes: 0,
}

/** The cameras of a printer, the primary one first. */
export function camerasOf(state: FakeState, printerId: number): FakeCameraRecord[] {
  const found = [...state.cameras.values()].filter(({ camera }) => camera.printer_id === printerId)
  return found.sort((a, b) => Number(b.camera.is_primary) - Number(a.camera.is_primary) || a.camera.id - b.camera.id)
}

/** The camera of that name, added when it is not there. The first one of a printer is its primary one. */
export function findOrAddCamera(state: FakeState, printer: FakePrinterRecord, name: string): FakeCameraRecord {
  const all = camerasOf(state, printer.id)
  const known = all.find(({ camera }) => camera.name === name)
  if (known !== undefined) return known
  const camera: Camera = {
    id: state.nextId(),
    printer_id: printer.id,
    name,
    is_primary: all.length === 0,
    detection_enabled: all.length === 0,
    settings: DEFAULT_CAMERA_SETTINGS,
    pic: null,
  }
  const record = { userId: printer.userId, camera, learned: NOTHING_LEARNED, selfTest: null, lastFrameAt: null }
  state.cameras.set(camera.id, record)
  tell(state, { type: 'changed' })
  return record
}

/** What is known of a camera. The fake analyses no picture. */
export function cameraWatching({ camera, selfTest, lastFrameAt }: FakeCameraRecord): CameraWatching {
  const { id, name, is_primary, detection_enabled } = camera
  const nothing = { not_watching_code: null, not_watching_reason: null, last_analysed_at: null, last_score: null }
  const common = { camera_id: id, name, is_primary, detection_enabled, last_frame_at: lastFrameAt }
  return { ...common, ...nothing, model: selfTest?.model ?? null, frames_analysed: 0, self_test: selfTest }
}
