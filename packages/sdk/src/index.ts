// The package's entry, and the only place where it re-exports.
export { type Client, type ClientOptions, createClient } from './client.js'
export { ApiError, type ApiErrorCode, type ApiErrorFields, type Issue, NetworkError } from './errors.js'
export type { LiveOptions, LiveStatus, LiveSubscription } from './live.js'
export { type LiveMessage, mergeLive, readLiveMessage } from './live-messages.js'
export type { Methods } from './methods.js'
export type { CallOptions, Input, Output } from './operation.js'
export type {
  ActionResult,
  Command,
  FilamentUse,
  FileMetadata,
  Job,
  Pic,
  PredictionFrame,
  Print,
  Printer,
  PrinterEvent,
  PrinterStatus,
  PrinterSummary,
  PrintSummary,
  Progress,
  StateFlags,
  StateText,
  Temperature,
  Temperatures,
  User,
} from './resources.js'
