import type { FileOrigin, PauseArgs, PrinterFile, PrinterStatus } from '@printwarden/protocol'
import type { Clock } from './time/clock.js'
import type { Log } from './log/log.js'

/** What any host reports about its printer, under the names of the wire. */
export type HostStatus = Pick<
  PrinterStatus,
  | 'state'
  | 'currentLayerHeight'
  | 'currentZ'
  | 'currentFeedRate'
  | 'currentFlowRate'
  | 'currentFanSpeed'
  | 'job'
  | 'progress'
  | 'temperatures'
  | 'offsets'
  | 'resends'
  | 'file_metadata'
  | 'objects'
  | 'prompt'
> & {
  /** What the printer's own display shows, where the host tells it. */
  readonly display_status?: { readonly message: string | null }
  /** Set by a host that knows its printer by pictures alone. */
  readonly watched_by?: 'picture'
}

/** What the printer does, finer than the state text: resuming and finishing have no text of their own. */
export type HostPhase = 'offline' | 'idle' | 'printing' | 'pausing' | 'paused' | 'resuming' | 'cancelling' | 'finishing'

/** How a print ended. */
export type PrintOutcome = 'done' | 'cancelled' | 'failed'

/** The printer at one moment, as its host sees it. */
export interface HostSnapshot {
  readonly phase: HostPhase
  readonly status: HostStatus
  /** How the last run of the loaded job ended, where an idle host still tells; else null. */
  readonly outcome: PrintOutcome | null
}

/**
 * Something a person should know that is no turn of a print: filament has to be changed, the printer asks a question, or it
 * has broken down. It becomes a line of the printer's history.
 */
export interface HostNotice {
  readonly about: 'filament_change' | 'question' | 'error'
  /** A few words. */
  readonly title: string
  /** What the printer or its host said, for people. */
  readonly text: string
}

/** What a host tells the agent without being asked. */
export type HostReport =
  | { readonly type: 'snapshot'; readonly snapshot: HostSnapshot }
  /** Something happened to the print. Every host tells these itself; snapshots only fill the gaps. */
  | { readonly type: 'print'; readonly event: 'started' | 'paused' | 'resumed' | PrintOutcome }
  /** To be told once for each time it happens. */
  | { readonly type: 'notice'; readonly notice: HostNotice }
  /** The host's temperature presets, for the settings section. */
  | { readonly type: 'profiles'; readonly profiles: Record<string, unknown>[] }
  /** The connection to the host is lost or could not be made; it is being tried again. */
  | { readonly type: 'unreachable'; readonly error: HostError; readonly retryInMs: number }

export type HostErrorCode = 'unreachable' | 'unauthorized' | 'rejected' | 'not_printing' | 'unsupported'

/**
 * A host did not do what it was asked to, or cannot be asked. The message of `unreachable` and `unauthorized` names the host
 * and, in brackets, the reason, so that it can follow "waiting for".
 */
export class HostError extends Error {
  override readonly name = 'HostError'
  constructor(
    readonly code: HostErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** A G-code file on the agent's disk, to be printed under `name`. */
export interface GCodeFile {
  readonly path: string
  readonly name: string
}

/** Where a host keeps what it must know after a restart of the agent. */
export interface HostMemory {
  load(): unknown
  save(value: unknown): void
}

/** A made-up printer's picture: how far the print is and how badly it goes, both from 0 to 1. */
export interface SceneView {
  readonly printing: boolean
  readonly progress: number
  readonly failure: number
  /** The progress at which the print began to go wrong. */
  readonly failedAt?: number
  readonly seed?: number
}

/**
 * The program or firmware that prints. It reports by itself and takes commands; a command resolves when the host has
 * accepted it, which is before the state has followed.
 *
 * @throws {HostError} from every command
 */
export interface PrinterHost {
  /** Pauses, then parks the print as `args` say; {@link resume} undoes the parking first. */
  pause(args: PauseArgs): Promise<void>
  resume(): Promise<void>
  cancel(): Promise<void>
  /** Hands the file to the host and starts to print it. Answers the path under which the host reports it. */
  print(file: GCodeFile): Promise<string>
  /** Lets the host connect to a printer that it has lost, or was never connected to. Absent where the host does that by itself. */
  connectPrinter?(): Promise<void>
  /** Stops everything at once, without regard to the print. Only hosts that can: the printer must be reset afterwards. */
  emergencyStop?(): Promise<void>
  /** Restarts the firmware of a printer that prints nothing; resolves when it is down. Only hosts that have a restart of their own. */
  restartFirmware?(): Promise<void>
  /** Leaves an object out of the running print, by its name in the status. */
  excludeObject?(name: string): Promise<void>
  /** Answers the question of this id in the status by the place of the choice. */
  answerPrompt?(promptId: string, choice: number): Promise<void>
  /** The files that the printer can print by itself. */
  listFiles?(): Promise<PrinterFile[]>
  /** Prints one of those files. */
  printOwn?(path: string, origin: FileOrigin): Promise<void>
  /** Only a host that knows its printer by pictures alone has one. */
  readonly watch?: PictureWatch
  /** Only a host without a real printer has one: what its camera would see. */
  scene?(): SceneView
  close(): Promise<void>
}

/** Says when a printer that has nothing but a camera is watched. */
export interface PictureWatch {
  /** Begins to watch a print, of which nothing is known but this name. One that is watched already ends. */
  start(name: string): Promise<void>
  stop(outcome: 'done' | 'cancelled'): Promise<void>
  /** Hands over the camera; called once, when it has been opened. `shoot` rejects when there is no picture. */
  useCamera(shoot: () => Promise<Uint8Array>): void
}

/** What the agent hands to a host when it opens it. */
export interface HostDeps {
  readonly report: (report: HostReport) => void
  readonly memory: HostMemory
  readonly clock: Clock
  readonly log: Log
}
