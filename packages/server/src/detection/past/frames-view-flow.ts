import { MAX_FRAMES_PER_PAGE, type PrintFrame } from '@printwarden/protocol'
import { pictureLibrary } from '../../picture-library.js'
import type { PrintRow } from '../../prints/store.js'
import type { BlobStore, Database } from '../../ports.js'
import { storedDetections } from '../alerts/alert-view.js'
import { listCameras } from '../cameras/cameras-store.js'
import type { ExampleRow } from '../teaching/examples-store.js'
import { historyKey, thinned } from './history.js'
import type { RawFrame } from './history-flow.js'
import { listHistoryFrames, listHistoryPredictions } from './history-store.js'
import { inShares, USER_BOX } from '../teaching/labels.js'
import { PICTURE_ENDINGS, pictureType } from '../picture-type.js'
import { findPrediction } from '../store.js'

export interface FramesViewDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'get' | 'put'>
  readonly frames: { list(printId: number): Promise<readonly RawFrame[]> }
}

/** A kept picture, and where it lies. */
export type KeptPicture = Omit<PrintFrame, 'image_url'> & { readonly key: string }

export interface FramesPage {
  readonly start?: number | undefined
  readonly limit?: number | undefined
  readonly step?: number | undefined
}

export type FramesViewFlow = ReturnType<typeof framesViewFlow>

/** The pictures that are kept of a print: full ones while they are there, small ones as they are made of them and afterwards. */
export function framesViewFlow({ database, blobs, frames }: FramesViewDeps) {
  const { db } = database

  /** Where they lie, in order of time. */
  async function placesOf(print: Pick<PrintRow, 'id'>): Promise<{ key: string; frame_at: number; size: Size }[]> {
    const [raw, small] = await Promise.all([frames.list(print.id), listHistoryFrames(db, print.id)])
    const shrunk = new Set(small.map(({ frame_at }) => frame_at))
    const places = [
      ...small.map(({ frame_at, width, height }) => {
        return { key: historyKey(print.id, frame_at), frame_at, size: { width, height } }
      }),
      // Small ones are made from the first to the last: until all are there, the last moments have none.
      ...raw
        .filter(({ frame_at }) => !shrunk.has(frame_at))
        .map(({ key, frame_at }) => ({ key, frame_at, size: UNKNOWN })),
    ]
    return places.sort((a, b) => a.frame_at - b.frame_at)
  }

  async function list(
    print: Pick<PrintRow, 'id'>,
    page: FramesPage,
  ): Promise<{ total: number; frames: KeptPicture[] }> {
    const all = await placesOf(print)
    const places = chosen(all, page)
    const start = page.start ?? 0
    const shown = places.slice(start, start + (page.limit ?? MAX_FRAMES_PER_PAGE))
    const predictions = new Map((await listHistoryPredictions(db, print.id)).map((row) => [row.frame_at, row]))
    const pictures = shown.map(({ key, frame_at, size }) => {
      const row = predictions.get(frame_at)
      return {
        ...{ key, ts: frame_at / 1000, ...size },
        score: row === undefined ? null : (row.score ?? Math.min(1, row.current_p)),
        normalized_p: row?.normalized_p ?? null,
        detections: row === undefined ? [] : storedDetections(row.detections),
      }
    })
    return { total: places.length, frames: pictures }
  }

  /** A copy of a kept picture of its own, so that it stays when the others go; undefined when there is none of this instant. */
  async function copyForLabel(
    print: Pick<PrintRow, 'id' | 'printer_id'>,
    frameAt: number,
    boxes: readonly (readonly [number, number, number, number])[] | undefined,
  ): Promise<Pick<ExampleRow, 'camera_id' | 'frame_at' | 'image_key' | 'detections' | 'score'> | undefined> {
    const place = (await placesOf(print)).find(({ frame_at }) => frame_at === frameAt)
    const blob = place && (await blobs.get(place.key))
    if (place === undefined || blob === undefined) return undefined
    const type = pictureType(blob.bytes) ?? 'image/jpeg'
    const image_key = `prints/${print.id}/examples/${frameAt}.${PICTURE_ENDINGS[type]}`
    await blobs.put(image_key, blob.bytes, type)
    const cameras = await listCameras(db, print.printer_id)
    const row = await findPrediction(db, print.id, frameAt)
    const { width, height } = place.size.width === null ? await sizeOf(blob.bytes) : place.size
    const found = row === undefined ? [] : inShares(storedDetections(row.detections), width, height)
    const drawn = boxes?.map((box) => [USER_BOX, 1, [...box]] as const)
    return {
      camera_id: cameras.find(({ is_primary }) => is_primary === 1)?.id ?? null,
      frame_at: frameAt,
      image_key,
      detections: JSON.stringify(drawn ?? found),
      score: row?.score ?? Math.min(1, row?.current_p ?? 0.5),
    }
  }

  return { list, places: placesOf, copyForLabel }
}

/** Every n-th of them; without any wish as many as one answer holds, from the whole print. */
function chosen<Place>(all: readonly Place[], { start, limit, step }: FramesPage): readonly Place[] {
  if (step !== undefined) return step < 2 ? all : all.filter((_, index) => index % step === 0)
  return start === undefined && limit === undefined ? thinned(all, MAX_FRAMES_PER_PAGE) : all
}

type Size = { readonly width: number; readonly height: number } | typeof UNKNOWN

const UNKNOWN = { width: null, height: null } as const

async function sizeOf(bytes: Uint8Array): Promise<{ width: number; height: number }> {
  const sharp = await pictureLibrary()
  const { autoOrient } = await sharp(bytes).metadata()
  return { width: autoOrient.width, height: autoOrient.height }
}
