import { flagsOf, type PrinterStatus, type StateText } from '@printwarden/protocol'
import type { PrintRecord } from '../prints/store.js'
import type { PrinterRow } from './store.js'
import type { PrinterFacts } from './view.js'

// Builders for tests: a printer in the middle of a good print, but for what the test says.

/** When the samples are looked at. */
export const NOW = 1_795_251_649_000

export function sampleStatus(text: StateText, completion = 10): PrinterStatus {
  return { _ts: NOW / 1000, state: { text, flags: flagsOf(text) }, progress: { completion } }
}

export function samplePrinter(changes: Partial<PrinterRow> = {}): PrinterRow {
  return {
    id: 7,
    user_id: 1,
    name: 'Left',
    created_at: NOW - 1_000_000,
    action_on_failure: 'PAUSE',
    watching_enabled: 1,
    tools_off_on_pause: 1,
    bed_off_on_pause: 0,
    retract_on_pause: 6.5,
    lift_z_on_pause: 2.5,
    detective_sensitivity: 1,
    min_timelapse_secs_on_finish: 600,
    min_timelapse_secs_on_cancel: 300,
    auth_token_encrypted: 'sealed',
    auth_token_hash: 'hash',
    archived_at: null,
    agent_name: null,
    agent_version: null,
    settings: '{}',
    current_print_id: 70,
    smoothing: null,
    watch_told: null,
    ...changes,
  }
}

export function samplePrint(changes: Partial<PrintRecord> = {}): PrintRecord {
  return {
    id: 70,
    printer_id: 7,
    user_id: 1,
    current_print_ts: 1_795_251_000,
    state: 'running',
    filename: 'boat.gcode',
    g_code_file_id: null,
    started_at: NOW - 600_000,
    finished_at: null,
    cancelled_at: null,
    failed_at: null,
    uploaded_at: null,
    alerted_at: null,
    alert_acknowledged_at: null,
    alert_muted_at: null,
    paused_at: null,
    rearmed_at: null,
    auto_paused_at: null,
    alert_overwrite: null,
    filament_used: null,
    print_time: null,
    access_consented_at: null,
    video_archived_at: null,
    video_key: null,
    tagged_video_key: null,
    poster_key: null,
    end_assumed: 0,
    timelapse_state: null,
    timelapse_progress: 0,
    timelapse_reason: null,
    last_action: null,
    has_predictions: 0,
    g_code_file: null,
    shots: 0,
    open_shots: 0,
    ...changes,
  }
}

export function sampleFacts(changes: Partial<PrinterFacts> = {}): PrinterFacts {
  const pic = { key: 'printers/7/pic/2.jpg', raw_key: 'printers/7/pic/1.jpg', ts: NOW / 1000 - 5 }
  return {
    printer: samplePrinter(),
    authToken: 'ab'.repeat(20),
    print: samplePrint(),
    live: { status: sampleStatus('Printing'), pic, normalized_p: 0.1 },
    detectorReady: true,
    ...changes,
  }
}
