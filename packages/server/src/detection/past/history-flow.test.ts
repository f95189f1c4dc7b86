import { Backtest, PrintFrame } from '@printwarden/protocol'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { addPrint } from '../../printers/testing.js'
import { findPrint, type PrintRow } from '../../prints/store.js'
import { startTestServer, type TestServer } from '../../testing.js'
import { findOrAddCamera } from '../cameras/cameras-store.js'
import type { Detector, Findings } from '../detector.js'
import { historyKey, historyPrefix } from './history.js'
import { historyFlow } from './history-flow.js'
import { insertPredictions } from '../store.js'

// What stays of a print's pictures, with a real database, real files and real JPEGs.

const START = 1_795_000_000_000
const picture = await sharp({
  create: {
    width: 640,
    height: 480,
    channels: 3,
    background: 'grey',
    noise: { type: 'gaussian', mean: 120, sigma: 30 },
  },
})
  .jpeg({ quality: 90 })
  .toBuffer()

/** Pictures that were looked at, and what holds the next one up. */
let seen: { width: number; bytes: number }[]
let gate: Promise<void>

const detector: Detector = {
  async detect(bytes): Promise<Findings> {
    await gate
    const { width, height } = await sharp(bytes).metadata()
    seen.push({ width, bytes: bytes.length })
    return {
      score: seen.length > 20 ? 0.98 : 0.1,
      detections: [['failure', 0.9, [width / 2, height / 2, 32, 24]]],
      size: [width, height],
      model: 'test/2',
      tagged: null,
      times: { decodeMs: 0, inferenceMs: 0, drawMs: 0 },
    }
  },
  ready: () => true,
  close: async () => {},
}

let server: TestServer
let print: PrintRow
let camera: number

const frameKey = (printId: number, frameAt: number) => `prints/${printId}/frames/${frameAt}.jpg`

/** A finished print with a frame every ten seconds, of which some look bad. */
async function addFinishedPrint(frames: number): Promise<PrintRow> {
  const { db } = server.database
  const printer = await db.selectFrom('printers').selectAll().executeTakeFirstOrThrow()
  const at = START + 1000
  const row = await addPrint(db, printer, { state: 'finished', started_at: START, finished_at: at + frames * 10_000 })
  const values = {
    ewm_mean: 0,
    rolling_mean_short: 0,
    rolling_mean_long: 0.1,
    normalized_p: 0.1,
    lifetime_frame_num: 1,
  }
  const times = Array.from({ length: frames }, (_, index) => at + index * 10_000)
  await insertPredictions(
    db,
    times.map((frame_at, index) => ({
      ...{ print_id: row.id, printer_id: printer.id, frame_at, current_frame_num: index + 1, ...values },
      ...{ current_p: index % 15 === 14 ? 0.6 : 0.05, score: 0.05, judged_score: 0.05, camera_id: null },
      detections: JSON.stringify([['failure', 0.6, [320, 240, 64, 48]]]),
      ...{ detector: 'test/1', sensitivity: 1, created_at: frame_at },
    })),
  )
  for (const frameAt of times) await server.blobs.put(frameKey(row.id, frameAt), picture, 'image/jpeg')
  return row
}

function history(quotaBytes: number) {
  const frames = {
    list: async (printId: number) =>
      (await server.blobs.list(`prints/${printId}/frames/`))
        .map(({ key }) => ({ key, frame_at: Number(/(\d+)\.jpg$/.exec(key)?.[1]) }))
        .sort((a, b) => a.frame_at - b.frame_at),
  }
  return historyFlow({ ...server, frames, quotaBytes })
}

beforeEach(async () => {
  seen = []
  gate = Promise.resolve()
  server = await startTestServer({ detector, jobs: { findEncoder: async () => undefined } })
  const { printer } = await server.addPrinter(server.owner.id)
  camera =
    (await findOrAddCamera(server.database.db, { printer_id: printer.id, name: 'bed', is_primary: true }, START))?.id ??
    0
  print = await addFinishedPrint(45)
}, 120_000)

afterEach(async () => {
  await server.close()
}, 120_000)

const blobsOf = async (prefix: string): Promise<number> => (await server.blobs.list(prefix)).length

test('small pictures of the analysed frames are kept, and shots to ask about; twice makes no more', async () => {
  const past = history(2 ** 30)
  await past.keepHistory(print)
  await past.keepHistory(print)
  const { db } = server.database
  const rows = await db.selectFrom('history_frames').selectAll().execute()
  expect(rows).toHaveLength(45)
  expect(rows[0]).toMatchObject({ width: 640, height: 480, frame_at: START + 1000 })
  expect(rows[0]?.bytes).toBeLessThan(40_000)
  const small = await server.blobs.get(historyKey(print.id, START + 1000))
  expect(await sharp(small?.bytes).metadata()).toMatchObject({ width: 320, height: 240 })
  const shots = await db.selectFrom('print_shot_feedbacks').selectAll().orderBy('frame_at').execute()
  expect(shots.map(({ frame_at }) => ((frame_at ?? 0) - START - 1000) / 10_000)).toEqual([14, 29, 44])
  expect(shots[0]).toMatchObject({ camera_id: camera, user_id: server.owner.id, answer: null })

  const { status } = await server.call('PATCH', `/api/v1/printshotfeedbacks/${shots[0]?.id}/`, {
    body: { answer: 'LOOKS_OK' },
  })
  expect(status).toBe(200)
  const examples = await db.selectFrom('detection_examples').selectAll().execute()
  expect(examples).toMatchObject([{ source: 'shot', answer: 'NOT_FAILED', shot_id: shots[0]?.id, camera_id: camera }])
  await server.call('PATCH', `/api/v1/printshotfeedbacks/${shots[0]?.id}/`, { body: { answer: null } })
  expect(await db.selectFrom('detection_examples').selectAll().execute()).toEqual([])

  await server.blobs.removeAll(`prints/${print.id}/frames/`)
  const frames = z.array(PrintFrame).parse((await server.call('GET', `/api/v1/prints/${print.id}/frames/?step=2`)).json)
  expect(frames).toHaveLength(23)
  expect(frames[0]).toMatchObject({
    width: 640,
    height: 480,
    score: 0.05,
    detections: [['failure', 0.6, [320, 240, 64, 48]]],
  })
  expect((await fetch(frames[0]?.image_url ?? '')).headers.get('content-type')).toBe('image/jpeg')
}, 240_000)

test('while small pictures are made the other frames are shown as they are, the last ones too', async () => {
  await history(2 ** 30).keepHistory(print)
  // As it was after some of the batches of rows.
  const { db } = server.database
  await db
    .deleteFrom('history_frames')
    .where('frame_at', '>=', START + 1000 + 20 * 10_000)
    .execute()
  const { json } = await server.call('GET', `/api/v1/prints/${print.id}/frames/`)
  const frames = z.array(PrintFrame).parse(json)
  expect(frames.map(({ ts }) => (ts * 1000 - START - 1000) / 10_000)).toEqual(Array.from({ length: 45 }, (_, n) => n))
  expect(frames.filter(({ width }) => width !== null)).toHaveLength(20)
  const last = await fetch(frames.at(-1)?.image_url ?? '')
  expect(Buffer.from(await last.arrayBuffer())).toEqual(picture)
}, 240_000)

test('a print that was deleted while its pictures were made leaves none behind', async () => {
  const { db } = server.database
  const frames = { list: async () => [{ key: frameKey(print.id, START + 1000), frame_at: START + 1000 }] }
  const get = async (key: string) => {
    const blob = await server.blobs.get(key)
    await db.deleteFrom('prints').where('id', '=', print.id).execute()
    return blob
  }
  await historyFlow({ ...server, blobs: { ...server.blobs, get }, frames, quotaBytes: 2 ** 30 }).keepHistory(print)
  expect(await blobsOf(`prints/${print.id}/`)).toBe(0)
}, 240_000)

test('beyond the quota the pictures of the oldest print go', async () => {
  await history(2 ** 30).keepHistory(print)
  const newer = await addFinishedPrint(8)
  await history(1).keepHistory(newer)
  expect(await blobsOf(historyPrefix(print.id))).toBe(0)
  expect(await blobsOf(historyPrefix(newer.id))).toBe(8)
  const rows = await server.database.db.selectFrom('history_frames').select('print_id').distinct().execute()
  expect(rows).toEqual([{ print_id: newer.id }])
  await history(0).keepHistory(await addFinishedPrint(3))
  expect(await server.database.db.selectFrom('history_frames').select('print_id').distinct().execute()).toEqual(rows)
}, 240_000)

test('a rerun looks at the small pictures again, one rerun of a user at a time', async () => {
  await history(2 ** 30).keepHistory(print)
  let open = (): void => {}
  gate = new Promise((resolve) => (open = resolve))
  const path = `/api/v1/prints/${print.id}/backtest/`
  const body = {
    model: 'rerun',
    sensitivity: 1,
    ignore_regions: [
      [
        [0, 0],
        [0.1, 0],
        [0, 0.1],
      ],
    ],
  }
  const asked = await server.call('POST', path, { body })
  expect(asked.status).toBe(202)
  expect(asked.json).toMatchObject({ status: 'queued', result: null })
  expect((await server.call('POST', path, { body })).status).toBe(409)
  open()
  const { id } = Backtest.parse(asked.json)
  const done = await vi.waitFor(
    async () => {
      const backtest = Backtest.parse((await server.call('GET', `/api/v1/backtests/${id}/`)).json)
      expect(backtest.status).toBe('done')
      return backtest
    },
    { timeout: 30_000, interval: 100 },
  )
  expect(seen).toHaveLength(45)
  expect(new Set(seen.map(({ width }) => width))).toEqual(new Set([320]))
  expect(done.result?.ts).toHaveLength(45)
  expect(done.result?.would.map(({ outcome }) => outcome)).toContain('paused')
  expect(done.result?.happened).toEqual([])
}, 240_000)

test('deleting the print takes all of it along', async () => {
  await history(2 ** 30).keepHistory(print)
  const { json } = await server.call('GET', `/api/v1/prints/${print.id}/frames/?limit=1`)
  const [frame] = z.array(PrintFrame).parse(json)
  const label = { frame_ts: frame?.ts, answer: 'FAILED' }
  expect((await server.call('POST', `/api/v1/prints/${print.id}/examples/`, { body: label })).status).toBe(200)
  expect((await server.call('POST', `/api/v1/prints/${print.id}/backtest/`, { body: {} })).status).toBe(200)
  expect(await blobsOf(`prints/${print.id}/`)).toBe(45 + 45 + 3 + 1)
  expect((await server.call('DELETE', `/api/v1/prints/${print.id}/`)).status).toBe(200)
  expect(await blobsOf(`prints/${print.id}/`)).toBe(0)
  const { db } = server.database
  expect(await findPrint(db, print.id)).toBeUndefined()
  for (const table of [
    'history_frames',
    'detection_examples',
    'backtests',
    'print_shot_feedbacks',
    'smoothing_starts',
  ] as const) {
    expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([])
  }
}, 240_000)
