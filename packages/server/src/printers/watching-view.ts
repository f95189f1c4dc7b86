import { type CameraWatching, NOT_WATCHING_ADVICE, NOT_WATCHING_REASONS, type Watching } from '@printwarden/protocol'
import { instantView } from '../prints/view.js'
import type { CameraWatch, SelfTestState, WatchState } from './watch-state.js'
import { cameraCode, notWatchingCode, WATCHED_WITHIN_MS, type WatchingFacts } from './watching.js'

/** Facts for the proof of watching; of the print its id matters, if it is known. */
export type WatchingViewFacts = WatchingFacts & { readonly watch: WatchState | null; readonly printId: number | null }

/** The proof of watching as its user sees it. */
export function watchingView(facts: WatchingViewFacts, now: number): Watching {
  const code = notWatchingCode(facts, now)
  const cameras = (facts.watch?.cameras ?? []).map((camera) => cameraWatchingView(camera, facts, now))
  const [last] = [...(facts.watch?.cameras ?? [])].sort((a, b) => (b.analysed_at ?? 0) - (a.analysed_at ?? 0))
  const isFresh = last?.analysed_at != null && now - last.analysed_at <= WATCHED_WITHIN_MS
  const isOfThisPrint = last !== undefined && facts.printId !== null && last.print_id === facts.printId
  return {
    is_watching: code === null && isFresh && isOfThisPrint,
    advice: code === null ? null : NOT_WATCHING_ADVICE[code],
    ...factsOf(last, facts.printId),
    cameras,
  }
}

/** One camera. While nothing is watched, what is wrong with it is told all the same when it cannot see. */
export function cameraWatchingView(camera: CameraWatch, facts: WatchingViewFacts, now: number): CameraWatching {
  const printerCode = notWatchingCode({ ...facts, watch: null, pic: { ts: now / 1000 } }, now)
  const code = !camera.detection_enabled
    ? null
    : printerCode === null
      ? cameraCode(camera, facts.print?.started_at, now)
      : camera.quality.problem
  return {
    camera_id: camera.camera_id,
    name: camera.name,
    is_primary: camera.is_primary,
    detection_enabled: camera.detection_enabled,
    not_watching_code: code,
    not_watching_reason: code === null ? null : NOT_WATCHING_REASONS[code],
    ...factsOf(camera, facts.printId),
  }
}

function factsOf(camera: CameraWatch | undefined, printId: number | null) {
  return {
    last_frame_at: instantView(camera?.frame_at ?? null),
    last_analysed_at: instantView(camera?.analysed_at ?? null),
    last_score: camera?.score ?? null,
    model: camera?.model ?? null,
    frames_analysed: camera !== undefined && camera.print_id === printId ? camera.frames : 0,
    self_test: camera?.self_test == null ? null : selfTestView(camera.self_test),
  }
}

export function selfTestView({ at, ...test }: SelfTestState) {
  return { at: new Date(at).toISOString(), ...test }
}
