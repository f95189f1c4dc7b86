import { listAlertsOfPrint } from '../../detection/alerts/alerts-store.js'
import type { FramesViewFlow } from '../../detection/past/frames-view-flow.js'
import type { BlobStore, Database, Log } from '../../ports.js'
import { pictureLibrary } from '../../picture-library.js'
import { findPrinter } from '../../printers/store.js'
import { listFeedbackOfPrints } from '../../prints/feedback-store.js'
import type { PrintRow } from '../../prints/store.js'
import type { TemperaturesFlow } from '../../prints/temperatures-flow.js'
import { listTemperatures } from '../../prints/temperatures-store.js'
import { type Orientation, orientationOf, UPRIGHT } from '../../timelapse/orientation.js'
import { drawnAnew } from '../plates/pictures-flow.js'
import { type ChosenPicture, choosePictures } from './picture-choice.js'
import { findPostMortem, listPastEvents, listScores } from './post-mortem-store.js'
import { keptMoments } from './post-mortem-view.js'
import type { PastPicture, PrintPast } from './print-past.js'

export interface PastFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'get'>
  readonly log: Log
  readonly pictures: Pick<FramesViewFlow, 'places'>
  readonly temperatures: Pick<TemperaturesFlow, 'flush'>
}

/** A chosen picture, drawn anew: upright, not too large, and nothing but what can be seen. */
export interface DrawnPicture extends ChosenPicture {
  readonly bytes: Uint8Array
}

export type PastFlow = ReturnType<typeof pastFlow>

/** Reads what is kept of a print that has ended. */
export function pastFlow({ database, blobs, log, pictures, temperatures }: PastFlowDeps) {
  const { db } = database

  async function read(print: PrintRow): Promise<PrintPast> {
    await temperatures.flush()
    const [events, scores, readings, alerts, kept] = await Promise.all([
      listPastEvents(db, print),
      listScores(db, print.id),
      listTemperatures(db, print.id),
      listAlertsOfPrint(db, print.id),
      picturesOf(print),
    ])
    return {
      ...{ print, events, scores, temperatures: readings, pictures: kept },
      alerts: alerts.map(({ frame_at, raw_key, image_key }) => ({ frame_at, key: raw_key ?? image_key })),
    }
  }

  /**
   * The frames, and instead of them those that the last answer cited and that its user was asked about: these are larger than what stays
   * of the others.
   */
  async function picturesOf(print: PrintRow): Promise<PastPicture[]> {
    const [frames, cited, shots] = await Promise.all([
      pictures.places(print),
      citedBefore(print),
      listFeedbackOfPrints(db, [print.id]),
    ])
    const byTime = new Map<number, PastPicture>()
    for (const { key, frame_at: taken_at } of frames) byTime.set(taken_at, { key, taken_at, isUpright: false })
    for (const picture of cited) {
      // A full frame is better than a copy of it, of which copies would be made again and again.
      const isFull = frames.some(({ frame_at, size }) => frame_at === picture.taken_at && size.width === null)
      if (!isFull) byTime.set(picture.taken_at, picture)
    }
    for (const { image_key: key, frame_at: taken_at } of shots) {
      if (taken_at !== null) byTime.set(taken_at, { key, taken_at, isUpright: true })
    }
    return [...byTime.values()].toSorted((a, b) => a.taken_at - b.taken_at)
  }

  /** Without them an answer that replaces the last one would lose them. */
  async function citedBefore(print: PrintRow): Promise<PastPicture[]> {
    const before = await findPostMortem(db, print.id)
    const moments = before === undefined ? [] : keptMoments(before)
    return moments.flatMap(({ picture_key: key, at }) =>
      key === null ? [] : [{ key, taken_at: Date.parse(at), isUpright: true }],
    )
  }

  /** The pictures that matter, as far as they are still there and can be decoded. @throws what `signal` is aborted with */
  async function draw(print: PrintRow, past: PrintPast, signal: AbortSignal): Promise<DrawnPicture[]> {
    const chosen = choosePictures(past)
    if (chosen.length === 0) return []
    const printer = await findPrinter(db, print.printer_id)
    const orientation = orientationOf(printer?.settings ?? '{}')
    const drawn: DrawnPicture[] = []
    // One after another: a large picture takes a hundred megabytes while it is decoded.
    for (const picture of chosen) {
      signal.throwIfAborted()
      const bytes = await drawOne(picture, picture.isUpright ? UPRIGHT : orientation)
      if (bytes !== undefined) drawn.push({ ...picture, bytes })
    }
    return drawn
  }

  async function drawOne({ key }: ChosenPicture, orientation: Orientation): Promise<Buffer | undefined> {
    try {
      const blob = await blobs.get(key)
      return blob && (await turned(await drawnAnew(blob.bytes), orientation))
    } catch (err) {
      log.debug({ err, key }, 'a picture of a print could not be drawn')
      return undefined
    }
  }

  return { read, draw }
}

async function turned(bytes: Buffer, { rotation, flipV, flipH }: Orientation): Promise<Buffer> {
  if (rotation === 0 && !flipV && !flipH) return bytes
  const sharp = await pictureLibrary()
  return sharp(bytes).rotate(rotation).flip(flipV).flop(flipH).jpeg({ quality: 90 }).toBuffer()
}
