import type { Backtest, BacktestResult, BacktestSettings, PredictionJson, PrintFrame } from '@printwarden/protocol'
import { MAX_FRAMES_PER_PAGE } from '@printwarden/protocol'
import { FAILING_AT, WARNING_AT } from './fake-alert-records.js'
import { moved } from './fake-calibration.js'
import { type Handlers, visible } from './fake-handlers.js'
import { FAKE_MODEL } from './fake-model.js'
import { FakeRefusal } from './fake-refusal.js'
import type { FakePrintRecord, FakeScore, FakeState } from './fake-state.js'

/** What is kept of past prints: pictures, predictions, and replays with other settings. */
export function pastHandlers(state: FakeState): Handlers {
  const scoresOf = ({ summary }: FakePrintRecord): readonly FakeScore[] => state.scores.get(summary.id) ?? []

  /** The print again. It is a simple series: the gauge is the score, moved by the offset, times the sensitivity. */
  function replay(print: FakePrintRecord, settings: BacktestSettings): BacktestResult {
    const kept = scoresOf(print)
    const { sensitivity = 1, calibration_offset = 0, action_on_failure = 'PAUSE' } = settings
    const gauge = kept.map(({ score }) => Math.min(1, moved(score, calibration_offset) * sensitivity))
    const acted = { NONE: 'warning', PAUSE: 'paused', CANCEL: 'cancelled' } as const
    const would = kept.flatMap(({ ts }, index) => {
      const [now = 0, before = 0] = [gauge[index], gauge[index - 1]]
      if (now >= FAILING_AT && before < FAILING_AT) return [{ ts, outcome: acted[action_on_failure] }]
      return now >= WARNING_AT && before < WARNING_AT ? [{ ts, outcome: 'warning' as const }] : []
    })
    const alerts = [...state.alerts.values()].map(({ alert }) => alert)
    const ts = kept.map((one) => one.ts)
    return {
      ts,
      score: kept.map(({ score }) => score),
      normalized_p: gauge,
      actual_ts: ts,
      actual_normalized_p: kept.map(({ normalized_p }) => normalized_p),
      would,
      happened: alerts
        .filter((alert) => alert.print === print.summary.id)
        .map(({ frame_ts, outcome }) => ({ ts: frame_ts, outcome })),
      notes: [],
    }
  }

  return {
    listPrintFrames(call) {
      const print = visible(call, state.prints.get(call.params.id))
      const frames = scoresOf(print).map((one) => frameView(print.summary.id, one))
      call.reply.set('x-total-count', String(frames.length))
      const { start = 0, limit = MAX_FRAMES_PER_PAGE, step } = call.query
      const isPaged = call.query.start !== undefined || call.query.limit !== undefined || step !== undefined
      const every = Math.max(1, step ?? (isPaged ? 1 : Math.ceil(frames.length / MAX_FRAMES_PER_PAGE)))
      return frames.filter((_, index) => index >= start && (index - start) % every === 0).slice(0, limit)
    },
    getPredictionJson: (call) => predictionJson(scoresOf(visible(call, state.prints.get(call.params.id)))),

    backtestPrint(call) {
      const print = visible(call, state.prints.get(call.params.id))
      const settings = call.body
      const times = { created_at: state.now(), ended_at: state.now() }
      const done: Backtest = {
        id: state.nextId(),
        print: print.summary.id,
        status: 'done',
        progress: 1,
        error: null,
        settings,
        ...times,
        result: replay(print, settings),
      }
      state.backtests.set(done.id, { userId: print.userId, backtest: done })
      if (settings.model !== 'rerun') return done
      call.out.status = 202
      return { ...done, status: 'queued', progress: 0, ended_at: null, result: null }
    },
    getBacktest(call) {
      const { backtest } = visible(call, state.backtests.get(call.params.id))
      if (!state.prints.has(backtest.print)) throw new FakeRefusal('not_found')
      return backtest
    },
  }
}

function frameView(printId: number, { ts, score, normalized_p }: FakeScore): PrintFrame {
  const image_url = `/media/frames/${printId}/${Math.round(ts * 1000)}.jpg`
  return { ts, image_url, width: 640, height: 480, score, normalized_p, detections: [] }
}

function predictionJson(scores: readonly FakeScore[]): PredictionJson {
  return scores.map(({ ts, score, normalized_p }, index) => {
    const at = new Date(ts * 1000).toISOString()
    const frame = index + 1
    const means = { ewm_mean: score, rolling_mean_long: score, rolling_mean_short: score }
    const numbers = { current_frame_num: frame, lifetime_frame_num: frame, current_p: score, ...means, normalized_p }
    return {
      model: 'app.printerprediction',
      pk: frame,
      fields: { ...numbers, created_at: at, updated_at: at },
      frame_ts: ts,
      detections: [],
      detector: FAKE_MODEL,
      settings: { sensitivity: 1 },
    }
  })
}
