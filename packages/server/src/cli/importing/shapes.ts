import { z } from 'zod'

// What the other server answers (wire facts, sections 1.3 to 1.12), as far as it is brought over. Loose: other versions say more, or less.

const text = z.string().nullish()
const number = z.number().nullish()
const flag = z.boolean().nullish()

export const SourceUser = z.looseObject({
  id: z.int().positive(),
  email: z.string(),
  first_name: text,
  last_name: text,
  account_notification_by_email: flag,
  notification_enabled: flag,
})
export type SourceUser = z.infer<typeof SourceUser>

export const SourcePrinter = z.looseObject({
  id: z.int().positive(),
  name: text,
  created_at: text,
  archived_at: text,
  action_on_failure: text,
  watching_enabled: flag,
  tools_off_on_pause: flag,
  bed_off_on_pause: flag,
  retract_on_pause: number,
  lift_z_on_pause: number,
  detective_sensitivity: number,
  min_timelapse_secs_on_finish: number,
  min_timelapse_secs_on_cancel: number,
  auth_token: text,
  agent_name: text,
  agent_version: text,
  current_print: z.looseObject({ id: z.int().positive() }).nullish(),
})
export type SourcePrinter = z.infer<typeof SourcePrinter>

/** A parent is an object where something is listed, and an id inside of something else. */
const parent = z.union([z.int(), z.looseObject({ id: z.int() })]).nullish()

export const SourceFolder = z.looseObject({ id: z.int().positive(), name: text, parent_folder: parent })
export type SourceFolder = z.infer<typeof SourceFolder>

export const SourceFile = z.looseObject({
  id: z.int().positive(),
  parent_folder: parent,
  deleted: text,
  filename: text,
  url: text,
  num_bytes: number,
  agent_signature: text,
  metadata_json: text,
  filament_total: number,
  estimated_time: number,
  created_at: text,
  resident_printer: number,
})
export type SourceFile = z.infer<typeof SourceFile>

const Shot = z.looseObject({ id: z.int().positive(), image_url: text, answer: text, answered_at: text })

export const SourcePrint = z.looseObject({
  id: z.int().positive(),
  printer: SourcePrinter.nullish(),
  g_code_file: SourceFile.nullish(),
  filename: text,
  started_at: text,
  finished_at: text,
  cancelled_at: text,
  failed_at: text,
  uploaded_at: text,
  alerted_at: text,
  alert_acknowledged_at: text,
  alert_muted_at: text,
  paused_at: text,
  access_consented_at: text,
  video_archived_at: text,
  video_url: text,
  tagged_video_url: text,
  poster_url: text,
  prediction_json_url: text,
  alert_overwrite: text,
  filament_used: number,
  print_time: number,
  printshotfeedback_set: z.array(Shot).nullish(),
})
export type SourcePrint = z.infer<typeof SourcePrint>

export const SourceSetting = z.looseObject({
  id: z.int().positive(),
  name: z.string(),
  config: z.record(z.string(), z.unknown()).nullish(),
})
export type SourceSetting = z.infer<typeof SourceSetting>
