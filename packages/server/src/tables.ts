import type { Generated } from 'kysely'

// The rows of the database. Column types are portable (SQLite, PostgreSQL): whole numbers, numbers, text. An instant is whole
// milliseconds since 1970, a truth value 0 or 1, JSON is text parsed by a schema where it is read.

export interface UsersTable {
  id: Generated<number>
  /** Lower case. */
  email: string
  password_hash: string
  first_name: Generated<string>
  last_name: Generated<string>
  username: string | null
  is_admin: Generated<number>
  disabled_at: number | null
  date_joined: number
  consented_at: number | null
  last_active_at: number | null
  is_primary_email_verified: Generated<number>
  unsub_token: string
  account_notification_by_email: Generated<number>
  notification_enabled: Generated<number>
  mobile_app_canary: Generated<number>
  unseen_printer_events: Generated<number>
  /** There before the user has proven to hold it; `totp_confirmed_at` says that it counts. */
  totp_secret_encrypted: Generated<string | null>
  totp_confirmed_at: Generated<number | null>
  /** The time step of the newest code that was used. */
  totp_last_step: Generated<number | null>
  /** Whether the user allows labelled pictures of their prints to be taken out as a file. */
  detection_export_consent: Generated<number>
}

/** Codes that let a user in once without the authenticator. */
export interface RecoveryCodesTable {
  id: Generated<number>
  user_id: number
  /** Keyed hash: the code is too short for a plain one. */
  code_hash: string
  used_at: Generated<number | null>
}

/** Links that change or make an account, each once. */
export interface AccountLinksTable {
  id: Generated<number>
  /** invitation | password_reset | email_change */
  purpose: string
  /** SHA-256 of the link's token, hexadecimal. */
  token_hash: string
  user_id: number | null
  created_by: number | null
  /** The new address of a change, or the one that was invited. */
  email: string | null
  is_admin: Generated<number>
  created_at: number
  expires_at: number
  used_at: Generated<number | null>
}

/** What happened to an account that its user should know of. */
export interface SecurityEventsTable {
  id: Generated<number>
  user_id: number
  type: string
  created_at: number
  ip_address: string | null
  user_agent: string | null
  /** What it was about, such as an app's name. */
  subject: string | null
}

/** Which access tokens were shown a printer's `auth_token`. */
export interface AuthTokenReadersTable {
  printer_id: number
  token_id: number
  read_at: number
}

export interface SessionsTable {
  id: Generated<number>
  user_id: number
  /** SHA-256 of the cookie's value, hexadecimal. */
  token_hash: string
  created_at: number
  expires_at: number
  user_agent: string | null
  ip_address: Generated<string | null>
}

export interface OauthClientsTable {
  id: Generated<number>
  client_id: string
  client_secret_hash: string | null
  name: string
  description: Generated<string>
  /** confidential | public */
  type: string
  /** JSON list of texts. */
  redirect_uris: string
  require_pkce: Generated<number>
  created_at: number
  /** Who registered it; null for the operator's own. */
  owner_id: number | null
}

export interface OauthTokensTable {
  id: Generated<number>
  user_id: number
  /** null for a token that the user or an administrator made directly. */
  client_id: number | null
  name: string | null
  /** SHA-256 of the token, hexadecimal. */
  token_hash: string
  scope: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  /** What it was issued under; null for a token that belongs to no client. */
  grant_id: number | null
  /** The refresh token that was handed out with it. */
  refresh_token_id: number | null
  /** To the minute. */
  last_used_at: number | null
}

/** One time that a user let an app in, with its authorization code if it had one. */
export interface OauthGrantsTable {
  id: Generated<number>
  user_id: number
  client_id: number
  scope: string
  created_at: number
  revoked_at: number | null
  redirect_uri: string | null
  /** SHA-256 of the code, hexadecimal. */
  code_hash: string | null
  code_challenge: string | null
  code_expires_at: number | null
  code_used_at: number | null
}

export interface OauthRefreshTokensTable {
  id: Generated<number>
  grant_id: number
  /** The one that it replaced. */
  parent_id: number | null
  token_hash: string
  created_at: number
  rotated_at: number | null
  /** When it was used once more because the answer had been lost. */
  retried_at: number | null
  revoked_at: number | null
}

/** What a user allowed an app, so that the same is not asked again. */
export interface OauthConsentsTable {
  user_id: number
  client_id: number
  scope: string
  created_at: number
}

export interface OauthDeviceCodesTable {
  id: Generated<number>
  client_id: number
  user_id: number | null
  device_code_hash: string
  /** Keyed hash: the code is too short for a plain one. */
  user_code_hash: string
  scope: string
  /** pending | approved | denied | used */
  status: string
  created_at: number
  expires_at: number
  interval_seconds: number
  polled_at: number | null
}

export interface PrintersTable {
  id: Generated<number>
  user_id: number
  name: string
  created_at: number
  action_on_failure: Generated<string>
  watching_enabled: Generated<number>
  tools_off_on_pause: Generated<number>
  bed_off_on_pause: Generated<number>
  retract_on_pause: Generated<number>
  lift_z_on_pause: Generated<number>
  detective_sensitivity: Generated<number>
  min_timelapse_secs_on_finish: Generated<number>
  min_timelapse_secs_on_cancel: Generated<number>
  /** Encrypted with the server's key. */
  auth_token_encrypted: string
  /** Keyed hash of the auth_token, for look-up. */
  auth_token_hash: string
  archived_at: number | null
  agent_name: string | null
  agent_version: string | null
  /** JSON object: the agent's settings, merged key by key. */
  settings: Generated<string>
  current_print_id: number | null
  /** JSON: checkpoint of the smoothing state, so that a restart keeps the baseline. */
  smoothing: string | null
  /** The code that was told for nobody watching the current print; null when somebody is. */
  watch_told: string | null
}

/** A camera of a printer, by the name that its agent gives it; the primary one's may be empty. */
export interface CamerasTable {
  id: Generated<number>
  printer_id: number
  name: string
  is_primary: number
  /** Whether its pictures are looked at for failures. */
  detection_enabled: number
  created_at: number
  /** JSON: checkpoint of the smoothing state. Null for the primary camera, whose state the printer's row has. */
  smoothing: string | null
  /** JSON: checkpoint of what is known of its pictures, analyses and self-tests. */
  watch: string | null
  /** What the user's answers move this camera's scores by, in logits. */
  calibration_offset: Generated<number>
  /** JSON: how it is looked at; null for the defaults. */
  settings: string | null
}

/** What was learned of a camera from its own pictures and its user's answers. */
export interface CameraLearnedTable {
  camera_id: number
  /** JSON. */
  learned: string
  updated_at: number
}

export interface PrintsTable {
  id: Generated<number>
  printer_id: number
  user_id: number
  /** The agent's name for this print; unique per printer. */
  current_print_ts: number
  /** running | paused | finished | cancelled | failed */
  state: string
  filename: string
  g_code_file_id: number | null
  started_at: number
  finished_at: number | null
  cancelled_at: number | null
  failed_at: number | null
  /** 1 when the agent never said how the print ended, so that its own event, coming late, still decides. */
  end_assumed: Generated<number>
  uploaded_at: number | null
  alerted_at: number | null
  alert_acknowledged_at: number | null
  alert_muted_at: number | null
  paused_at: number | null
  /** When the user allowed another automatic pause. */
  rearmed_at: number | null
  /** When the server paused last by itself; `paused_at` is the first time. */
  auto_paused_at: number | null
  alert_overwrite: string | null
  filament_used: number | null
  print_time: number | null
  access_consented_at: number | null
  video_archived_at: number | null
  video_key: string | null
  tagged_video_key: string | null
  poster_key: string | null
  /** waiting | rendering | done | none | failed; null while no time-lapse was asked for. */
  timelapse_state: Generated<string | null>
  /** How much of it is made, 0–1. */
  timelapse_progress: Generated<number>
  /** Why there is none: a code. */
  timelapse_reason: Generated<string | null>
  /** JSON: who or what paused, resumed or ended it last. */
  last_action: Generated<string | null>
}

/** Work that outlives a request. A row goes when it is done. */
export interface JobsTable {
  id: Generated<number>
  kind: string
  /** What it is about, such as `timelapse:7`: there is one job of it at a time. */
  key: string
  /** JSON. */
  payload: string
  /** ready | running | dead */
  state: string
  attempts: Generated<number>
  /** Not before this instant. */
  run_at: number
  /** Who runs it. */
  worker: string | null
  /** When a worker that was not heard of since counts as gone. */
  lease_until: number | null
  /** 1 when it was asked for once more while it ran. */
  wanted_again: Generated<number>
  progress: Generated<number>
  /** What went wrong last. */
  error: string | null
  created_at: number
  updated_at: number
}

/** Ids of agents' events that were stored, so that a repeated one counts once. */
export interface AgentEventsTable {
  printer_id: number
  event_id: string
  received_at: number
}

export interface PrinterEventsTable {
  id: Generated<number>
  user_id: number
  printer_id: number
  print_id: number | null
  event_type: string
  event_class: string
  event_title: string | null
  event_text: string | null
  image_key: string | null
  info_url: string | null
  created_at: number
  /** system | user | app | printer */
  initiator: Generated<string | null>
  initiator_name: Generated<string | null>
  reason: Generated<string | null>
  alert_id: Generated<number | null>
}

export interface PredictionsTable {
  id: Generated<number>
  print_id: number
  printer_id: number
  /** When the picture was taken, in milliseconds; unique per print. */
  frame_at: number
  current_frame_num: number
  lifetime_frame_num: number
  current_p: number
  ewm_mean: number
  rolling_mean_short: number
  rolling_mean_long: number
  normalized_p: number
  /** JSON list of detections. */
  detections: string
  detector: string
  sensitivity: number
  created_at: number
  /** Which camera it was, when not the primary one. */
  camera_id: number | null
  /** 1 when the print's tagged video, once it is made, has no picture of this frame. */
  left_out: Generated<number>
  /** The picture's own score as the detector gave it, and as the context left it, before calibration; null in rows from before. */
  score: Generated<number | null>
  judged_score: Generated<number | null>
}

/** A picture of a print about which its user is asked whether it shows a failure. */
export interface PrintShotFeedbacksTable {
  id: Generated<number>
  print_id: number
  user_id: number
  image_key: string
  /** LOOKS_BAD | LOOKS_OK | UNDECIDED */
  answer: string | null
  answered_at: number | null
  created_at: number
  /** When the picture was taken; null for those of older versions. */
  frame_at: Generated<number | null>
  camera_id: Generated<number | null>
}

/** How many prints of each kind a printer has. Kept by triggers on `prints`; nothing else writes it. */
export interface PrintCountsTable {
  printer_id: number
  user_id: number
  total: number
  cancelled: number
  finished: number
  failed: number
  need_alert_overwrite: number
}

export interface CommandsTable {
  id: string
  printer_id: number
  cmd: string
  initiator: string
  /** sent | acked | done | failed | timed_out */
  status: string
  error: string | null
  created_at: number
  acked_at: number | null
  done_at: number | null
  /** The user's or the app's name; null for the server itself. */
  initiator_name: Generated<string | null>
  /** Why the server asked, such as `failing`. */
  reason: Generated<string | null>
  alert_id: Generated<number | null>
  /** What the agent answered to a command that asks for something, as JSON. */
  result: Generated<string | null>
}

/** In what a printer's agent departs from the protocol: one row a kind. */
export interface PrinterDeviationsTable {
  printer_id: number
  kind: string
  count: number
  first_seen_at: number
  last_seen_at: number
}

/** One time that detection told of a failure, with what it was judged by. */
export interface AlertsTable {
  id: Generated<number>
  user_id: number
  printer_id: number
  print_id: number
  camera_id: number | null
  created_at: number
  /** When the picture was taken that decided. */
  frame_at: number
  /** What was done: a word of `AlertOutcome`. */
  outcome: string
  /** The picture's own score. */
  score: number
  normalized_p: number
  /** The picture with boxes, and as it came; null when it could not be kept. */
  image_key: string | null
  raw_key: string | null
  /** JSON list of detections. */
  detections: string
  /** JSON: rule, numbers, settings and the scores before. */
  evidence: string
  command_id: string | null
  /** FAILED | NOT_FAILED */
  answer: string | null
  answered_at: number | null
  answered_by: string | null
}

/** A picture of which a person has said whether it shows a failure. */
export interface DetectionExamplesTable {
  id: Generated<number>
  user_id: number
  printer_id: number
  print_id: number
  camera_id: number | null
  alert_id: number | null
  shot_id: number | null
  frame_at: number
  image_key: string
  /** JSON list of detections. */
  detections: string
  /** The model's own score of the picture. */
  score: number
  /** FAILED | NOT_FAILED */
  answer: string
  /** alert | overwrite | resume | cancel | shot | frame */
  source: string
  answered_by: string | null
  /** Whether it counts for its camera's calibration. */
  is_calibrating: number
  created_at: number
}

/** A small picture that is kept of a past print: `prints/<print>/history/<frame_at>.jpg`. Sizes are of the picture it was made of. */
export interface HistoryFramesTable {
  print_id: number
  frame_at: number
  width: number
  height: number
  bytes: number
}

/** How a camera was before the first frame of a print. */
export interface SmoothingStartsTable {
  print_id: number
  /** 0 for the primary camera. */
  camera_id: number
  /** JSON */
  state: string
}

/** A past print judged again with other settings. */
export interface BacktestsTable {
  id: Generated<number>
  user_id: number
  print_id: number
  /** kept_scores | rerun */
  model: string
  /** JSON */
  settings: string
  /** queued | running | done | failed */
  status: string
  progress: number
  /** JSON */
  result: string | null
  error: string | null
  created_at: number
  ended_at: number | null
}

/** What the server remembers about itself: the claim link's hash, the origin at which it was claimed. */
export interface ServerSettingsTable {
  key: string
  value: string
}

/** Codes of six digits that a user types at an agent. */
export interface LinkCodesTable {
  id: Generated<number>
  user_id: number
  /** The printer to be linked anew, or the one that the agent got; null while a new one waits for its agent. */
  printer_id: number | null
  code: string
  /** The code while it is good, then null. */
  live_code: string | null
  created_at: number
  expired_at: number
  verified_at: number | null
}

/** Passcodes that unlinked agents show. */
export interface LinkPasscodesTable {
  passcode: string
  /** The code that a user gave to the agent. */
  link_code_id: number | null
  created_at: number
  expires_at: number
}

/** Agents that show a code and wait for a user to enter it. Such a row goes once its `auth_token` was handed out. */
export interface AgentLinksTable {
  id: Generated<number>
  /** The code while nobody has entered it, then null. */
  live_code: string | null
  /** SHA-256 of the agent's secret, hexadecimal. */
  secret_hash: string
  device_name: string
  agent_version: string
  created_at: number
  expires_at: number
  /** The printer that the agent is to have, once a user has entered the code. */
  printer_id: number | null
}

export interface SharedResourcesTable {
  id: Generated<number>
  printer_id: number
  /** Encrypted with the server's key. */
  share_token_encrypted: string
  /** Keyed hash of the share_token, for look-up. */
  share_token_hash: string
  created_at: number
}

export interface NotificationSettingsTable {
  id: Generated<number>
  user_id: number
  /** The channel; unique per user. A trigger adds `email` to each new user. */
  name: string
  /** JSON, encrypted with the server's key; null when there is nothing to be known. */
  config_encrypted: string | null
  enabled: Generated<number>
  notify_on_failure_alert: Generated<number>
  notify_on_print_done: Generated<number>
  notify_on_print_cancelled: Generated<number>
  notify_on_filament_change: Generated<number>
  notify_on_heater_status: Generated<number>
  notify_on_print_start: Generated<number>
  notify_on_print_pause: Generated<number>
  notify_on_print_resume: Generated<number>
  created_at: number
  updated_at: number
}

/** Phones and tablets that take push messages; a `device_token` is unique per user. */
export interface MobileDevicesTable {
  id: Generated<number>
  user_id: number
  /** android | ios */
  platform: string
  app_version: string
  device_token: string
  preferred_timezone: string | null
  deactivated_at: number | null
  created_at: number
  updated_at: number
}

/** Folders of stored G-code. A name is unique, as `safe_name`, among those with the same parent. */
export interface GCodeFoldersTable {
  id: Generated<number>
  user_id: number
  /** null for a folder that lies in no other. */
  parent_folder_id: number | null
  name: string
  safe_name: string
  /** The safe name in lower case, for searching. */
  search_name: string
  created_at: number
  updated_at: number
}

/** G-code files. A deleted one keeps its row, without its bytes, so that old prints can show it. */
export interface GCodeFilesTable {
  id: Generated<number>
  user_id: number
  parent_folder_id: number | null
  /** null for a file that is stored here. */
  resident_printer_id: number | null
  filename: string
  safe_filename: string
  /** The safe name in lower case, for searching. */
  search_name: string
  /** Where it lies on its printer. */
  printer_path: string | null
  /** null for a file on a printer, and for one whose bytes were removed. */
  blob_key: string | null
  /** JSON list of blob keys, the largest picture first. */
  thumbnail_keys: Generated<string>
  num_bytes: number | null
  sha256: string | null
  agent_signature: string | null
  metadata_json: string | null
  filament_total: number | null
  estimated_time: number | null
  created_at: number
  updated_at: number
  deleted_at: number | null
  deleted_by_cascade: Generated<number>
}

/** Blobs that go when they are due: of what was deleted, and of uploads that nobody finished. */
export interface DoomedBlobsTable {
  key: string
  due_at: number
}

/** What was brought over from another server: which thing there is which here. */
export interface ImportedItemsTable {
  id: Generated<number>
  user_id: number
  /** The other server and its user. */
  source: string
  /** printer | print | folder | file | notification_setting | preferences, or a part of a print. */
  kind: string
  source_id: number
  /** The print's item, of a part of it. */
  part_of: number | null
  /** What it is here; null while its bytes are awaited. It may have been deleted since. */
  target_id: number | null
  /** JSON: what the other server said of it when it was last taken over. */
  record: string
  created_at: number
  done_at: number | null
}

/** What an account may ask the assistant. */
export interface AiCreditsTable {
  user_id: number
  /** The quota of this account; null means the server's own. */
  own_quota: number | null
  /** The quota that `used` counts against; −1 = unlimited. */
  quota: number
  used: number
  /** What is left of granted credits. */
  granted: number
  /** The month that `used` counts, as months since the year 0. */
  month: number
  created_at: number
  updated_at: number
}

/** Every change of what an account may ask. */
export interface AiCreditEntriesTable {
  id: Generated<number>
  user_id: number
  /** quota | reset | grant | debit | refund */
  kind: string
  free: number
  granted: number
  about: string | null
  created_at: number
}

/** A debit whose call has not ended yet. */
export interface AiCreditHoldsTable {
  entry_id: number
  user_id: number
  month: number
  lease_until: number
}

/** A chat with the assistant, as its client keeps it. */
export interface AssistantChatsTable {
  id: Generated<number>
  user_id: number
  messages: string
  machine_name: string | null
  filament_name: string | null
  print_process_name: string | null
  slicing_settings_json: string | null
  user_feedback: string | null
  user_feedback_text: string | null
  created_at: number
  updated_at: number
}

/** What the assistant proposed to do. */
export interface AssistantProposalsTable {
  id: Generated<number>
  user_id: number
  printer_id: number
  /** pause | resume | cancel | print */
  action: string
  /** The print that is meant, unless one is to be begun. */
  print_id: number | null
  /** The file to be printed. */
  g_code_file_id: number | null
  /** The name of what is printed, or to be. */
  filename: string | null
  /** The model's own words. */
  reason: string
  /** waiting | running | done | failed | dismissed */
  state: string
  error: string | null
  created_at: number
  expires_at: number
  /** When it was confirmed or dismissed. */
  decided_at: number | null
}

/** What a user wrote to support. */
export interface SupportRequestsTable {
  id: Generated<number>
  user_id: number
  /** The user's address at that time. */
  email: string
  message: string
  /** JSON, with consent alone. */
  diagnostics: string | null
  /** waiting | sent | failed | kept */
  state: string
  error: string | null
  created_at: number
  sent_at: number | null
}

/** How warm a print's heaters were: sparsely, for looking back. */
export interface PrintTemperaturesTable {
  print_id: number
  at: number
  /** JSON: by heater, its temperature and its target (null when it only measures) in °C. */
  heaters: string
}

/** Why a print failed, as the assistant answered last. */
export interface PostMortemsTable {
  print_id: number
  cause: string
  /** likely | possible | unclear */
  certainty: string
  answer: string
  /** JSON list of texts. */
  advice: string
  /** JSON list of moments, with the keys of their pictures. */
  moments: string
  /** JSON list of texts. */
  missing: string
  model: string
  created_at: number
}

export interface Tables {
  users: UsersTable
  sessions: SessionsTable
  recovery_codes: RecoveryCodesTable
  account_links: AccountLinksTable
  security_events: SecurityEventsTable
  auth_token_readers: AuthTokenReadersTable
  oauth_clients: OauthClientsTable
  oauth_tokens: OauthTokensTable
  oauth_grants: OauthGrantsTable
  oauth_refresh_tokens: OauthRefreshTokensTable
  oauth_consents: OauthConsentsTable
  oauth_device_codes: OauthDeviceCodesTable
  printers: PrintersTable
  cameras: CamerasTable
  camera_learned: CameraLearnedTable
  prints: PrintsTable
  agent_events: AgentEventsTable
  printer_events: PrinterEventsTable
  predictions: PredictionsTable
  print_shot_feedbacks: PrintShotFeedbacksTable
  print_counts: PrintCountsTable
  commands: CommandsTable
  printer_deviations: PrinterDeviationsTable
  link_codes: LinkCodesTable
  link_passcodes: LinkPasscodesTable
  agent_links: AgentLinksTable
  shared_resources: SharedResourcesTable
  notification_settings: NotificationSettingsTable
  mobile_devices: MobileDevicesTable
  g_code_folders: GCodeFoldersTable
  g_code_files: GCodeFilesTable
  doomed_blobs: DoomedBlobsTable
  alerts: AlertsTable
  detection_examples: DetectionExamplesTable
  history_frames: HistoryFramesTable
  backtests: BacktestsTable
  smoothing_starts: SmoothingStartsTable
  jobs: JobsTable
  server_settings: ServerSettingsTable
  imported_items: ImportedItemsTable
  ai_credits: AiCreditsTable
  ai_credit_entries: AiCreditEntriesTable
  ai_credit_holds: AiCreditHoldsTable
  assistant_chats: AssistantChatsTable
  assistant_proposals: AssistantProposalsTable
  support_requests: SupportRequestsTable
  print_temperatures: PrintTemperaturesTable
  post_mortems: PostMortemsTable
}
