import FormData from 'form-data'
import type { AgentHttp, PostResult } from '../uplink/agent-client.js'
import type { HostNotice } from '../host.js'
import type { UnsentNotice } from './notices.js'

/** Reports what becomes a line of the printer's history. */
export interface NoticeClient {
  /** Throws when the server cannot be reached. */
  post(notice: UnsentNotice, ageMs: number): Promise<PostResult>
}

const PATH = '/api/v1/agent/printer_events/'

/** The types that the history knows. A question of the printer is trouble of a mild kind: it waits until somebody answers. */
const KINDS: Record<HostNotice['about'], { type: string; class: string }> = {
  filament_change: { type: 'FILAMENT_CHANGE', class: 'WARNING' },
  question: { type: 'PRINTER_ERROR', class: 'WARNING' },
  error: { type: 'PRINTER_ERROR', class: 'ERROR' },
}

/** The server cuts longer texts; so does this, before they travel. */
const MAX_TITLE = 256
const MAX_TEXT = 4000

export function openNoticeClient(http: AgentHttp): NoticeClient {
  return {
    post: ({ id, printTs, notice }, ageMs) => {
      const kind = KINDS[notice.about]
      const form = new FormData()
      form.append('event_type', kind.type)
      form.append('event_class', kind.class)
      form.append('event_title', notice.title.slice(0, MAX_TITLE))
      form.append('event_text', notice.text.slice(0, MAX_TEXT))
      form.append('notify', 'true')
      form.append('event_id', id)
      form.append('age_ms', String(Math.max(0, Math.round(ageMs))))
      if (printTs > 0) form.append('current_print_ts', String(printTs))
      return http.post(PATH, form)
    },
  }
}
