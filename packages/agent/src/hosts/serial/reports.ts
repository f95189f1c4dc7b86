/** What a heater reports, in °C; `target` is null where only a sensor is. */
export interface HeaterReading {
  readonly actual: number
  readonly target: number | null
}

/** Heaters by the names of the wire: `tool0`, `tool1`, `bed`, `chamber`. */
export type HeaterReadings = Readonly<Record<string, HeaterReading>>

/** The newest readings over those before. While it waits for a temperature, a firmware leaves out the target. */
export function mergeReadings(before: HeaterReadings, now: HeaterReadings): HeaterReadings {
  const withTargets = Object.entries(now).map(([name, { actual, target }]) => {
    return [name, { actual, target: target ?? before[name]?.target ?? null }] as const
  })
  return { ...before, ...Object.fromEntries(withTargets) }
}

/** Where the firmware says the head is, in mm. */
export interface ReportedPosition {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly e: number
}

/** One line of the firmware, told apart by what it means to a host. */
export type FirmwareLine =
  | { readonly type: 'ok'; readonly temperatures?: HeaterReadings; readonly position?: ReportedPosition }
  | { readonly type: 'resend'; readonly number: number }
  /** A long command still runs. `forUser`: it waits for somebody at the printer. */
  | { readonly type: 'busy'; readonly forUser: boolean }
  | { readonly type: 'wait' }
  /** The first word after a reset. */
  | { readonly type: 'start' }
  | { readonly type: 'temperatures'; readonly temperatures: HeaterReadings }
  | { readonly type: 'position'; readonly position: ReportedPosition }
  | { readonly type: 'sd_progress'; readonly byte: number; readonly size: number }
  | { readonly type: 'sd_idle' }
  | { readonly type: 'sd_done' }
  /** A line of the list of files: the name by which the printer opens it. */
  | { readonly type: 'sd_entry'; readonly name: string; readonly size: number | null }
  | { readonly type: 'sd_file'; readonly name: string; readonly size?: number }
  | { readonly type: 'capability'; readonly name: string; readonly enabled: boolean }
  | { readonly type: 'firmware'; readonly name: string }
  | { readonly type: 'unknown_command'; readonly command: string }
  /** A request to the host, such as `pause` or `prompt_begin`. */
  | { readonly type: 'action'; readonly action: string; readonly text: string }
  | { readonly type: 'error'; readonly text: string; readonly fatal: boolean }
  | { readonly type: 'other' }

type Reader = (text: string) => FirmwareLine | undefined

/** After these the firmware does nothing more until it is reset. */
const FATAL =
  /kill\(\) called|printer halted|system stopped|thermal runaway|heating failed|(MIN|MAX)TEMP|EMERGENCY SHUTDOWN|lost communication with mcu/i
const NUMBER = String.raw`-?\d+(?:\.\d+)?`
const HEATER = new RegExp(String.raw`(^|\s)(T\d*|B|C):\s*(${NUMBER})(?:\s*/\s*(${NUMBER}))?`, 'g')
const POSITION = new RegExp(`^X:\\s*(${NUMBER})\\s*Y:\\s*(${NUMBER})\\s*Z:\\s*(${NUMBER})(?:\\s*E:\\s*(${NUMBER}))?`)

/** Reads one line as it came; noise in it is dropped, and a line that means nothing to us is `other`. */
export function readFirmwareLine(raw: string): FirmwareLine {
  // oxlint-disable-next-line no-control-regex
  const text = raw.replace(/[^\x20-\x7e]/g, '').trim()
  for (const reader of READERS) {
    const line = reader(text)
    if (line) return line
  }
  return { type: 'other' }
}

const READERS: readonly Reader[] = [
  readOk,
  (text) => (text === 'wait' ? { type: 'wait' } : undefined),
  (text) => (text === 'start' ? { type: 'start' } : undefined),
  readTemperatures,
  readPosition,
  readResend,
  readBusy,
  readAction,
  readSd,
  readEntry,
  readCapability,
  readUnknownCommand,
  readError,
]

/** `ok`, also with what the command asked for behind it, or with the numbers of an advanced `ok`. */
function readOk(text: string): FirmwareLine | undefined {
  if (!/^ok(?![a-z0-9])/i.test(text)) return undefined
  const rest = text.slice(2).trim()
  const temperatures = heatersOf(rest)
  if (temperatures) return { type: 'ok', temperatures }
  const position = positionOf(rest)
  return position ? { type: 'ok', position } : { type: 'ok' }
}

function readTemperatures(text: string): FirmwareLine | undefined {
  const temperatures = heatersOf(text)
  return temperatures && { type: 'temperatures', temperatures }
}

function readPosition(text: string): FirmwareLine | undefined {
  const position = positionOf(text)
  return position && { type: 'position', position }
}

function readResend(text: string): FirmwareLine | undefined {
  const match = /^(?:resend|rs)\s*:?\s*N?:?\s*(\d{1,9})\b/i.exec(text)
  return match ? { type: 'resend', number: Number(match[1]) } : undefined
}

function readBusy(text: string): FirmwareLine | undefined {
  const match = /^(?:echo:\s*)?busy:?\s*(.*)$/i.exec(text)
  return match ? { type: 'busy', forUser: /paused for (user|input)/i.test(match[1] ?? '') } : undefined
}

function readAction(text: string): FirmwareLine | undefined {
  const match = /^\/\/\s*action:\s*(\w+)\s*(.*)$/i.exec(text)
  return match ? { type: 'action', action: match[1]?.toLowerCase() ?? '', text: match[2] ?? '' } : undefined
}

function readSd(text: string): FirmwareLine | undefined {
  const progress = /^SD printing byte (\d+)\/(\d+)/i.exec(text)
  if (progress) return { type: 'sd_progress', byte: Number(progress[1]), size: Number(progress[2]) }
  if (/^Not SD printing/i.test(text)) return { type: 'sd_idle' }
  if (/^Done printing file/i.test(text)) return { type: 'sd_done' }
  const opened = /^(?:echo:\s*)?File opened:\s*(.+?)\s+Size:\s*(\d+)/i.exec(text)
  if (opened) return { type: 'sd_file', name: opened[1] ?? '', size: Number(opened[2]) }
  const current = /^Current file:\s*(.+)$/i.exec(text)
  if (!current || /\(no file\)/i.test(text)) return undefined
  // The short name comes first, the long one behind it.
  return { type: 'sd_file', name: (current[1] ?? '').replace(/^\S+\s+(?=\S)/, '') }
}

/** `FOLDER/NAME~1.GCO 1234 a long name.gcode`: only the short name opens a file everywhere. */
function readEntry(text: string): FirmwareLine | undefined {
  const match = /^(\/?[^\s:]+\.(?:g|gco|gcode))(?:\s+(\d{1,12}))?(?:\s.*)?$/i.exec(text)
  if (!match) return undefined
  return { type: 'sd_entry', name: match[1] ?? '', size: match[2] === undefined ? null : Number(match[2]) }
}

function readCapability(text: string): FirmwareLine | undefined {
  const capability = /^Cap:\s*(\w+)\s*:\s*([01])/i.exec(text)
  if (capability)
    return { type: 'capability', name: capability[1]?.toUpperCase() ?? '', enabled: capability[2] === '1' }
  const firmware = /^FIRMWARE_NAME:\s*(.+?)(?:\s+(?:SOURCE_CODE_URL|PROTOCOL_VERSION|FIRMWARE_URL):.*)?$/i.exec(text)
  return firmware ? { type: 'firmware', name: firmware[1] ?? '' } : undefined
}

function readUnknownCommand(text: string): FirmwareLine | undefined {
  const match = /^(?:echo:|error:)?\s*Unknown command:?\s*"?([^"]*)"?/i.exec(text)
  return match ? { type: 'unknown_command', command: (match[1] ?? '').trim() } : undefined
}

function readError(text: string): FirmwareLine | undefined {
  const match = /^(?:error:|(fatal:)|(!!))\s*(.*)$/i.exec(text)
  if (match) {
    const [, fatal, halted, rest = ''] = match
    return { type: 'error', text: rest, fatal: fatal !== undefined || halted !== undefined || FATAL.test(rest) }
  }
  const echoed = /^echo:\s*(.*EMERGENCY SHUTDOWN.*)$/i.exec(text)
  return echoed ? { type: 'error', text: echoed[1] ?? '', fatal: true } : undefined
}

/** The heaters of a line that begins with one. `T:` alone is the tool in use: with several tools it only repeats one. */
function heatersOf(text: string): HeaterReadings | undefined {
  if (!/^(?:T\d*|B|C):/.test(text)) return undefined
  const readings: Record<string, HeaterReading> = {}
  for (const [, , name = '', actual, target] of text.matchAll(HEATER)) {
    readings[nameOfHeater(name)] ??= { actual: Number(actual), target: target === undefined ? null : Number(target) }
  }
  const { tool, ...others } = readings
  if (tool === undefined) return others
  return Object.keys(others).some((name) => name.startsWith('tool')) ? others : { tool0: tool, ...others }
}

function nameOfHeater(letter: string): string {
  if (letter === 'B') return 'bed'
  if (letter === 'C') return 'chamber'
  return `tool${letter.slice(1)}`
}

function positionOf(text: string): ReportedPosition | undefined {
  const match = POSITION.exec(text)
  if (!match) return undefined
  return { x: Number(match[1]), y: Number(match[2]), z: Number(match[3]), e: Number(match[4] ?? 0) }
}
