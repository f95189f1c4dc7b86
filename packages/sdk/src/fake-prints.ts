import { MAX_PRINTS } from '@printwarden/protocol'
import { answerPrint } from './fake-alert-records.js'
import { pageOf } from './fake-api.js'
import { callerOf, given, type Handlers, viewerOf, visible } from './fake-handlers.js'
import { isWanted } from './fake-print-filter.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import type { FakePrintRecord, FakeState } from './fake-state.js'
import { printView } from './fake-views.js'

/** The endpoints of prints and of the shots about which feedback is asked. */
export function printHandlers(state: FakeState, baseUrl: string): Handlers {
  const isRunning = ({ summary }: FakePrintRecord): boolean => summary.ended_at === null

  function answer(
    call: Parameters<typeof callerOf>[0],
    id: number,
    value: 'LOOKS_BAD' | 'LOOKS_OK' | 'UNDECIDED' | null | undefined,
  ) {
    const shot = state.shots.get(id)
    if (shot === undefined) throw new FakeRefusal('not_found')
    visible(call, state.prints.get(shot.print_id))
    if (value === undefined) return { instance: shot, credited_dhs: 0 }
    const instance = { ...shot, answer: value, answered_at: value === null ? null : state.now() }
    state.shots.set(id, instance)
    const open = [...state.shots.values()].filter((one) => one.print_id === shot.print_id && one.answer === null)
    return { instance, credited_dhs: shot.answer === null && value !== null && open.length === 0 ? 2 : 0 }
  }

  return {
    listPrints(call) {
      const { sorting, from_date, to_date, timezone } = call.query
      const prints = [...state.prints.values()].filter((print) => {
        const day = dayOf(print.summary.started_at, timezone)
        return (
          print.userId === callerOf(call).id &&
          isWanted(state, print, call.query) &&
          (from_date === undefined || day >= from_date) &&
          (to_date === undefined || day <= to_date)
        )
      })
      const sign = sorting === 'date_asc' ? 1 : -1
      const sorted = prints.sort((a, b) => sign * compare(a, b))
      return pageOf(call, sorted, MAX_PRINTS).map((print) => printView(state, print, viewerOf(call)))
    },
    getPrint: (call) => printView(state, visible(call, state.prints.get(call.params.id)), viewerOf(call)),
    updatePrint(call) {
      const print = visible(call, state.prints.get(call.params.id))
      print.summary = { ...print.summary, ...given(call.body) }
      const said = { by: callerOf(call).email, source: 'overwrite' } as const
      const { alert_overwrite } = call.body
      if (alert_overwrite !== undefined) answerPrint(state, print.summary.id, { ...said, answer: alert_overwrite })
      return printView(state, print, viewerOf(call))
    },
    deletePrint(call) {
      const print = visible(call, state.prints.get(call.params.id))
      if (isRunning(print)) throw new FakeRefusal('conflict', 'A running print is not deleted. Cancel it first.')
      state.prints.delete(print.summary.id)
    },
    bulkDeletePrints(call) {
      const ids = new Set(call.body.print_ids)
      const found = [...state.prints].filter(
        ([id, print]) => ids.has(id) && print.userId === callerOf(call).id && !isRunning(print),
      )
      for (const [id] of found) state.prints.delete(id)
      return { deleted: found.length }
    },
    async uploadTimelapse(call) {
      const print = visible(call, state.prints.get(call.params.id))
      if (isRunning(print)) throw new FakeRefusal('conflict', 'The print is still running.')
      const file = call.form?.get('file')
      if (!(file instanceof Blob)) throw invalid('file', 'is required')
      const path = `timelapses/${print.summary.id}.mp4`
      state.media.set(path, file)
      const timelapse = { state: 'done', progress: 1, reason: null, reason_code: null } as const
      const video_url = `${baseUrl}/media/${path}`
      print.summary = { ...print.summary, uploaded_at: state.now(), video_url, timelapse }
      return printView(state, print, viewerOf(call))
    },
    retryTimelapse(call) {
      const print = visible(call, state.prints.get(call.params.id))
      const { timelapse } = print.summary
      if (timelapse?.state !== 'failed' && timelapse?.reason_code !== 'no_encoder')
        throw new FakeRefusal('conflict', 'There is nothing to make again.')
      const waiting = { state: 'waiting', progress: 0, reason: null, reason_code: null } as const
      print.summary = { ...print.summary, timelapse: waiting }
      return printView(state, print, viewerOf(call))
    },
    listFirstLayerImages: () => [],
    listPrintShotFeedbacks(call) {
      const { print_id } = call.query
      const shots = [...state.shots.values()].filter(
        (shot) =>
          state.prints.get(shot.print_id)?.userId === callerOf(call).id &&
          (print_id === undefined || shot.print_id === print_id),
      )
      return pageOf(call, shots, 500)
    },
    getPrintShotFeedback(call) {
      return answer(call, call.params.id, undefined).instance
    },
    updatePrintShotFeedback: (call) => answer(call, call.params.id, call.body.answer),
    replacePrintShotFeedback: (call) => answer(call, call.params.id, call.body.answer),
  }
}

/** By the start, and in the order in which they were made. */
function compare(a: FakePrintRecord, b: FakePrintRecord): number {
  const [left, right] = [a.summary.started_at ?? '', b.summary.started_at ?? '']
  if (left !== right) return left < right ? -1 : 1
  return a.summary.id - b.summary.id
}

/** The day on which something was, in a time zone, as `YYYY-MM-DD`. */
function dayOf(instant: string | null, timeZone = 'UTC'): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return instant === null ? '' : format.format(new Date(instant))
}
