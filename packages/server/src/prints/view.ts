import type { PrinterEvent, PrinterSummary, Print, PrintShotFeedback, PrintSummary, Scope } from '@printwarden/protocol'
import { ActedBy, AlertOverwrite, PrinterEventClass, PrinterEventType, PrintShotAnswer } from '@printwarden/protocol'
import { flatFileView } from '../g-code/flat-view.js'
import { instantText } from '../instant-text.js'
import type { PrinterEventRow } from './events-store.js'
import type { FeedbackRow } from './feedback-store.js'
import { lastActionOf } from './last-action.js'
import type { PrintRecord } from './store.js'
import { timelapseView } from './timelapse-view.js'

// Made once: making a schema costs more than a whole view.
const StoredOverwrite = AlertOverwrite.nullable()
const StoredAnswer = PrintShotAnswer.nullable()
const StoredActor = ActedBy.nullable()

/** For whom a resource is shown: URLs are built from the origin that the client used. */
export interface Viewer {
  readonly origin: string
  /** The absolute, signed URL of a blob. */
  readonly mediaUrl: (key: string, filename?: string) => string
  /** Whether the caller has the scope `write`. */
  readonly canWrite: boolean
}

/** Makes the URLs of blobs for a client that used this origin. */
export interface MediaUrls {
  urls(origin: string): (key: string, filename?: string) => string
}

export function viewerOf(caller: { readonly scopes: readonly Scope[] }, origin: string, media: MediaUrls): Viewer {
  return { origin, mediaUrl: media.urls(origin), canWrite: caller.scopes.includes('write') }
}

/** An instant of the database as it goes over the wire. */
export function instantView(ms: number): string
export function instantView(ms: number | null): string | null
export function instantView(ms: number | null): string | null {
  return ms === null ? null : instantText(ms)
}

/** A print without its printer. */
export function printSummaryView(print: PrintRecord, viewer: Viewer): PrintSummary {
  const url = (key: string | null) => (key === null ? null : viewer.mediaUrl(key))
  return {
    id: print.id,
    filename: print.filename,
    g_code_file: print.g_code_file === null ? null : flatFileView(print.g_code_file, viewer.mediaUrl),
    started_at: instantView(print.started_at),
    ended_at: instantView(print.cancelled_at ?? print.finished_at),
    finished_at: instantView(print.finished_at),
    cancelled_at: instantView(print.cancelled_at),
    failed_at: instantView(print.failed_at),
    uploaded_at: instantView(print.uploaded_at),
    alerted_at: instantView(print.alerted_at),
    alert_acknowledged_at: instantView(print.alert_acknowledged_at),
    alert_muted_at: instantView(print.alert_muted_at),
    paused_at: instantView(print.paused_at),
    video_url: url(print.video_key),
    tagged_video_url: url(print.tagged_video_key),
    poster_url: url(print.poster_key),
    alert_overwrite: StoredOverwrite.parse(print.alert_overwrite),
    filament_used: print.filament_used,
    print_time: print.print_time,
    access_consented_at: instantView(print.access_consented_at),
    video_archived_at: instantView(print.video_archived_at),
    need_alert_overwrite: print.alert_overwrite === null,
    need_print_shot_feedback: print.open_shots > 0,
    prediction_json_url:
      print.has_predictions === 0 ? null : `${viewer.origin}/api/v1/prints/${print.id}/prediction_json/`,
    timelapse: timelapseView(print),
    last_action: lastActionOf(print.last_action),
  }
}

/** A print with the printer it ran on and the shots about which feedback is asked. */
export function printView(
  print: PrintRecord,
  printer: PrinterSummary | null,
  shots: readonly FeedbackRow[],
  viewer: Viewer,
): Print {
  // Not spread: copying so many fields costs as much as making them.
  return Object.assign(printSummaryView(print, viewer), {
    printer,
    printshotfeedback_set: shots.map((shot) => feedbackView(shot, viewer.mediaUrl)),
    firstlayerinspection_set: [],
  })
}

/** A shot about which feedback is asked. */
export function feedbackView(shot: FeedbackRow, mediaUrl: Viewer['mediaUrl']): PrintShotFeedback {
  return {
    id: shot.id,
    print_id: shot.print_id,
    image_url: mediaUrl(shot.image_key),
    answer: StoredAnswer.parse(shot.answer),
    answered_at: instantView(shot.answered_at),
  }
}

/** One line of a printer's history. */
export function printerEventView(event: PrinterEventRow, mediaUrl: Viewer['mediaUrl']): PrinterEvent {
  return {
    id: event.id,
    event_type: PrinterEventType.parse(event.event_type),
    event_class: PrinterEventClass.parse(event.event_class),
    event_title: event.event_title,
    event_text: event.event_text,
    image_url: event.image_key === null ? null : mediaUrl(event.image_key),
    info_url: event.info_url,
    created_at: instantView(event.created_at),
    print: event.print_id,
    printer: event.printer_id,
    initiator: StoredActor.parse(event.initiator),
    initiator_name: event.initiator_name,
    reason: event.reason,
    alert_id: event.alert_id,
  }
}
