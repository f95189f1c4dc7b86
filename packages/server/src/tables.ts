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
}

export interface SessionsTable {
  id: Generated<number>
  user_id: number
  /** SHA-256 of the cookie's value, hexadecimal. */
  token_hash: string
  created_at: number
  expires_at: number
  user_agent: string | null
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
}

/** What the server remembers about itself: the claim link's hash, the origin at which it was claimed. */
export interface ServerSettingsTable {
  key: string
  value: string
}

export interface Tables {
  users: UsersTable
  sessions: SessionsTable
  oauth_clients: OauthClientsTable
  oauth_tokens: OauthTokensTable
  printers: PrintersTable
  prints: PrintsTable
  agent_events: AgentEventsTable
  printer_events: PrinterEventsTable
  predictions: PredictionsTable
  commands: CommandsTable
  server_settings: ServerSettingsTable
}
