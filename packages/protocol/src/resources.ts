import { z } from 'zod'
import { CommandName, CommandStatus, Initiator, PrinterFiles } from './commands.js'
import { GCodeFileFlat } from './g-code.js'
import { Timelapse } from './timelapse.js'
import { NOT_WATCHING_CODES, Watching } from './watching.js'

/** An instant: ISO 8601, UTC, with `Z`. */
export const Timestamp = z.iso.datetime()

const instant = Timestamp.nullable()

/** What the server does when a print fails: nothing but alert, pause, or pause and cancel when nobody answers. */
export const ActionOnFailure = z.enum(['NONE', 'PAUSE', 'CANCEL'])
export type ActionOnFailure = z.infer<typeof ActionOnFailure>

/** What a person said about an alert. */
export const AlertOverwrite = z.enum(['FAILED', 'NOT_FAILED'])
export type AlertOverwrite = z.infer<typeof AlertOverwrite>

/** Who made a print pause, go on or end: the server by itself, a user, an app, or somebody at the printer (or its file). */
export const ActedBy = z.enum(['system', 'user', 'app', 'printer'])
export type ActedBy = z.infer<typeof ActedBy>

/** The last pause, resume or cancel of a print. `name` is the user's or app's; `reason` and `alert_id` say why the server did it. */
export const LastAction = z
  .object({
    action: z.enum(['paused', 'resumed', 'cancelled']),
    by: ActedBy,
    name: z.string().nullable(),
    reason: z.string().nullable(),
    alert_id: z.int().positive().nullable(),
    at: Timestamp,
  })
  .meta({ id: 'LastAction' })
export type LastAction = z.infer<typeof LastAction>

/** A print without its printer: inside `Printer.current_print`. */
export const PrintSummary = z
  .object({
    id: z.int().positive(),
    filename: z.string(),
    g_code_file: GCodeFileFlat.nullable(),
    started_at: instant,
    ended_at: instant,
    finished_at: instant,
    cancelled_at: instant,
    failed_at: instant,
    uploaded_at: instant,
    alerted_at: instant,
    alert_acknowledged_at: instant,
    alert_muted_at: instant,
    paused_at: instant,
    video_url: z.string().nullable(),
    tagged_video_url: z.string().nullable(),
    poster_url: z.string().nullable(),
    alert_overwrite: AlertOverwrite.nullable(),
    filament_used: z.number().nullable(),
    print_time: z.number().nullable(),
    access_consented_at: instant,
    video_archived_at: instant,
    need_alert_overwrite: z.boolean(),
    need_print_shot_feedback: z.boolean(),
    prediction_json_url: z.string().nullable(),
    timelapse: Timelapse.nullable(),
    last_action: LastAction.nullable(),
  })
  .meta({ id: 'PrintSummary' })
export type PrintSummary = z.infer<typeof PrintSummary>

const printerOwnFields = {
  id: z.int().positive(),
  name: z.string().min(1).max(256),
  created_at: Timestamp,
  action_on_failure: ActionOnFailure,
  watching_enabled: z.boolean(),
  not_watching_reason: z.string().nullable(),
  not_watching_code: z.enum(NOT_WATCHING_CODES).nullable(),
  tools_off_on_pause: z.boolean(),
  bed_off_on_pause: z.boolean(),
  retract_on_pause: z.number(),
  lift_z_on_pause: z.number(),
  detective_sensitivity: z.number(),
  min_timelapse_secs_on_finish: z.int(),
  min_timelapse_secs_on_cancel: z.int(),
  auth_token: z.string().nullable(),
  archived_at: instant,
  agent_name: z.string().nullable(),
  agent_version: z.string().nullable(),
}

/** A printer inside a print: without what changes by the second. */
export const PrinterSummary = z.object(printerOwnFields).meta({ id: 'PrinterSummary' })
export type PrinterSummary = z.infer<typeof PrinterSummary>

/** The newest picture: `img_url` as shown (with boxes when there are findings), `raw_url` without them, `ts` in Unix seconds. */
export const Pic = z.object({ img_url: z.string(), raw_url: z.string(), ts: z.number() }).meta({ id: 'Pic' })
export type Pic = z.infer<typeof Pic>

/** A printer (section 2). `status` is the last status message's `status`, null when offline; `normalized_p` is the failure gauge, 0–1. */
export const Printer = z
  .object({
    ...printerOwnFields,
    pic: Pic.nullable(),
    status: z.looseObject({}).nullable(),
    settings: z.looseObject({}),
    current_print: PrintSummary.nullable(),
    normalized_p: z.number(),
    watching: Watching,
  })
  .meta({ id: 'Printer' })
export type Printer = z.infer<typeof Printer>

/** What a person said about a shot of a print. */
export const PrintShotAnswer = z.enum(['LOOKS_BAD', 'LOOKS_OK', 'UNDECIDED'])
export type PrintShotAnswer = z.infer<typeof PrintShotAnswer>

/** A picture of a print about which its user is asked whether it shows a failure. */
export const PrintShotFeedback = z
  .object({
    id: z.int().positive(),
    print_id: z.int().positive(),
    image_url: z.string(),
    answer: PrintShotAnswer.nullable(),
    answered_at: instant,
  })
  .meta({ id: 'PrintShotFeedback' })
export type PrintShotFeedback = z.infer<typeof PrintShotFeedback>

/** A print (section 2), with the printer it ran on. */
export const Print = z
  .object({
    ...PrintSummary.shape,
    printer: PrinterSummary.nullable(),
    printshotfeedback_set: z.array(PrintShotFeedback),
    firstlayerinspection_set: z.array(z.looseObject({})),
  })
  .meta({ id: 'Print' })
export type Print = z.infer<typeof Print>

/** The writable fields of a printer; unknown and read-only fields are ignored, a wrong type changes nothing. */
export const PrinterChanges = z
  .object({
    name: printerOwnFields.name,
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
  .partial()
  .meta({ id: 'PrinterChanges' })
export type PrinterChanges = z.infer<typeof PrinterChanges>

/** The most seconds, and the most millimetres of filament, that a print can tell of. Beyond all measure, and sums of it stay numbers. */
export const MAX_PRINT_AMOUNT = 1e12

const amount = z.number().nonnegative().max(MAX_PRINT_AMOUNT).nullable()

/** The writable fields of a print. */
export const PrintChanges = z
  .object({
    alert_overwrite: AlertOverwrite.nullable(),
    filament_used: amount,
    print_time: amount,
    access_consented_at: instant,
  })
  .partial()
  .meta({ id: 'PrintChanges' })
export type PrintChanges = z.infer<typeof PrintChanges>

/** One number for each period; `key` is the period's first instant, in ISO 8601 with the offset of the time zone. */
const statsGroups = z.array(z.object({ key: z.iso.datetime({ offset: true }), value: z.number() }))

/** Statistics of prints. Times in seconds, filament in millimetres; what is not known counts as 0. */
export const PrintStats = z
  .object({
    print_count_groups: statsGroups,
    print_time_groups: statsGroups,
    filament_used_groups: statsGroups,
    total_print_count: z.int(),
    total_cancelled_print_count: z.int(),
    total_succeeded_print_count: z.int(),
    total_print_time: z.number(),
    longest_print_time: z.number(),
    average_print_time: z.number(),
    total_filament_used: z.number(),
  })
  .meta({ id: 'PrintStats' })
export type PrintStats = z.infer<typeof PrintStats>

/** The answer to an action. `succeeded` says that the command was handed to the agent, not that the printer obeyed (section 4.2). */
export const ActionResult = z
  .object({ succeeded: z.boolean(), printer: Printer, command_id: z.uuid().nullable() })
  .meta({ id: 'ActionResult' })
export type ActionResult = z.infer<typeof ActionResult>

/** A command on its way. */
export const Command = z
  .object({
    id: z.uuid(),
    printer_id: z.int().positive(),
    cmd: CommandName,
    initiator: Initiator,
    initiator_name: z.string().nullable(),
    reason: z.string().nullable(),
    alert_id: z.int().positive().nullable(),
    status: CommandStatus,
    error: z.string().nullable(),
    /** What the agent answered to `list_files`; null for all others. */
    result: PrinterFiles.nullable(),
    created_at: Timestamp,
    acked_at: instant,
    done_at: instant,
  })
  .meta({ id: 'Command' })
export type Command = z.infer<typeof Command>

/** What kind of thing a printer event is about. */
export const PRINTER_EVENT_TYPES = [
  'STARTED',
  'ENDED',
  'PAUSED',
  'RESUMED',
  'FAILURE_ALERTED',
  'ALERT_MUTED',
  'ALERT_UNMUTED',
  'FILAMENT_CHANGE',
  'PRINTER_ERROR',
  'WATCHING_LOST',
  'WATCHING_BACK',
  'COMMAND_GIVEN',
] as const
export const PrinterEventType = z.enum(PRINTER_EVENT_TYPES)
export type PrinterEventType = z.infer<typeof PrinterEventType>

export const PrinterEventClass = z.enum(['ERROR', 'WARNING', 'SUCCESS', 'INFO'])
export type PrinterEventClass = z.infer<typeof PrinterEventClass>

/** One line of a printer's history. */
export const PrinterEvent = z
  .object({
    id: z.int().positive(),
    event_type: PrinterEventType,
    event_class: PrinterEventClass,
    event_title: z.string().nullable(),
    event_text: z.string().nullable(),
    image_url: z.string().nullable(),
    info_url: z.string().nullable(),
    created_at: Timestamp,
    print: z.int().positive().nullable(),
    printer: z.int().positive(),
    initiator: ActedBy.nullable(),
    initiator_name: z.string().nullable(),
    reason: z.string().nullable(),
    alert_id: z.int().positive().nullable(),
  })
  .meta({ id: 'PrinterEvent' })
export type PrinterEvent = z.infer<typeof PrinterEvent>

/** The signed-in user. */
export const User = z
  .object({
    id: z.int().positive(),
    email: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    username: z.string().nullable(),
    date_joined: Timestamp,
    consented_at: instant,
    last_active_at: instant,
    is_primary_email_verified: z.boolean(),
    is_pro: z.boolean(),
    is_admin: z.boolean(),
    dh_balance: z.number(),
    is_dh_unlimited: z.boolean(),
    unsub_token: z.string(),
    account_notification_by_email: z.boolean(),
    notification_enabled: z.boolean(),
    mobile_app_canary: z.boolean(),
    tunnel_cap_multiplier: z.number(),
    unseen_printer_events: z.int(),
    detection_export_consent: z.boolean(),
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof User>

/** The writable fields of the signed-in user. */
export const UserChanges = z
  .object({
    first_name: z.string().max(150),
    last_name: z.string().max(150),
    username: z.string().max(150).nullable(),
    account_notification_by_email: z.boolean(),
    notification_enabled: z.boolean(),
    mobile_app_canary: z.boolean(),
    unseen_printer_events: z.int().nonnegative(),
    detection_export_consent: z.boolean(),
  })
  .partial()
  .meta({ id: 'UserChanges' })
export type UserChanges = z.infer<typeof UserChanges>
