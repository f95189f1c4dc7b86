import type {
  Command,
  GCodeFileFlat,
  GCodeFolderFlat,
  PrinterChanges,
  PrinterEvent,
  PrinterStatus,
  PrintShotFeedback,
  PrintSummary,
  Scope,
  User,
} from '@printwarden/protocol'

/** An access token and what it is good for. */
export interface FakeToken {
  readonly userId: number
  readonly scopes: readonly Scope[]
  state: 'good' | 'expired' | 'revoked'
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
  readonly tokens: Map<string, FakeToken>
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
