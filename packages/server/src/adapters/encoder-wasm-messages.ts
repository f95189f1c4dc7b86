import type { VideoForm } from '../timelapse/encoder.js'

/** What the worker is started with. */
export interface EncoderWorkerData {
  readonly file: string
  readonly form: VideoForm
}

/** The main thread's messages to the worker; each is answered. */
export type ToEncoderWorker = { readonly type: 'frame'; readonly rgb: Uint8Array } | { readonly type: 'finish' }

/** The worker's answers. */
export type FromEncoderWorker = { readonly type: 'done' } | { readonly type: 'failed'; readonly detail: string }
