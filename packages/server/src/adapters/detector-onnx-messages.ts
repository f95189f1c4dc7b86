import type { DetectorErrorCode, Findings } from '../detection/detector.js'
import type { LookOptions } from '../detection/cameras/look-options.js'

/** What the worker is started with. */
export interface DetectorWorkerData {
  readonly modelPath: string
}

/** The main thread's messages to the worker. */
export type ToDetectorWorker =
  | {
      readonly type: 'detect'
      readonly id: number
      readonly picture: Uint8Array
      readonly options: LookOptions
    }
  | { readonly type: 'stop' }

/** The worker's messages to the main thread. */
export type FromDetectorWorker =
  | { readonly type: 'loaded'; readonly model: string }
  /** The model cannot be used, now or after another start. */
  | { readonly type: 'unusable'; readonly detail: string }
  | { readonly type: 'found'; readonly id: number; readonly findings: Findings }
  | { readonly type: 'failed'; readonly id: number; readonly code: DetectorErrorCode; readonly detail: string }
