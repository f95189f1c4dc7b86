import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { leaveOutPredictions } from '../detection/store.js'
import type { JobKind, JobRun } from '../jobs/flow.js'
import type { BlobStore, Bus, Clock, Database, Log } from '../ports.js'
import { type PrinterNotice, printerSubject } from '../printers/notices.js'
import { findPrinter, type PrinterRow } from '../printers/store.js'
import { findPrint, listPredictions, type PrintRow, updatePrint } from '../prints/store.js'
import { timelapseView } from '../prints/timelapse-view.js'
import type { VideoEncoder } from './encoder.js'
import type { KeptFrame } from './frames.js'
import type { FramesFlow } from './frames-flow.js'
import { leftOutOf, videoKeys, videosPrefix } from './keys.js'
import { orientationOf } from './orientation.js'
import { isRunning, reasonAgainst, stepOf, type TimelapseStep } from './reasons.js'
import { tagsOf } from './tagging.js'
import { makeVideos, type Videos } from './video-flow.js'

/** How often progress is written down and told. */
const PROGRESS_EVERY_MS = 1_000

const MAX_VIDEO_BYTES = 4 * 1024 ** 3

export interface TimelapseJobDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'get' | 'put' | 'putStream' | 'list' | 'remove' | 'removeAll'>
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly frames: Pick<FramesFlow, 'list' | 'removeAll'>
  /** What makes videos on this machine; undefined when nothing does. */
  readonly findEncoder: () => Promise<VideoEncoder | undefined>
  /** A folder of the server's own for files on their way. */
  readonly scratchFolder: string
  /** Keeps what is worth keeping of the frames, before they go. */
  readonly keepHistory: (print: PrintRow) => Promise<void>
}

const Payload = z.object({ print_id: z.int() })

/** The print was deleted while its time-lapse was made: there is nothing left to do but to clean up. */
class PrintGone extends Error {}

/**
 * Makes the videos of a print that has ended. Each step can be cut off at any point, and the job begun again: what is there already is
 * found or made anew under the same names, and the print's row changes once, when everything lies in its place.
 */
export function timelapseJob(deps: TimelapseJobDeps): JobKind {
  const { database, blobs, bus, clock, log, frames, findEncoder, scratchFolder, keepHistory } = deps
  const { db } = database

  async function run(job: JobRun): Promise<void> {
    const { print_id } = Payload.parse(job.payload)
    const folder = join(scratchFolder, `print-${print_id}`)
    // What a worker that was killed has left.
    await rm(folder, { recursive: true, force: true })
    try {
      await make(job, await getPrint(print_id), folder)
    } catch (error) {
      if (!(error instanceof PrintGone)) throw error
      await blobs.removeAll(`prints/${print_id}/`)
      log.info({ print_id }, 'the print was deleted before its time-lapse was made')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  async function getPrint(id: number): Promise<PrintRow> {
    const print = await findPrint(db, id)
    if (print === undefined) throw new PrintGone()
    return print
  }

  async function make(job: JobRun, print: PrintRow, folder: string): Promise<void> {
    const printer = await findPrinter(db, print.printer_id)
    if (printer === undefined) throw new PrintGone()
    // It goes on after all; its end asks again.
    if (isRunning(print)) return conclude(print, stepOf(null))
    const isUploaded = print.uploaded_at !== null
    const isMade = print.video_key === videoKeys(print.id, job.id).plain
    if (!isMade && !isUploaded) await film(job, print, printer, folder)
    const after = await getPrint(print.id)
    await keepHistory(after)
    // They wait for a program that makes videos, and for being asked again.
    if (after.timelapse_reason === 'no_encoder') return
    await frames.removeAll(print.id)
    if (isUploaded) await conclude(after, stepOf('done', 1))
  }

  /** From frames to videos; or to the reason why there are none. */
  async function film(job: JobRun, print: PrintRow, printer: PrinterRow, folder: string): Promise<void> {
    const reason = reasonAgainst(print, printer)
    if (reason !== undefined) return conclude(print, stepOf('none', 0, reason))
    const kept = await frames.list(print.id)
    if (kept.length === 0) return conclude(print, stepOf('none', 0, 'no_frames'))
    const encoder = await findEncoder()
    if (encoder === undefined) return conclude(print, stepOf('none', 0, 'no_encoder'))
    const begunAt = clock.now()
    const videos = await encode(job, print, printer, kept, encoder, folder)
    if (videos === undefined) return conclude(print, stepOf('none', 0, 'no_frames'))
    await store(job, print, videos)
    await record(job, print, videos)
    const seconds = (clock.now() - begunAt) / 1000
    log.info({ print_id: print.id, frames: kept.length, encoder: encoder.name, seconds }, 'time-lapse made')
  }

  async function encode(
    { signal, report }: JobRun,
    print: PrintRow,
    printer: PrinterRow,
    kept: readonly KeptFrame[],
    encoder: VideoEncoder,
    folder: string,
  ): Promise<Videos | undefined> {
    const predictions = await listPredictions(db, print.id)
    const footage = { frames: kept, tags: tagsOf(predictions), orientation: orientationOf(printer.settings) }
    const stop = new AbortController()
    let progress = 0
    await conclude(print, stepOf('rendering'))
    const timer = setInterval(() => {
      report(progress)
      conclude(print, stepOf('rendering', progress)).catch((error: unknown) => stop.abort(error))
    }, PROGRESS_EVERY_MS)
    try {
      const both = AbortSignal.any([signal, stop.signal])
      return await makeVideos({ blobs, encoder, folder }, footage, both, (value) => {
        progress = value
      })
    } finally {
      clearInterval(timer)
    }
  }

  /** Brings the videos to their places. */
  async function store(job: JobRun, print: PrintRow, { plain, tagged, poster }: Videos): Promise<void> {
    const keys = videoKeys(print.id, job.id)
    const options = { contentType: 'video/mp4', maxBytes: MAX_VIDEO_BYTES, signal: job.signal }
    await blobs.putStream(keys.plain, createReadStream(plain), options)
    if (tagged !== null) await blobs.putStream(keys.tagged, createReadStream(tagged.file), options)
    await blobs.put(keys.poster, poster, 'image/jpeg')
  }

  /** Makes the videos the print's own, unless its user brought one meanwhile. */
  async function record(job: JobRun, print: PrintRow, { tagged }: Videos): Promise<void> {
    const keys = videoKeys(print.id, job.id)
    const isTaken = await database.transaction(async (trx) => {
      const now = await findPrint(trx, print.id)
      if (now === undefined) throw new PrintGone()
      if (now.uploaded_at !== null) return false
      if (tagged !== null) {
        const predictions = await listPredictions(trx, print.id)
        await leaveOutPredictions(trx, leftOutOf(predictions, tagged.frameAts))
      }
      const tagged_video_key = tagged === null ? null : keys.tagged
      await updatePrint(trx, print.id, {
        ...{ video_key: keys.plain, tagged_video_key, poster_key: keys.poster },
        ...stepOf('done', 1),
      })
      return true
    })
    // Of an earlier end of the same print, or of a print whose user was faster.
    const own = isTaken ? [keys.plain, keys.tagged, keys.poster] : []
    for (const { key } of await blobs.list(videosPrefix(print.id))) if (!own.includes(key)) await blobs.remove(key)
    tell(print, stepOf('done', 1))
  }

  /** Writes down how far it is, and tells it. */
  async function conclude(print: PrintRow, step: TimelapseStep): Promise<void> {
    if ((await updatePrint(db, print.id, step)) === undefined) throw new PrintGone()
    tell(print, step)
  }

  function tell(print: PrintRow, step: TimelapseStep): void {
    const notice: PrinterNotice = { type: 'timelapse', print_id: print.id, timelapse: timelapseView(step) }
    bus.publish(printerSubject(print.printer_id), notice)
  }

  return {
    run,
    async gaveUp(payload, trx) {
      const print = await findPrint(trx, Payload.parse(payload).print_id)
      if (print === undefined) return undefined
      const step = stepOf('failed', 0, 'failed')
      await updatePrint(trx, print.id, step)
      return () => tell(print, step)
    },
  }
}
