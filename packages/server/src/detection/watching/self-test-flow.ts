import type { Clock, Database, Log } from '../../ports.js'
import type { SelfTestState } from '../../printers/watch-state.js'
import { checkPicture } from '../service/check-picture-flow.js'
import { DetectorError, type Findings, GaveWayError } from '../detector.js'
import { isFound, isSelfTestDue, SELF_TEST_ERRORS, SELF_TEST_THRESHOLD, withoutRegions } from './self-test.js'
import { TURNS, turnedInto } from './self-test-picture-flow.js'
import type { WatchFlow } from './watch-flow.js'
import { lookOf, settingsOf } from '../cameras/camera-settings.js'
import { type CameraRow, listCameras } from '../cameras/cameras-store.js'
import type { LookOptions } from '../cameras/look-options.js'
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
    test(cameraId: number, picture: Uint8Array, options?: LookOptions): Promise<Findings>
    /** Whether this camera would alert if it went on to see that. */
    wouldAlert(camera: CameraRow, findings: Findings): Promise<boolean>
  }
  readonly watch: Pick<WatchFlow, 'read' | 'selfTested'>
  /** Whether another node has the printer's agent, and tests its cameras. */
  readonly isElsewhere?: (printerId: number) => boolean
  /** Hears of each test. */
  readonly count?: ((result: 'passed' | 'failed') => void) | undefined
}

export type SelfTestFlow = ReturnType<typeof selfTestFlow>

/** Sends a known failure the way of a camera's pictures, and keeps what came of it. No gauge and no alert changes by it. */
export function selfTestFlow(deps: SelfTestFlowDeps) {
  const { database, clock, log, picture, detection, watch, count } = deps
  let timer: NodeJS.Timeout | undefined
  let ticking: Promise<void> = Promise.resolve()
  let isClosed = false

  /**
   * Tests one camera's way. Never rejects for what the test is about. Undefined, and nothing is kept, when the test picture gave way to
   * others: that there was no time to look, such as for the same test at another node, says nothing of the way.
   */
  async function run(camera: CameraRow): Promise<SelfTestState | undefined> {
    const startedAt = performance.now()
    const result = await look(camera)
    if (result === undefined) return undefined
    const took_ms = Math.round((performance.now() - startedAt) * 10) / 10
    const test = { at: clock.now(), threshold: SELF_TEST_THRESHOLD, took_ms, ...result }
    count?.(test.passed ? 'passed' : 'failed')
    if (!test.passed) log.warn({ printer_id: camera.printer_id, camera: camera.name, ...test }, 'a self-test failed')
    await watch.selfTested(camera, test)
    return test
  }

  async function look(
    camera: CameraRow,
  ): Promise<Pick<SelfTestState, 'passed' | 'score' | 'model' | 'error'> | undefined> {
    try {
      const { bytes } = await checkPicture(picture)
      const plain = await inTime(detection.test(camera.id, bytes))
      const seen = isFound(plain) ? await asCameraSees(camera, bytes, plain) : plain
      const error = isFound(seen)
        ? (await detection.wouldAlert(camera, seen))
          ? null
          : SELF_TEST_ERRORS.never_alerts
        : isFound(plain)
          ? SELF_TEST_ERRORS.hidden
          : SELF_TEST_ERRORS.not_found
      return { passed: error === null, score: seen.score, model: seen.model, error }
    } catch (err) {
      if (err instanceof GaveWayError) return undefined
      if (!(err instanceof DetectorError)) throw err
      return { passed: false, score: null, model: null, error: err.message }
    }
  }

  /**
   * The same failure where this camera's settings leave room for one: in its bed crop, and turned over as long as its regions hide it. The
   * best of what was found.
   */
  async function asCameraSees(camera: CameraRow, bytes: Uint8Array, plain: Findings): Promise<Findings> {
    const settings = settingsOf(camera.settings)
    const options = lookOf(settings, settings.tiles === 'always')
    if (Object.keys(options).length === 0) return plain
    let best: Findings | undefined
    for (const turn of TURNS) {
      const turned = await turnedInto(bytes, turn, settings.bed_crop)
      const findings = withoutRegions(await inTime(detection.test(camera.id, turned, options)), settings)
      if (best === undefined || findings.score > best.score) best = findings
      if (isFound(best)) return best
    }
    return best ?? plain
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
      if (deps.isElsewhere?.(printerId) === true) continue
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
