import {
  ActionOnFailure,
  BacktestAlert,
  BacktestResult,
  BacktestSettings,
  type CameraSettings,
} from '@printwarden/protocol'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { ApiError } from '../../errors.js'
import type { JobKind, JobRun } from '../../jobs/flow.js'
import { enqueueJob } from '../../jobs/store.js'
import { findPrint, type PrintRow } from '../../prints/store.js'
import type { BlobStore, Clock, Database } from '../../ports.js'
import { findPrinter } from '../../printers/store.js'
import type { Tables } from '../../tables.js'
import { storedDetections } from '../alerts/alert-view.js'
import { type AlertRow, listAlertsOfPrint } from '../alerts/alerts-store.js'
import {
  type BacktestRow,
  findBacktest,
  hasOpenRerun,
  insertBacktest,
  listResumes,
  updateBacktest,
} from './backtest-store.js'
import { lookOf, settingsOf, withSettings } from '../cameras/camera-settings.js'
import { type CameraRow, listCameras } from '../cameras/cameras-store.js'
import { takeReference, weigh } from '../context/context.js'
import { findLearned } from '../context/context-store.js'
import { type Detector, DetectorError } from '../detector.js'
import { historyKey } from './history.js'
import { listHistoryFrames, listReplayPredictions } from './history-store.js'
import { readLearned } from '../context/learned.js'
import { replay, type ReplayFrame, type ReplaySettings } from './replay.js'
import { SmoothingState, type SmoothingKind } from '../smoothing/smoothing-state.js'
import { findStart } from '../starts-store.js'
import { findSystemCancel } from '../watching/watch-store.js'

/** The kind of the job that looks at pictures again. */
export const BACKTEST_JOB = 'backtest'
/** How long it waits for live pictures to be through. */
const YIELD_MS = 40
const REPORT_EVERY = 25

export interface BacktestFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'get'>
  readonly clock: Clock
  readonly detector: Pick<Detector, 'detect' | 'ready'>
  /** Whether no live picture is being looked at. */
  readonly isIdle: () => boolean
  readonly smoothing: SmoothingKind
  /** Whether this server does jobs. */
  readonly hasJobs: boolean
}

export type BacktestFlow = ReturnType<typeof backtestFlow>

/** What a replay needs to know of a print besides its frames. */
interface Past {
  readonly print: PrintRow
  readonly camera: CameraRow | undefined
  readonly settings: ReplaySettings
  readonly kept: readonly (ReplayFrame & { readonly normalized_p: number })[]
}

/** Past prints judged again with other settings: by the scores that were kept, or by looking at the small pictures again. */
export function backtestFlow(deps: BacktestFlowDeps) {
  const { database, blobs, clock, detector, isIdle, hasJobs } = deps
  const { db } = database

  async function pastOf(print: PrintRow, wanted: BacktestSettings): Promise<Past> {
    const [printer, cameras] = await Promise.all([findPrinter(db, print.printer_id), listCameras(db, print.printer_id)])
    if (printer === undefined) throw new ApiError('not_found')
    const camera = cameras.find(({ id, is_primary }) =>
      wanted.camera_id === undefined ? is_primary === 1 : id === wanted.camera_id,
    )
    const rows = await listReplayPredictions(db, print.id, ownerId(camera))
    const kept = rows.map((row) => ({
      frame_at: row.frame_at,
      score: row.judged_score ?? Math.min(1, row.current_p),
      detections: storedDetections(row.detections),
      normalized_p: row.normalized_p,
    }))
    const { votes_enabled } = settingsOf(camera?.settings ?? null)
    const settings = {
      smoothing: wanted.smoothing ?? deps.smoothing,
      sensitivity: wanted.sensitivity ?? printer.detective_sensitivity,
      action: wanted.action_on_failure ?? ActionOnFailure.parse(printer.action_on_failure),
      calibration_offset: wanted.calibration_offset ?? camera?.calibration_offset ?? 0,
      votes_enabled: wanted.votes_enabled ?? votes_enabled,
    }
    return { print, camera, settings, kept }
  }

  async function judge(
    { print, camera, settings, kept }: Past,
    frames: readonly ReplayFrame[],
    notes: string[],
  ): Promise<BacktestResult> {
    const alerts = (await listAlertsOfPrint(db, print.id)).filter(
      ({ camera_id }) => camera === undefined || camera_id === null || camera_id === camera.id,
    )
    const start = await findStart(db, print.id, ownerId(camera) ?? 0)
    const events = {
      answers: answersOf(print, alerts),
      resumes: await listResumes(db, print.id),
      rearms: print.rearmed_at === null ? [] : [print.rearmed_at],
      cancelledAt: print.cancelled_at,
    }
    const state = SmoothingState.safeParse(start === undefined ? undefined : JSON.parse(start)).data
    const { series, alerts: would } = replay(frames, settings, print, events, state)
    return {
      ts: series.map(({ frame_at }) => frame_at / 1000),
      score: series.map(({ score }) => score),
      normalized_p: series.map(({ normalized_p }) => normalized_p),
      actual_ts: kept.map(({ frame_at }) => frame_at / 1000),
      actual_normalized_p: kept.map(({ normalized_p }) => normalized_p),
      would: [...would],
      happened: [
        ...alerts.map(({ frame_at, outcome }) => BacktestAlert.parse({ ts: frame_at / 1000, outcome })),
        ...(await ownCancel(print)),
      ],
      notes:
        start === undefined
          ? [...notes, 'How the camera was before this print was not kept; it begins as a new one.']
          : notes,
    }
  }

  /** The cancel that the server asked for by itself. */
  async function ownCancel({ printer_id, auto_paused_at, cancelled_at }: PrintRow): Promise<BacktestAlert[]> {
    if (auto_paused_at === null || cancelled_at === null) return []
    const cancel = await findSystemCancel(db, printer_id, auto_paused_at)
    if (cancel === undefined || cancel.created_at > cancelled_at) return []
    return [{ ts: cancel.created_at / 1000, outcome: 'cancelled' }]
  }

  /** Begins a replay; by kept scores it is done at once. @throws {ApiError} conflict, unavailable */
  async function begin(print: PrintRow, settings: BacktestSettings): Promise<BacktestRow> {
    const model = settings.model ?? 'kept_scores'
    const now = clock.now()
    const row = {
      user_id: print.user_id,
      print_id: print.id,
      model,
      settings: JSON.stringify(settings),
      created_at: now,
    }
    if (model === 'rerun') return database.transaction((trx) => enqueue(trx, row))
    const past = await pastOf(print, settings)
    await setImmediate()
    const result = JSON.stringify(await judge(past, past.kept, []))
    return database.transaction((trx) =>
      insertBacktest(trx, { ...row, status: 'done', progress: 1, result, error: null, ended_at: clock.now() }),
    )
  }

  async function enqueue(
    trx: Kysely<Tables>,
    row: { user_id: number; print_id: number; model: string; settings: string; created_at: number },
  ): Promise<BacktestRow> {
    if (!hasJobs) throw new ApiError('unavailable', 'This server does no jobs.', { retryAfterSeconds: 60 })
    if (await hasOpenRerun(trx, row.user_id))
      throw new ApiError('conflict', 'Another rerun is under way. Wait until it is done.')
    const added = await insertBacktest(trx, {
      ...row,
      status: 'queued',
      progress: 0,
      result: null,
      error: null,
      ended_at: null,
    })
    const job = {
      kind: BACKTEST_JOB,
      key: `${BACKTEST_JOB}:${added.id}`,
      payload: { id: added.id },
      runAt: row.created_at,
    }
    await enqueueJob(trx, job, row.created_at)
    return added
  }

  /** Looks at the small pictures of a print again, whenever no live one is being looked at. */
  async function rerun(job: JobRun, past: Past, wanted: BacktestSettings, backtestId: number): Promise<ReplayFrame[]> {
    const places = await listHistoryFrames(db, past.print.id)
    const camera = withWanted(settingsOf(past.camera?.settings ?? null), wanted)
    const kept = past.camera && (await findLearned(db, past.camera.id))
    let learned = readLearned(kept?.learned)
    const look = lookOf(camera, wanted.tiles ?? camera.tiles === 'always')
    const frames: ReplayFrame[] = []
    for (const [index, { frame_at, width }] of places.entries()) {
      await waitForTurn(job.signal)
      const blob = await blobs.get(historyKey(past.print.id, frame_at))
      if (blob === undefined) continue
      const findings = await detector.detect(blob.bytes, look).catch(asUndefinedWhenUnreadable)
      if (findings === undefined) continue
      const { id: print_id, started_at } = past.print
      learned = takeReference(learned, findings, camera, { print_id, taken_at: frame_at, started_at })
      const weighed = weigh(findings, camera, learned, print_id, started_at)
      const scale = findings.size === undefined ? 1 : width / findings.size[0]
      const detections = weighed.detections.map(([label, confidence, [x, y, w, h]]) => {
        return [
          label,
          confidence,
          [x * scale, y * scale, w * scale, h * scale],
        ] satisfies ReplayFrame['detections'][number]
      })
      frames.push({ frame_at, score: weighed.score, detections })
      if (index % REPORT_EVERY !== 0) continue
      job.report(index / places.length)
      await updateBacktest(db, backtestId, { progress: index / places.length })
    }
    return frames
  }

  async function waitForTurn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    while (!isIdle()) await setTimeout(YIELD_MS, undefined, { signal })
  }

  const job: JobKind = {
    async run(run) {
      const row = await findBacktest(db, idOf(run.payload))
      const print = row && (await findPrint(db, row.print_id))
      // The print was deleted meanwhile.
      if (row === undefined || print === undefined || row.status === 'done') return
      await updateBacktest(db, row.id, { status: 'running', progress: 0 })
      const wanted = BacktestSettings.parse(JSON.parse(row.settings))
      const past = await pastOf(print, wanted)
      const frames = await rerun(run, past, wanted, row.id)
      const error = frames.length === 0 ? 'No pictures of this print are kept.' : null
      const notes = ['Small pictures were looked at: scores differ a little from those of the full ones.']
      const result = error === null ? JSON.stringify(await judge(past, frames, notes)) : null
      const status = error === null ? 'done' : 'failed'
      await updateBacktest(db, row.id, { status, progress: 1, result, error, ended_at: clock.now() })
    },
    async gaveUp(payload, trx) {
      const changes = { status: 'failed', error: 'The pictures could not be looked at again.', ended_at: clock.now() }
      await updateBacktest(trx, idOf(payload), changes)
      return undefined
    },
  }

  return { begin, job }
}

/** By which id the frames of a camera are kept: null for the primary one. */
function ownerId(camera: CameraRow | undefined): number | null {
  return camera === undefined || camera.is_primary === 1 ? null : camera.id
}

/** When alerts of a print were answered while it ran. The print knows when the last one first was; its answer may have been changed since. */
function answersOf(print: PrintRow, alerts: readonly Pick<AlertRow, 'answered_at' | 'created_at'>[]): number[] {
  const endedAt = print.finished_at ?? print.cancelled_at ?? Infinity
  const last = alerts.at(-1)
  const lastAt = print.alert_acknowledged_at
  const answers = alerts.flatMap((alert) =>
    alert === last && lastAt !== null && lastAt >= alert.created_at ? lastAt : (alert.answered_at ?? []),
  )
  return answers.filter((at) => at <= endedAt)
}

/** The camera's settings with those of a replay in their place. */
function withWanted(camera: CameraSettings, wanted: BacktestSettings): CameraSettings {
  const { ignore_regions, bed_crop, tiles, votes_enabled, baseline_enabled, prototypes_enabled, clean_bed_enabled } =
    wanted
  const switches = { votes_enabled, baseline_enabled, prototypes_enabled, clean_bed_enabled }
  return withSettings(camera, {
    ...switches,
    ...(ignore_regions === undefined ? {} : { ignore_regions: [...ignore_regions], ignore_regions_enabled: true }),
    ...(bed_crop === undefined ? {} : { bed_crop }),
    ...(tiles === undefined ? {} : { tiles: tiles ? 'always' : 'off' }),
  })
}

function asUndefinedWhenUnreadable(err: unknown): undefined {
  if (err instanceof DetectorError && err.code === 'invalid_image') return undefined
  throw err
}

function idOf(payload: unknown): number {
  return typeof payload === 'object' && payload !== null && 'id' in payload ? Number(payload.id) : 0
}
