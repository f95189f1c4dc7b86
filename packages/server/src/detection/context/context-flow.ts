import type { CameraLearned, UnusedReason } from '@printwarden/protocol'
import { hasStandingAlert } from '../../printers/alert-actions.js'
import { findPrint, type PrintRow } from '../../prints/store.js'
import type { Clock, Database, Log } from '../../ports.js'
import { findPrinter } from '../../printers/store.js'
import { lookOf, settingsOf, wantsTiles } from '../cameras/camera-settings.js'
import { type CameraRow, listCameras } from '../cameras/cameras-store.js'
import { learnFrom, learnFromAnswer, takeReference, type Weighed, weigh as weighFindings } from './context.js'
import { correctAnswer, type LearnedAnswer, learnedAnswer } from './correct-answer.js'
import { takeIdleBed } from './idle-bed.js'
import { findAlertOfPrint } from '../alerts/alerts-store.js'
import { deleteLearned, findLearned, findLearnedAt, keepLearned } from './context-store.js'
import type { Findings } from '../detector.js'
import type { Frame } from '../frame.js'
import { keptLearned, type Learned, learnedView, NOTHING_LEARNED, readLearned } from './learned.js'
import type { LookOptions } from '../cameras/look-options.js'
import type { Level } from '../smoothing/smoothing-state.js'

export interface ContextFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Whether another server learns of this printer's cameras. */
  readonly isElsewhere: (printerId: number) => boolean
}

export type ContextFlow = ReturnType<typeof contextFlow>

/** How much of what was learned a server that was killed may forget. */
const CHECKPOINT_EVERY_MS = 10 * 60_000
/** How long what is known of a camera is kept in memory for an agent that may come back. */
const FORGET_AFTER_MS = 60 * 60_000
const FORGET_EVERY_MS = 60_000
/** How often a change is made anew when somebody else was faster. */
const UPDATE_TRIES = 3
/** From this score on a frame may be what the user's answer to an alert is about. */
const SUSPECT = 0.5

/** The frame of a print that looked worst since the user's last answer. */
interface Suspect {
  readonly print_id: number
  readonly frame_at: number
  readonly score: number
  readonly seen: Pick<Findings, 'map' | 'embedding'>
}

/** What is known of a camera while its print is watched. */
interface Memory {
  readonly printer_id: number
  learned: Learned
  isChanged: boolean
  savedAt: number
  /** When what it was made from was written; null when there was nothing. Another time is another server's. */
  version: number | null
  /** What is being written. One after another, since each replaces what the one before has written. */
  saving: Promise<void>
  frames: number
  score: number | undefined
  frame_at: number | undefined
  suspect: Suspect | undefined
  /** What the last answer was about. */
  answered: { readonly alert_id: number; readonly seen: Suspect['seen'] } | undefined
  unused: UnusedReason | null
}

/**
 * What is known of each camera: asked before a frame is looked at and when it is judged, and learned from after that. It is in memory
 * while a print is watched, and in the database now and then: the way of a frame has no query.
 */
export function contextFlow({ database, clock, log, isElsewhere }: ContextFlowDeps) {
  const { db } = database
  const memories = new Map<number, Memory>()
  /** The cameras in `memories` of each printer. */
  const camerasOf = new Map<number, Set<number>>()
  /** What is written of printers whose agents have left, one after another. */
  let leaving: Promise<void> = Promise.resolve()
  let forgotAt = clock.now()

  /** How the camera's next picture is to be looked at. */
  function look(camera: CameraRow): LookOptions {
    const settings = settingsOf(camera.settings)
    const memory = memories.get(camera.id)
    return lookOf(settings, wantsTiles(settings, memory?.score, memory?.frames ?? 0))
  }

  async function memoryOf({ id, printer_id }: CameraRow): Promise<Memory> {
    const known = memories.get(id)
    if (known !== undefined) return known
    const kept = await findLearned(db, id)
    const memory: Memory = {
      printer_id,
      learned: readLearned(kept?.learned),
      isChanged: false,
      savedAt: clock.now(),
      ...{ version: kept?.updated_at ?? null, saving: Promise.resolve() },
      ...{ frames: 0, score: undefined, frame_at: undefined },
      ...{ suspect: undefined, answered: undefined, unused: null },
    }
    // Another frame of the camera may have been faster.
    const first = memories.get(id) ?? memory
    remember(id, first)
    return first
  }

  /** What a frame's findings mean on its camera. */
  async function weigh(frame: Frame, print: PrintRow, findings: Findings): Promise<Weighed> {
    const { camera, frame_at } = frame
    const memory = await memoryOf(camera)
    const settings = settingsOf(camera.settings)
    const reference = { print_id: print.id, taken_at: frame_at, started_at: print.started_at }
    const learned = takeReference(memory.learned, findings, settings, reference)
    memory.isChanged ||= learned !== memory.learned
    memory.learned = learned
    const weighed = weighFindings(findings, settings, learned, print.id, print.started_at)
    memory.frames++
    memory.score = weighed.score
    memory.unused = weighed.parts.find(({ name }) => name === 'clean_bed')?.unused ?? null
    const { suspect } = memory
    const isWorst = suspect?.print_id !== print.id || weighed.score >= suspect.score
    if (weighed.score >= SUSPECT && isWorst) memory.suspect = suspectOf(frame, print, weighed, findings)
    return weighed
  }

  /** Learns from a frame that was judged. */
  async function learn(frame: Frame, print: PrintRow, findings: Findings, score: number, level: Level): Promise<void> {
    const memory = await memoryOf(frame.camera)
    const sinceMs = frame.frame_at - (memory.frame_at ?? frame.frame_at)
    memory.frame_at = frame.frame_at
    const isFine = level === 'fine' && !hasStandingAlert(print)
    memory.learned = learnFrom(memory.learned, findings, { score, isFine, sinceMs })
    memory.isChanged = true
    if (clock.now() - memory.savedAt >= CHECKPOINT_EVERY_MS) await save(frame.camera.id, memory)
  }

  /** Never rejects: what was learned is only needed after a restart, or on another server. */
  function save(cameraId: number, memory: Memory): Promise<void> {
    memory.saving = memory.saving
      .then(() => write(cameraId, memory))
      .catch((err: unknown) => {
        log.warn({ err, camera_id: cameraId }, 'what was learned of a camera could not be saved')
      })
    return memory.saving
  }

  /** Where the printer is at home most is known. Elsewhere only what nobody has changed meanwhile is written. */
  async function write(cameraId: number, memory: Memory): Promise<void> {
    if (!memory.isChanged) return
    memory.isChanged = false
    memory.savedAt = clock.now()
    const row = { learned: keptLearned(memory.learned), updated_at: memory.savedAt }
    if (await keepLearned(db, cameraId, row, isElsewhere(memory.printer_id) ? memory.version : 'whatever')) {
      memory.version = row.updated_at
      return
    }
    drop(cameraId, memory)
    log.info({ camera_id: cameraId }, 'another server has learned of a camera, or the camera is gone')
  }

  function remember(cameraId: number, memory: Memory): void {
    memories.set(cameraId, memory)
    const cameras = camerasOf.get(memory.printer_id) ?? new Set()
    camerasOf.set(memory.printer_id, cameras.add(cameraId))
  }

  function drop(cameraId: number, memory: Memory): void {
    if (memories.get(cameraId) !== memory) return
    memories.delete(cameraId)
    const cameras = camerasOf.get(memory.printer_id)
    cameras?.delete(cameraId)
    if (cameras?.size === 0) camerasOf.delete(memory.printer_id)
  }

  /** Those of a printer's cameras of which something is known here. */
  function knownOf(printerId: number): [number, Memory][] {
    return [...(camerasOf.get(printerId) ?? [])].flatMap((cameraId) => {
      const memory = memories.get(cameraId)
      return memory === undefined ? [] : [[cameraId, memory]]
    })
  }

  /** The printer's agent is connected here: what other servers have learned meanwhile counts. Never rejects. */
  async function arrive(printerId: number): Promise<void> {
    for (const [cameraId, memory] of knownOf(printerId)) {
      try {
        await memory.saving
        if ((await findLearnedAt(db, cameraId)) !== memory.version) drop(cameraId, memory)
      } catch (err) {
        log.warn({ err, camera_id: cameraId }, 'what was learned of a camera could not be read again')
      }
    }
  }

  /** The printer's agent is connected here no more: where it is next, what was learned here is to be known. Never rejects. */
  async function leave(printerId: number): Promise<void> {
    for (const [cameraId, memory] of knownOf(printerId)) {
      // Agents may leave by the thousand; what else the database is asked for is more urgent.
      leaving = leaving.then(() => save(cameraId, memory))
    }
    forgetOld()
    await leaving
  }

  /** Forgets what was known of cameras whose agents did not come back. */
  function forgetOld(): void {
    const now = clock.now()
    if (now - forgotAt < FORGET_EVERY_MS) return
    forgotAt = now
    for (const [cameraId, memory] of memories) {
      const isOld = !memory.isChanged && now - memory.savedAt > FORGET_AFTER_MS
      if (isOld && isElsewhere(memory.printer_id)) drop(cameraId, memory)
    }
  }

  /** To be told when the user may have answered, and when a print has begun or ended. */
  async function settle(printerId: number): Promise<void> {
    const known = knownOf(printerId)
    if (known.length === 0) return
    const isPrinting = (await findPrinter(db, printerId))?.current_print_id != null
    for (const [cameraId, memory] of known) {
      await learnAnswerOf(memory)
      await save(cameraId, memory)
      if (!isPrinting) drop(cameraId, memory)
    }
  }

  async function learnAnswerOf(memory: Memory): Promise<void> {
    const { suspect } = memory
    const print = suspect && (await findPrint(db, suspect.print_id))
    const answer = suspect && answerTo(suspect, print)
    if (suspect === undefined || answer === undefined) return
    const alertId = (print && (await findAlertOfPrint(db, print))?.id) ?? null
    memory.suspect = undefined
    memory.answered = alertId === null ? undefined : { alert_id: alertId, seen: suspect.seen }
    memory.learned = learnFromAnswer(memory.learned, suspect.seen, answer, alertId)
    memory.isChanged = true
  }

  /** To be told when the answer about an alert is another one now, or none: what the printer's cameras learned from it is undone. */
  async function correct(printerId: number, alertId: number, answer: LearnedAnswer | null): Promise<void> {
    for (const { id } of await listCameras(db, printerId)) {
      const answered = memories.get(id)?.answered
      const seen = answered?.alert_id === alertId ? answered.seen : undefined
      await update(id, (learned) => {
        const known = learnedAnswer(learned, alertId)
        return known === undefined || known === answer ? learned : correctAnswer(learned, alertId, answer, seen)
      })
    }
  }

  /** What is known here of a camera, unless another server knows more. */
  function own(cameraId: number): Memory | undefined {
    const memory = memories.get(cameraId)
    return memory === undefined || isElsewhere(memory.printer_id) ? undefined : memory
  }

  /** Changes what was learned of a camera, and writes it down. */
  async function update(cameraId: number, make: (before: Learned) => Learned): Promise<void> {
    const memory = own(cameraId)
    if (memory === undefined) return updateKept(cameraId, make)
    const after = make(memory.learned)
    if (after === memory.learned) return
    memory.learned = after
    memory.isChanged = true
    await save(cameraId, memory)
  }

  async function updateKept(cameraId: number, make: (before: Learned) => Learned): Promise<void> {
    for (let tries = 0; tries < UPDATE_TRIES; tries += 1) {
      const kept = await findLearned(db, cameraId)
      const before = readLearned(kept?.learned)
      const after = make(before)
      if (after === before) return
      const row = { learned: keptLearned(after), updated_at: clock.now() }
      if (await keepLearned(db, cameraId, row, kept?.updated_at ?? null)) return
    }
    log.info({ camera_id: cameraId }, 'others have learned of a camera all the while, or the camera is gone')
  }

  /** A picture of a printer that does nothing was looked at. */
  async function learnIdle({ id, settings }: CameraRow, findings: Findings, takenAt: number): Promise<void> {
    await update(id, (learned) => takeIdleBed(learned, findings, settingsOf(settings), takenAt))
  }

  /** What was learned of a camera, as people and apps see it. */
  async function learnedOf(cameraId: number): Promise<CameraLearned> {
    const memory = own(cameraId)
    const learned = memory?.learned ?? readLearned((await findLearned(db, cameraId))?.learned)
    return learnedView(learned, memory?.unused ?? null)
  }

  /** Forgets what was learned of a camera. */
  async function forget(cameraId: number): Promise<void> {
    const memory = memories.get(cameraId)
    await memory?.saving
    // First what is remembered: should the deletion fail, the next save must not bring back what somebody wanted forgotten.
    if (memory !== undefined) {
      Object.assign(memory, {
        learned: NOTHING_LEARNED,
        isChanged: false,
        version: null,
        suspect: undefined,
        answered: undefined,
        unused: null,
      })
    }
    await deleteLearned(db, cameraId)
  }

  async function close(): Promise<void> {
    for (const [cameraId, memory] of memories) await save(cameraId, memory)
  }

  return { look, weigh, learn, learnIdle, settle, arrive, leave, correct, learnedOf, forget, close }
}

function suspectOf({ frame_at }: Frame, print: PrintRow, { score }: Weighed, { map, embedding }: Findings): Suspect {
  const seen = { ...(map === undefined ? {} : { map }), ...(embedding === undefined ? {} : { embedding }) }
  return { print_id: print.id, frame_at, score, seen }
}

/** What the user has said since the frame was taken; an earlier answer is about another one. */
function answerTo({ frame_at }: Suspect, print: PrintRow | undefined): 'FAILED' | 'NOT_FAILED' | undefined {
  if (print === undefined || (print.alert_acknowledged_at ?? 0) < frame_at) return undefined
  const { alert_overwrite: answer } = print
  return answer === 'FAILED' || answer === 'NOT_FAILED' ? answer : undefined
}
