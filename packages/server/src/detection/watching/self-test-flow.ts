import type { Clock, Database, Log } from '../../ports.js'
import type { SelfTestState } from '../../printers/watch-state.js'
import { checkPicture } from '../service/check-picture-flow.js'
import { type Detector, DetectorError } from '../detector.js'
import { isSelfTestDue, SELF_TEST_THRESHOLD } from './self-test.js'
import type { WatchedCamera, WatchFlow } from './watch-flow.js'
import { listCameras } from '../cameras/cameras-store.js'
import { listPrinting, listWatchedCameras } from './watch-store.js'

const TICK_MS = 30_000
/** A test that has not had its answer by then has failed. */
const TIMEOUT_MS = 60_000

export interface SelfTestFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** A JPEG of a plain failure. */
  readonly picture: Buffer
  readonly detection: {
    /** Looks at a picture in a camera's turn, by the same queue and detector as its own pictures. */
    test(cameraId: number, picture: Uint8Array): ReturnType<Detector['detect']>
  }
  readonly watch: Pick<WatchFlow, 'read' | 'selfTested'>
  /** Hears of each test. */
  readonly count?: ((result: 'passed' | 'failed') => void) | undefined
}

export type SelfTestFlow = ReturnType<typeof selfTestFlow>

/** Sends a known failure the way of a camera's pictures, and keeps what came of it. No gauge and no alert changes by it. */
export function selfTestFlow({ database, clock, log, picture, detection, watch, count }: SelfTestFlowDeps) {
  let timer: NodeJS.Timeout | undefined
  let ticking: Promise<void> = Promise.resolve()
  let isClosed = false

  /** Tests one camera's way. Never rejects for what the test is about. */
  async function run(camera: WatchedCamera): Promise<SelfTestState> {
    const startedAt = performance.now()
    const result = await look(camera.id)
    const took_ms = Math.round((performance.now() - startedAt) * 10) / 10
    const test = { at: clock.now(), threshold: SELF_TEST_THRESHOLD, took_ms, ...result }
    count?.(test.passed ? 'passed' : 'failed')
    if (!test.passed) log.warn({ printer_id: camera.printer_id, camera: camera.name, ...test }, 'a self-test failed')
    await watch.selfTested(camera, test)
    return test
  }

  async function look(cameraId: number): Promise<Pick<SelfTestState, 'passed' | 'score' | 'model' | 'error'>> {
    try {
      const { bytes } = await checkPicture(picture)
      const { score, model } = await inTime(detection.test(cameraId, bytes))
      const passed = score >= SELF_TEST_THRESHOLD
      return { passed, score, model, error: passed ? null : 'The failure in the test picture was not found.' }
    } catch (err) {
      if (!(err instanceof DetectorError)) throw err
      return { passed: false, score: null, model: null, error: err.message }
    }
  }

  async function inTime<T>(work: Promise<T>): Promise<T> {
    let timeout: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const error = new DetectorError('unavailable', 'The test picture was not looked at within a minute.')
      timeout = setTimeout(() => reject(error), TIMEOUT_MS).unref()
    })
    try {
      return await Promise.race([work, late])
    } finally {
      clearTimeout(timeout)
    }
  }

  /** Tests the cameras that are due, one after another. Never rejects. */
  function tick(): Promise<void> {
    ticking = ticking.then(testDue).catch((err: unknown) => {
      if (!isClosed) log.error({ err }, 'the self-tests could not be run')
    })
    return ticking
  }

  async function testDue(): Promise<void> {
    const { db } = database
    const startedAt = new Map((await listPrinting(db)).map((printing) => [printing.id, printing.started_at]))
    const watched = await listWatchedCameras(db)
    for (const printerId of new Set(watched.map(({ printer_id }) => printer_id))) {
      if (isClosed) return
      await testPrinter(printerId, startedAt.get(printerId) ?? null)
    }
  }

  async function testPrinter(printerId: number, startedAt: number | null): Promise<void> {
    const state = await watch.read(printerId)
    const due = (state?.cameras ?? []).filter(
      (camera) => camera.detection_enabled && isSelfTestDue(camera, startedAt, clock.now()),
    )
    if (due.length === 0) return
    const ids = new Set(due.map(({ camera_id }) => camera_id))
    const rows = await listCameras(database.db, printerId)
    for (const camera of rows.filter(({ id }) => ids.has(id))) await run(camera)
  }

  function start(): void {
    timer ??= setInterval(() => void tick(), TICK_MS).unref()
  }

  async function close(): Promise<void> {
    isClosed = true
    clearInterval(timer)
    await ticking
  }

  return { run, tick, start, close }
}
