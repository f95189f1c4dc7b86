// The package's entry, and the only place where it re-exports.
export type { AssistantEvent, PostMortemEvent } from './answer-stream.js'
export { type Client, type ClientOptions, createClient } from './client.js'
export type { WaitOptions, WaitTarget } from './command-waiter.js'
export type { Download, DownloadOptions } from './download.js'
export {
  ApiError,
  type ApiErrorCode,
  type ApiErrorFields,
  CommandError,
  type CommandErrorCode,
  type Issue,
  NetworkError,
} from './errors.js'
export type { LiveTimelapse } from './live-messages.js'
export type { LiveOptions, LiveStatus, LiveSubscription } from './live.js'
export { type LiveMessage, mergeLive, readLiveMessage } from './live-messages.js'
export type { Iterators, Methods } from './methods.js'
export type { TransferProgress, UploadFile } from './multipart.js'
export type { CallOptions, Input, Output, UploadOptions } from './operation.js'
export type { Item } from './paging.js'
export type {
  ActionProposal,
  ActionResult,
  AiCredits,
  AssistantLook,
  AssistantMessage,
  AssistantPicture,
  Chat,
  ChatTurn,
  PostMortem,
  Camera,
  CameraWatching,
  SelfTest,
  Watching,
  CameraLearned,
  Alert,
  AnsweredAlert,
  Backtest,
  BacktestResult,
  BacktestSettings,
  Calibration,
  DetectionExample,
  PrintFrame,
  CameraSettings,
  Command,
  Deviation,
  FilamentUse,
  FileMetadata,
  GCodeFile,
  GCodeFileSaved,
  GCodeFolder,
  Job,
  MobileDevice,
  NotificationSetting,
  Pic,
  PredictionFrame,
  Timelapse,
  Print,
  PrintFileResult,
  Printer,
  PrinterEvent,
  PrinterStatus,
  PrinterSummary,
  PrintShotFeedback,
  PrintStats,
  PrintSummary,
  Progress,
  SharedResource,
  StateFlags,
  StateText,
  Temperature,
  Temperatures,
  User,
} from './resources.js'
export type { RetryOptions } from './retry.js'
export type { TokenSource } from './token-source.js'
