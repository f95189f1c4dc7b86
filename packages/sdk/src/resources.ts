import type { components } from './schema.js'

type Schemas = components['schemas']

/** A heater or sensor, in °C. `target` is null or absent where there is nothing to heat. */
export interface Temperature {
  readonly actual?: number | null | undefined
  readonly target?: number | null | undefined
  readonly offset?: number | undefined
}

/** The booleans that belong to a state. The last four may be absent, which means false. */
export interface StateFlags {
  readonly operational: boolean
  readonly printing: boolean
  readonly cancelling: boolean
  readonly pausing: boolean
  readonly resuming: boolean
  readonly finishing: boolean
  readonly paused: boolean
  readonly closedOrError?: boolean | undefined
  readonly error?: boolean | undefined
  readonly ready?: boolean | undefined
  readonly sdReady?: boolean | undefined
}

/** What a printer is doing, in one word. Newer agents may report words that are not listed. */
export type StateText =
  | 'Operational'
  | 'G-Code Downloading'
  | 'Printing'
  | 'Pausing'
  | 'Paused'
  | 'Cancelling'
  | 'Offline'
  | (string & {})

/** The loaded job. Times are estimates in seconds, null when there is none. */
export interface Job {
  readonly file: {
    readonly name: string
    readonly path: string
    readonly display: string
    readonly origin?: string | undefined
    /** In bytes. */
    readonly size?: number | undefined
    /** In Unix seconds. */
    readonly date?: number | undefined
  }
  readonly estimatedPrintTime?: number | null | undefined
  readonly averagePrintTime?: number | null | undefined
  readonly lastPrintTime?: number | null | undefined
  readonly filament?: FilamentUse | undefined
  readonly user?: string | undefined
}

/** Filament that a job takes: length in mm, volume in cm³. */
export interface FilamentUse {
  readonly tool0?: { readonly length?: number | undefined; readonly volume?: number | undefined } | undefined
}

/** How far a print is. */
export interface Progress {
  /** In percent, 0–100. */
  readonly completion?: number | null | undefined
  /** In bytes from the start of the file. */
  readonly filepos?: number | null | undefined
  /** Since the start, in seconds. */
  readonly printTime?: number | null | undefined
  /** Estimated, in seconds. */
  readonly printTimeLeft?: number | null | undefined
  readonly printTimeLeftOrigin?: string | null | undefined
}

/** The heaters and sensors of a printer. */
export interface Temperatures {
  readonly tool0?: Temperature | undefined
  readonly bed?: Temperature | undefined
  readonly chamber?: Temperature | undefined
}

/** What the host knows about the file being printed. */
export interface FileMetadata {
  readonly hash?: string | undefined
  readonly service?: { readonly totalLayerCount?: number | null | undefined } | undefined
}

/** The last report of a printer's agent. Every part but the time and the state may be absent; values may be null without a job. */
export interface PrinterStatus {
  /** When it was collected, in Unix seconds by the agent's clock. */
  readonly _ts: number
  readonly state: {
    readonly text: StateText
    readonly flags: StateFlags
    /** What the host says is wrong, in its own words. */
    readonly error?: string | undefined
  }
  /** The present layer, counted from 1. */
  readonly currentLayerHeight?: number | undefined
  /** Height of the nozzle, in mm. */
  readonly currentZ?: number | undefined
  /** A factor: 1 is the speed of the file. */
  readonly currentFeedRate?: number | undefined
  /** A factor: 1 is the flow of the file. */
  readonly currentFlowRate?: number | undefined
  /** From 0, off, to 1, full speed. */
  readonly currentFanSpeed?: number | undefined
  readonly job?: Job | undefined
  readonly progress?: Progress | undefined
  readonly temperatures?: Temperatures | undefined
  readonly file_metadata?: FileMetadata | undefined
  /** Lines that the firmware asked for again, since the host connected. */
  readonly resends?: { readonly count?: number | undefined } | undefined
  /** What stands on the printer's display, where the host tells. */
  readonly display_status?: { readonly message?: string | null | undefined } | undefined
  /** `picture`: nothing but a camera tells of this printer, so it cannot be controlled. */
  readonly watched_by?: 'picture' | undefined
  /** The objects of the running print, where its file tells them apart. */
  readonly objects?: readonly { readonly name: string; readonly excluded: boolean }[] | undefined
  /** The question that the printer asks now. */
  readonly prompt?: { readonly id: string; readonly text: string; readonly choices: readonly string[] } | undefined
}

/**
 * A printer. `status` is its agent's last report, null when the printer is offline. `normalized_p` is the failure gauge from 0 to
 * 1: up to a third all is well, up to two thirds something looks odd, above that the print is probably failing.
 * `not_watching_reason` and `not_watching_code` say why its pictures are not checked; both are null while they are.
 */
export type Printer = Omit<Schemas['Printer'], 'status'> & { status: PrinterStatus | null }

/** A printer as a part of a {@link Print}: without what changes by the second. */
export type PrinterSummary = Schemas['PrinterSummary']

/** The newest picture: `img_url` as shown (with boxes round what was found), `raw_url` without boxes, `ts` in Unix seconds. */
export type Pic = Schemas['Pic']

/** A print: one run of a file on a printer. Instants are ISO 8601 in UTC, `print_time` is in seconds, `filament_used` in mm. */
export type Print = Schemas['Print']

/** A print as a part of a {@link Printer}: without the printer. */
export type PrintSummary = Schemas['PrintSummary']

/** How far the time-lapse of a print is: `progress` from 0 to 1, `reason` when there is none. */
export type Timelapse = Schemas['Timelapse']

/** One frame of a print's predictions. `fields.normalized_p` is the gauge (0–1), `frame_ts` is in Unix seconds. */
export type PredictionFrame = Schemas['PredictionFrame']

/** A camera of a printer, and how it is looked at. */
export type Camera = Schemas['Camera']

/** What is known of one camera: its newest picture, its newest analysis, and whether it can see. */
export type CameraWatching = Schemas['CameraWatching']

/** In what a printer's agent departs from the protocol, what the server made of it, and how often. */
export type Deviation = Schemas['Deviation']

/** A known picture of a failure was sent the way of a camera's pictures. */
export type SelfTest = Schemas['SelfTest']

/** Proof of watching. */
export type Watching = Schemas['Watching']

/** How a camera's pictures are looked at, and what of it counts. */
export type CameraSettings = Schemas['CameraSettings']

/** What was learned of a camera. */
export type CameraLearned = Schemas['CameraLearned']

/** One time that detection told of a failure, with what it was judged by. */
export type Alert = Schemas['Alert']

/** An alert after its answer, and what the answer changed. */
export type AnsweredAlert = Schemas['AnsweredAlert']

/** What a user's answers make of one camera's scores. */
export type Calibration = Schemas['Calibration']

/** A picture of which a person has said whether it shows a failure. */
export type DetectionExample = Schemas['DetectionExample']

/** A picture that is kept of a print. */
export type PrintFrame = Schemas['PrintFrame']

/** A past print judged again, with which settings, and what came of it. */
export type Backtest = Schemas['Backtest']
export type BacktestSettings = Schemas['BacktestSettings']
export type BacktestResult = Schemas['BacktestResult']

/** Something that happened on a printer. One of type `FAILURE_ALERTED` is a failure alert, with its picture in `image_url`. */
export type PrinterEvent = Schemas['PrinterEvent']

/** A command on its way: `sent` to the agent, `acked` by it, `done` once the printer's state shows it; or `failed` or `timed_out`. */
export type Command = Schemas['Command']

/**
 * The answer to an action. `succeeded` says that the command was handed to the printer's agent, not that the printer obeyed:
 * follow `command_id` with `getCommand` or the live subscription for that.
 */
export type ActionResult = Omit<Schemas['ActionResult'], 'printer'> & { printer: Printer }

/** The answer to printing a stored file: an {@link ActionResult}, and in `reason` why it did not succeed. */
export type PrintFileResult = Refined<Schemas['PrintFileResult']>

/** Statistics of prints, by period. */
export type PrintStats = Schemas['PrintStats']

/** A picture of a print about which its user is asked whether it shows a failure. */
export type PrintShotFeedback = Schemas['PrintShotFeedback']

/** A stored G-code file with its folder and the prints that were made of it. `url` is signed: it works without a token, for a while. */
export type GCodeFile = Schemas['GCodeFile']

/** A G-code file as the answer to an upload or a change: its folder is an id. */
export type GCodeFileSaved = Schemas['GCodeFileSaved']

/** A folder of G-code files, with its parent. */
export type GCodeFolder = Schemas['GCodeFolder']

/** One channel by which the user is notified. */
export type NotificationSetting = Schemas['NotificationSetting']

/** A phone or tablet that is notified. */
export type MobileDevice = Schemas['MobileDevice']

/** A printer that strangers may look at. */
export type SharedResource = Schemas['SharedResource']

/** A conversation with the assistant, as the client keeps it on the server: `messages` is JSON text of its own. */
export type Chat = Schemas['Chat']

/** One turn of a conversation: who says what. */
export type ChatTurn = Schemas['ChatTurn']

/** What the assistant says, with what it looked at, pictures, and what it proposes to do. */
export type AssistantMessage = Schemas['AssistantMessage']

/** Something of the user's own that the assistant looked at, in words. */
export type AssistantLook = Schemas['AssistantLook']

/** A picture of the user's own that belongs to an answer. */
export type AssistantPicture = Schemas['AssistantPicture']

/** An action that the assistant proposes. Nothing happens before the user confirms it, signed in. */
export type ActionProposal = Schemas['ActionProposal']

/** Why a print failed, as far as a model can tell: `answer` cites `moments` by their numbers, as `[3]`. */
export type PostMortem = Schemas['PostMortem']

/** A user's AI credits. A monthly quota of −1 is unlimited. */
export type AiCredits = Schemas['AiCredits']

/** The signed-in user. */
export type User = Schemas['User']

/** A type of the document with its printers replaced by {@link Printer}, whose `status` is typed. */
export type Refined<T> = T extends Schemas['Printer']
  ? Printer
  : T extends readonly (infer Item)[]
    ? Refined<Item>[]
    : T extends { printer: Schemas['Printer'] | null }
      ? Omit<T, 'printer'> & { printer: Refined<T['printer']> }
      : T
