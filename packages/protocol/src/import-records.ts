import { NOTIFICATION_SWITCHES } from './notifications.js'
import { z } from 'zod'
import { MAX_NAME_LENGTH } from './g-code.js'
import { ActionOnFailure, AlertOverwrite, MAX_PRINT_AMOUNT, PrintShotAnswer, Timestamp } from './resources.js'

// What an import brings over from another server, a record for each thing. `source_id` and its like are ids of that server.

const sourceId = z.int().positive()
const instant = Timestamp.nullable()
const amount = z.number().nonnegative().max(MAX_PRINT_AMOUNT).nullable()

/** A printer. Its agent keeps its token, so that it needs only the new address; null makes a new one. */
export const ImportedPrinter = z
  .object({
    kind: z.literal('printer'),
    source_id: sourceId,
    auth_token: z
      .string()
      .regex(/^[0-9a-f]{20,64}$/, 'must be 20 to 64 hexadecimal digits')
      .nullable(),
    created_at: Timestamp,
    archived_at: instant,
    agent_name: z.string().max(64).nullable(),
    agent_version: z.string().max(64).nullable(),
    name: z.string().min(1).max(256),
    action_on_failure: ActionOnFailure,
    watching_enabled: z.boolean(),
    tools_off_on_pause: z.boolean(),
    bed_off_on_pause: z.boolean(),
    retract_on_pause: z.number().min(0).max(100),
    lift_z_on_pause: z.number().min(0).max(100),
    detective_sensitivity: z.number().min(0.1).max(5),
    min_timelapse_secs_on_finish: z.int().min(-1),
    min_timelapse_secs_on_cancel: z.int().min(-1),
  })
  .meta({ id: 'ImportedPrinter' })
export type ImportedPrinter = z.infer<typeof ImportedPrinter>

/** Bytes that belong to a print: videos, their still picture, prediction JSON, and pictures about which feedback is asked. */
export const ImportedPart = z
  .object({
    kind: z.enum(['video', 'tagged_video', 'poster', 'predictions', 'shot']),
    /** A shot's own id; otherwise the print's. */
    source_id: sourceId,
    /** Of a shot. */
    answer: PrintShotAnswer.nullable(),
    answered_at: instant,
  })
  .meta({ id: 'ImportedPart' })
export type ImportedPart = z.infer<typeof ImportedPart>

/** A print that has ended. */
export const ImportedPrint = z
  .object({
    kind: z.literal('print'),
    source_id: sourceId,
    printer: sourceId,
    g_code_file: sourceId.nullable(),
    filename: z.string().min(1).max(MAX_NAME_LENGTH),
    started_at: Timestamp,
    finished_at: instant,
    cancelled_at: instant,
    failed_at: instant,
    uploaded_at: instant,
    alerted_at: instant,
    alert_acknowledged_at: instant,
    alert_muted_at: instant,
    paused_at: instant,
    access_consented_at: instant,
    video_archived_at: instant,
    alert_overwrite: AlertOverwrite.nullable(),
    filament_used: amount,
    print_time: amount,
    parts: z.array(ImportedPart).max(50),
  })
  .meta({ id: 'ImportedPrint' })
export type ImportedPrint = z.infer<typeof ImportedPrint>

/** A folder of G-code. The one that it lies in comes before it. */
export const ImportedFolder = z
  .object({
    kind: z.literal('folder'),
    source_id: sourceId,
    parent: sourceId.nullable(),
    name: z.string().min(1).max(MAX_NAME_LENGTH),
  })
  .meta({ id: 'ImportedFolder' })
export type ImportedFolder = z.infer<typeof ImportedFolder>

/** A G-code file; what it says about itself is read from its bytes. Without bytes it is a record that old prints can show. */
export const ImportedFile = z
  .object({
    kind: z.literal('file'),
    source_id: sourceId,
    parent: sourceId.nullable(),
    resident_printer: sourceId.nullable(),
    filename: z.string().min(1).max(MAX_NAME_LENGTH),
    has_bytes: z.boolean(),
    num_bytes: z.int().nonnegative().nullable(),
    printer_path: z.string().max(2000).nullable(),
    agent_signature: z.string().max(256).nullable(),
    metadata_json: z.string().max(20_000).nullable(),
    filament_total: amount,
    estimated_time: amount,
    created_at: Timestamp,
    deleted_at: instant,
  })
  .meta({ id: 'ImportedFile' })
export type ImportedFile = z.infer<typeof ImportedFile>

/** How the user is told things by one channel. Nothing is sent by importing it. */
export const ImportedNotificationSetting = z
  .object({
    kind: z.literal('notification_setting'),
    source_id: sourceId,
    name: z.string().min(1).max(64),
    config: z.record(z.string().max(64), z.string().max(2000)),
    ...NOTIFICATION_SWITCHES,
  })
  .meta({ id: 'ImportedNotificationSetting' })
export type ImportedNotificationSetting = z.infer<typeof ImportedNotificationSetting>

/** What the user had set for the account as a whole. */
export const ImportedPreferences = z
  .object({
    kind: z.literal('preferences'),
    source_id: sourceId,
    first_name: z.string().max(150),
    last_name: z.string().max(150),
    account_notification_by_email: z.boolean(),
    notification_enabled: z.boolean(),
  })
  .meta({ id: 'ImportedPreferences' })
export type ImportedPreferences = z.infer<typeof ImportedPreferences>

/** One thing of another server. */
export const ImportRecord = z.discriminatedUnion('kind', [
  ImportedPrinter,
  ImportedPrint,
  ImportedFolder,
  ImportedFile,
  ImportedNotificationSetting,
  ImportedPreferences,
])
export type ImportRecord = z.infer<typeof ImportRecord>

/** The other server and its user: the same things are known again by this. */
export const ImportSource = z
  .object({ url: z.url({ protocol: /^https?$/ }).max(500), user_id: sourceId })
  .meta({ id: 'ImportSource' })
export type ImportSource = z.infer<typeof ImportSource>

/** So many records go at a time. */
export const MAX_IMPORT_RECORDS = 50

/**
 * What became of a record: made here; changed here as it was changed there; here already; or left out. `notes` says why, and names
 * what was changed on both sides, of which nothing was touched here.
 */
export const ImportOutcome = z
  .object({
    kind: z.string(),
    source_id: sourceId,
    outcome: z.enum(['created', 'updated', 'present', 'left_out']),
    /** What it is here; null when it is not. */
    id: z.int().positive().nullable(),
    notes: z.array(z.string()),
    /** Bytes that are still to come: of a file, or the parts of a print. `item_id` is where they go, null in a dry run. */
    wants: z.array(
      z
        .object({ item_id: z.int().positive().nullable(), kind: z.string(), source_id: sourceId })
        .meta({ id: 'WantedBytes' }),
    ),
  })
  .meta({ id: 'ImportOutcome' })
export type ImportOutcome = z.infer<typeof ImportOutcome>
