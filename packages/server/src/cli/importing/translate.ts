import {
  AlertOverwrite,
  type ImportedPart,
  ImportRecord,
  MAX_PRINT_AMOUNT,
  NOTIFICATION_DEFAULTS,
  PrintShotAnswer,
} from '@printwarden/protocol'
import { ownAgentName } from '../../printers/existing-names.js'
import type { SourceFile, SourceFolder, SourcePrint, SourcePrinter, SourceSetting, SourceUser } from './shapes.js'

/** What another server says, as a record for this one; or why there can be none. */
export type Translated = { readonly record: ImportRecord } | { readonly reason: string }

const MAX_METADATA = 20_000

/** A text without what no text here may hold. */
const clean = (text: string | null | undefined, most: number): string =>
  (text ?? '').replaceAll('\0', '').slice(0, most)

/** The same; null for nothing. */
const orNull = (text: string | null | undefined, most: number): string | null => clean(text, most) || null

const named = (text: string | null | undefined, most: number, otherwise: string): string =>
  clean(text, most) || otherwise

function instant(text: string | null | undefined): string | null {
  const ms = text == null ? Number.NaN : Date.parse(text)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

const within = (value: number | null | undefined, otherwise: number, low: number, high: number): number =>
  Math.min(Math.max(value ?? otherwise, low), high)

const amount = (value: number | null | undefined): number | null =>
  value == null || value < 0 ? null : Math.min(value, MAX_PRINT_AMOUNT)

const whole = (value: number | null | undefined): number | null =>
  value == null || value < 0 || !Number.isSafeInteger(value) ? null : value

const idOf = (parent: number | { readonly id: number } | null | undefined): number | null =>
  parent == null ? null : typeof parent === 'number' ? parent : parent.id

function checked(record: ImportRecord): Translated {
  const { data, error } = ImportRecord.safeParse(record)
  if (data !== undefined) return { record: data }
  const words = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { reason: `what is said of it cannot be used: ${words.join('; ')}` }
}

function agentName(told: string | null | undefined): string | null {
  const name = orNull(told, 64)
  return name === null ? null : ownAgentName(name)
}

/** `keepsToken` false: its agent gets a new token here. */
export function printerRecord(printer: SourcePrinter, keepsToken: boolean, archivedAt?: string): Translated {
  return checked({
    kind: 'printer',
    source_id: printer.id,
    auth_token: keepsToken ? (printer.auth_token ?? null) : null,
    created_at: instant(printer.created_at) ?? new Date(0).toISOString(),
    archived_at: instant(printer.archived_at ?? archivedAt),
    agent_name: agentName(printer.agent_name),
    agent_version: orNull(printer.agent_version, 64),
    name: named(printer.name, 256, `Printer ${printer.id}`),
    // An unknown word would be guessed at: to alert is what every server does.
    action_on_failure:
      printer.action_on_failure === 'PAUSE' || printer.action_on_failure === 'CANCEL'
        ? printer.action_on_failure
        : 'NONE',
    watching_enabled: printer.watching_enabled ?? true,
    tools_off_on_pause: printer.tools_off_on_pause ?? true,
    bed_off_on_pause: printer.bed_off_on_pause ?? false,
    retract_on_pause: within(printer.retract_on_pause, 6.5, 0, 100),
    lift_z_on_pause: within(printer.lift_z_on_pause, 2.5, 0, 100),
    detective_sensitivity: within(printer.detective_sensitivity, 1, 0.1, 5),
    min_timelapse_secs_on_finish: Math.round(within(printer.min_timelapse_secs_on_finish, 600, -1, 1e9)),
    min_timelapse_secs_on_cancel: Math.round(within(printer.min_timelapse_secs_on_cancel, 300, -1, 1e9)),
  })
}

export function printRecord(print: SourcePrint): Translated {
  const startedAt = instant(print.started_at) ?? instant(print.finished_at ?? print.cancelled_at)
  if (print.printer == null) return { reason: 'its printer was deleted there' }
  if (startedAt === null) return { reason: 'it never started' }
  return checked({
    kind: 'print',
    source_id: print.id,
    printer: print.printer.id,
    g_code_file: print.g_code_file?.id ?? null,
    filename: named(print.filename, 1000, 'unnamed'),
    started_at: startedAt,
    finished_at: instant(print.finished_at),
    cancelled_at: instant(print.cancelled_at),
    failed_at: instant(print.failed_at),
    uploaded_at: instant(print.uploaded_at),
    alerted_at: instant(print.alerted_at),
    alert_acknowledged_at: instant(print.alert_acknowledged_at),
    alert_muted_at: instant(print.alert_muted_at),
    paused_at: instant(print.paused_at),
    access_consented_at: instant(print.access_consented_at),
    video_archived_at: instant(print.video_archived_at),
    alert_overwrite: AlertOverwrite.nullable()
      .catch(null)
      .parse(print.alert_overwrite ?? null),
    filament_used: amount(print.filament_used),
    print_time: amount(print.print_time),
    parts: partsOf(print),
  })
}

/** The address of a part of a print; undefined when there is none. */
export function partUrl(print: SourcePrint, kind: string, sourceId: number): string | undefined {
  switch (kind) {
    case 'video':
      return print.video_url ?? undefined
    case 'tagged_video':
      return print.tagged_video_url ?? undefined
    case 'poster':
      return print.poster_url ?? undefined
    case 'predictions':
      return print.prediction_json_url ?? undefined
    default:
      return print.printshotfeedback_set?.find(({ id }) => id === sourceId)?.image_url ?? undefined
  }
}

function partsOf(print: SourcePrint): ImportedPart[] {
  const own = (['video', 'tagged_video', 'poster', 'predictions'] as const)
    .filter((kind) => partUrl(print, kind, print.id) !== undefined && (kind !== 'predictions' || hasPredictions(print)))
    .map((kind) => ({ kind, source_id: print.id, answer: null, answered_at: null }))
  const shots = (print.printshotfeedback_set ?? [])
    .filter(({ image_url }) => image_url != null)
    .slice(0, 40)
    .map(({ id, answer, answered_at }) => ({
      kind: 'shot' as const,
      source_id: id,
      answer: PrintShotAnswer.nullable()
        .catch(null)
        .parse(answer ?? null),
      answered_at: instant(answered_at),
    }))
  return [...own, ...shots]
}

/** The upstream server names prediction JSON for every print, though there is some only with a tagged video; ours tells the truth. */
const hasPredictions = (print: SourcePrint): boolean => print.tagged_video_url != null || 'timelapse' in print

export function folderRecord(folder: SourceFolder): Translated {
  const name = named(folder.name, 1000, 'unnamed')
  return checked({ kind: 'folder', source_id: folder.id, parent: idOf(folder.parent_folder), name })
}

export function fileRecord(file: SourceFile): Translated {
  const isStored = file.resident_printer == null && file.deleted == null && file.url != null
  const metadata = file.metadata_json ?? null
  return checked({
    kind: 'file',
    source_id: file.id,
    parent: idOf(file.parent_folder),
    resident_printer: file.resident_printer ?? null,
    filename: named(file.filename, 1000, 'unnamed.gcode'),
    has_bytes: isStored,
    num_bytes: whole(file.num_bytes),
    printer_path: file.resident_printer == null ? null : orNull(file.url, 2000),
    agent_signature: orNull(file.agent_signature, 256),
    metadata_json: metadata !== null && metadata.length > MAX_METADATA ? null : orNull(metadata, MAX_METADATA),
    filament_total: amount(file.filament_total),
    estimated_time: amount(file.estimated_time),
    created_at: instant(file.created_at) ?? new Date(0).toISOString(),
    deleted_at: instant(file.deleted),
  })
}

export function settingRecord(setting: SourceSetting): Translated {
  const config = Object.entries(setting.config ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, clean(String(value), 2000)] as const] : [],
  )
  const flags = Object.fromEntries(
    Object.entries(NOTIFICATION_DEFAULTS).map(([flag, otherwise]) => {
      const value = setting[flag]
      return [flag, typeof value === 'boolean' ? value : otherwise]
    }),
  ) as Record<keyof typeof NOTIFICATION_DEFAULTS, boolean>
  const name = named(setting.name, 64, 'unnamed')
  return checked({
    kind: 'notification_setting',
    source_id: setting.id,
    name,
    config: Object.fromEntries(config),
    ...flags,
  })
}

export function preferencesRecord(user: SourceUser): Translated {
  return checked({
    kind: 'preferences',
    source_id: user.id,
    first_name: clean(user.first_name, 150),
    last_name: clean(user.last_name, 150),
    account_notification_by_email: user.account_notification_by_email ?? true,
    notification_enabled: user.notification_enabled ?? true,
  })
}

/** Folders so that each comes after the one that it lies in; those of a circle come last. */
export function parentsFirst(folders: readonly SourceFolder[]): SourceFolder[] {
  const sorted: SourceFolder[] = []
  const placed = new Set<number>()
  const known = new Set(folders.map(({ id }) => id))
  let left = [...folders]
  while (left.length > 0) {
    const next = left.filter(({ parent_folder }) => {
      const parent = idOf(parent_folder)
      return parent === null || placed.has(parent) || !known.has(parent)
    })
    if (next.length === 0) return [...sorted, ...left]
    for (const folder of next) placed.add(folder.id)
    sorted.push(...next)
    left = left.filter(({ id }) => !placed.has(id))
  }
  return sorted
}
