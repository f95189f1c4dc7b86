import type {
  Alert,
  Backtest,
  Camera,
  CameraLearned,
  Command,
  DetectionExample,
  GCodeFileFlat,
  GCodeFolderFlat,
  PrinterChanges,
  PrinterEvent,
  PrinterStatus,
  PrintShotFeedback,
  PrintSummary,
  Scope,
  SecurityEvent,
  SelfTest,
  User,
} from '@printwarden/protocol'

/** An access token and what it is good for. */
export interface FakeToken {
  readonly userId: number
  readonly scopes: readonly Scope[]
  state: 'good' | 'expired' | 'revoked'
  /** Whether it stands for a signed-in browser. */
  readonly isSession?: boolean
}

/** An access token as it is listed. */
export interface FakeAccessToken extends FakeToken {
  readonly id: number
  readonly name: string | null
  readonly createdAt: string
  readonly expiresAt: string | null
  /** The connection of the app that holds it; null for a personal token or a session. */
  readonly connectionId: number | null
}

/** An app that may act for a user. */
export interface FakeConnection {
  readonly id: number
  readonly userId: number
  readonly clientId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly connectedAt: string
}

/** A camera, and what is known of it. */
export interface FakeCameraRecord {
  readonly userId: number
  camera: Camera
  learned: CameraLearned
  selfTest: SelfTest | null
  lastFrameAt: string | null
}

/** An alert or an example with whose it is. */
export interface FakeAlertRecord {
  readonly userId: number
  alert: Alert
}
export interface FakeExampleRecord {
  readonly userId: number
  example: DetectionExample
}

/** A score that was kept of a print: Unix seconds, and the score and the gauge, 0 to 1. */
export interface FakeScore {
  readonly ts: number
  readonly score: number
  readonly normalized_p: number
}

/** Everything that can be set on a printer. */
export type FakePrinterSettings = { [Key in keyof PrinterChanges]-?: Exclude<PrinterChanges[Key], undefined> }

/** A printer as the fake keeps it; how it looks to somebody is in fake-views.ts. */
export interface FakePrinterRecord {
  readonly id: number
  readonly userId: number
  readonly createdAt: string
  settings: FakePrinterSettings
  authToken: string
  archivedAt: string | null
  isConnected: boolean
  status: PrinterStatus | null
  normalizedP: number
  currentPrintId: number | null
}

/** A print as the fake keeps it. */
export interface FakePrintRecord {
  readonly printerId: number
  readonly userId: number
  summary: PrintSummary
}

/** A stored file with its bytes. */
export interface FakeFileRecord {
  readonly userId: number
  flat: GCodeFileFlat
  readonly bytes: Uint8Array | undefined
}

/** A folder; its counts are made when it is shown. */
export interface FakeFolderRecord {
  readonly userId: number
  flat: GCodeFolderFlat
}

/** Everything the fake holds. */
export interface FakeState {
  readonly users: Map<number, User>
  readonly tokens: Map<string, FakeAccessToken>
  /** Since when accounts are disabled. */
  readonly disabledAt: Map<number, string>
  readonly passwords: Map<number, string>
  /** AI credits a month, of accounts that have a limit. */
  readonly aiQuotas: Map<number, number>
  readonly connections: Map<number, FakeConnection>
  readonly securityEvents: { readonly userId: number; readonly event: SecurityEvent }[]
  readonly cameras: Map<number, FakeCameraRecord>
  readonly alerts: Map<number, FakeAlertRecord>
  readonly examples: Map<number, FakeExampleRecord>
  /** Scores of prints, oldest first. */
  readonly scores: Map<number, FakeScore[]>
  readonly backtests: Map<number, { readonly userId: number; readonly backtest: Backtest }>
  /** Pictures and videos by their path below `/media/`. */
  readonly media: Map<string, Blob>
  readonly tickets: Map<string, FakeToken>
  readonly printers: Map<number, FakePrinterRecord>
  readonly prints: Map<number, FakePrintRecord>
  readonly commands: Map<string, Command>
  readonly events: PrinterEvent[]
  readonly shots: Map<number, PrintShotFeedback>
  readonly files: Map<number, FakeFileRecord>
  readonly folders: Map<number, FakeFolderRecord>
  readonly shares: Map<number, { id: number; printer_id: number; share_token: string }>
  /** A number that was not used before. */
  nextId(): number
  /** Now, in ISO 8601. */
  now(): string
  /** Hears of everything that live subscribers are told. */
  readonly listeners: Set<FakeListener>
}

/** What live subscribers are told. `changed` means: look at the printers again. */
export type FakeNotice =
  | { readonly type: 'changed' }
  | { readonly type: 'command'; readonly command: Command }
  | { readonly type: 'event'; readonly event: PrinterEvent }
  | { readonly type: 'revoked' }

export type FakeListener = (notice: FakeNotice) => void

/** A fake that holds nothing yet. */
export function emptyState(clock: () => number): FakeState {
  let last = 0
  return {
    users: new Map(),
    tokens: new Map(),
    disabledAt: new Map(),
    passwords: new Map(),
    aiQuotas: new Map(),
    connections: new Map(),
    securityEvents: [],
    cameras: new Map(),
    alerts: new Map(),
    examples: new Map(),
    scores: new Map(),
    backtests: new Map(),
    media: new Map(),
    tickets: new Map(),
    printers: new Map(),
    prints: new Map(),
    commands: new Map(),
    events: [],
    shots: new Map(),
    files: new Map(),
    folders: new Map(),
    shares: new Map(),
    nextId: () => (last += 1),
    now: () => new Date(clock()).toISOString(),
    listeners: new Set(),
  }
}

export function tell(state: FakeState, notice: FakeNotice): void {
  for (const listener of [...state.listeners]) listener(notice)
}

/** Random hexadecimal digits, for tokens that look like tokens. */
export function hex(digits: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(Math.ceil(digits / 2)))
  return [...bytes]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(0, digits)
}
