import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PredictionJson, Print } from '@printwarden/protocol'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findFfmpeg } from '../adapters/encoder-ffmpeg.js'
import { wasmEncoder } from '../adapters/encoder-wasm.js'
import { JOBS_SUBJECT } from '../jobs/flow.js'
import { findPrint } from '../prints/store.js'
import { printerSubject } from '../printers/notices.js'
import { setPrinterAgent } from '../printers/store.js'
import type { VideoEncoder } from './encoder.js'
import { framesPrefix } from './frames.js'
import {
  addPredictions,
  colouredPicture,
  endPrint,
  sendPicture,
  startJobServer,
  startPrint,
  timelapseEnd,
  jobsEnd,
} from './testing.js'

const run = promisify(execFile)
const ffmpeg = await findFfmpeg()
let server: Awaited<ReturnType<typeof startJobServer>>
let encoder: VideoEncoder | undefined = ffmpeg ?? wasmEncoder()
beforeAll(async () => {
  server = await startJobServer(async () => encoder)
})
afterAll(() => server.close())

const kept = (printId: number) => server.blobs.list(`prints/${printId}/`)

/** The pixels of a video, frame by frame. */
async function framesOf(key: string, width: number, height: number): Promise<Buffer[]> {
  const blob = await server.blobs.get(key)
  if (blob === undefined) throw new Error(`there is no ${key}`)
  const file = join(server.folder, 'look.mp4')
  await writeFile(file, blob.bytes)
  const output = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', file, ...output], {
    encoding: 'buffer',
    maxBuffer: 64 * 1024 * 1024,
  })
  const size = width * height * 3
  return Array.from({ length: stdout.length / size }, (_, index) => stdout.subarray(index * size, (index + 1) * size))
}

const BOX = JSON.stringify([['failure', 0.9, [32, 24, 30, 20]]])

describe.each([
  { name: 'ffmpeg', use: ffmpeg },
  { name: 'the built-in encoder', use: wasmEncoder() },
])('with $name', ({ use }) => {
  test.skipIf(use === undefined || ffmpeg === undefined)('a print gets its videos, and its frames go', async () => {
    encoder = use
    const { print, printerId, authToken } = await startPrint(server)
    const told: number[] = []
    const stop = server.bus.subscribe(printerSubject(printerId), (notice) => {
      if (typeof notice === 'object' && notice !== null && 'timelapse' in notice) told.push(print.id)
    })
    for (let number = 0; number < 6; number++) await sendPicture(server, authToken, await colouredPicture(number))
    // Not kept: only looked at, or of another camera.
    await sendPicture(server, authToken, await colouredPicture(7), { viewing_boost: 'true' })
    await sendPicture(server, authToken, await colouredPicture(7), {
      is_primary_camera: 'false',
      camera_name: 'nozzle',
    })
    const frames = await server.blobs.list(framesPrefix(print.id))
    expect(frames.length).toBe(6)
    const frameAts = frames.map(({ key }) => Number(/(\d+)\.jpg$/.exec(key)?.[1]))
    const analysed = frameAts.slice(1, 5).map((frame_at, index) => ({ frame_at, detections: index === 2 ? BOX : '[]' }))
    const lost = { frame_at: (frameAts[5] ?? 0) + 77, detections: '[]' }
    await addPredictions(server, print, [...analysed, lost])
    await endPrint(server, printerId)
    expect((await server.call('GET', `/api/v1/prints/${print.id}/`)).json).toMatchObject({
      timelapse: { state: 'waiting', reason: null },
    })

    const row = await timelapseEnd(server, print.id)
    stop()
    expect(told.length).toBeGreaterThanOrEqual(2)
    expect(row).toMatchObject({ timelapse_state: 'done', timelapse_progress: 1 })
    // What a look back and questions about the print need stays too.
    const others = (await kept(print.id)).filter(({ key }) => !/\/(history|shots)\//.test(key))
    expect(new Set(others.map(({ key }) => key))).toEqual(
      new Set([row.video_key, row.tagged_video_key, row.poster_key]),
    )
    expect(await readdir(server.scratchFolder)).toEqual([])

    const plain = await framesOf(row.video_key ?? '', 64, 48)
    expect(plain.map((frame) => Math.round((frame[0] ?? 0) / 40))).toEqual([0, 1, 2, 3, 4, 5])
    const tagged = await framesOf(row.tagged_video_key ?? '', 64, 48)
    expect(tagged.map((frame) => Math.round((frame[0] ?? 0) / 40))).toEqual([1, 2, 3, 4])
    const green = tagged.map((frame) => (frame[(24 * 64 + 17) * 3 + 1] ?? 0) > 150)
    expect(green).toEqual([false, false, true, false])

    const answer = await server.call('GET', `/api/v1/prints/${print.id}/`)
    const shown = Print.parse(answer.json)
    expect(shown.timelapse).toEqual({ state: 'done', progress: 1, reason: null, reason_code: null })
    for (const url of [shown.video_url, shown.tagged_video_url, shown.poster_url]) {
      expect((await fetch(url ?? '', { headers: { range: 'bytes=0-9' } })).status).toBe(206)
    }
    // As many elements as the tagged video has frames, in their order.
    const json = PredictionJson.parse((await server.call('GET', `/api/v1/prints/${print.id}/prediction_json/`)).json)
    expect(json.map((frame) => ('frame_ts' in frame ? frame.frame_ts * 1000 : 0))).toEqual(frameAts.slice(1, 5))

    expect((await server.call('DELETE', `/api/v1/prints/${print.id}/`)).status).toBe(200)
    expect(await kept(print.id)).toEqual([])
  })
})

test.skipIf(ffmpeg === undefined)('pictures are turned upright, of one size, and broken ones left out', async () => {
  encoder = ffmpeg
  const { print, printerId, authToken } = await startPrint(server)
  const settings = JSON.stringify({ webcams: [{ is_primary_camera: true, rotation: 90 }] })
  await setPrinterAgent(server.database.db, printerId, { agent_name: null, agent_version: null, settings })
  await sendPicture(server, authToken, await colouredPicture(1, 65, 47))
  await sendPicture(server, authToken, await colouredPicture(2, 40, 80))
  await sendPicture(server, authToken, await colouredPicture(3, 65, 47))
  const [, , third] = await server.blobs.list(framesPrefix(print.id))
  if (third === undefined) throw new Error('there is no third frame')
  // Damaged on the disk: the upload itself would have been refused.
  await server.blobs.put(third.key, Buffer.from('no picture'), 'image/jpeg')
  await sendPicture(server, authToken, await colouredPicture(4, 65, 47))
  await endPrint(server, printerId)
  const row = await timelapseEnd(server, print.id)
  const frames = await framesOf(row.video_key ?? '', 48, 66)
  expect(frames.length).toBe(3)
  const middle = (frame: Buffer | undefined) => Math.round((frame?.[(33 * 48 + 20) * 3] ?? 0) / 40)
  expect(frames.map(middle)).toEqual([1, 2, 4])
})

test('one frame is enough', async () => {
  const { print, printerId, authToken } = await startPrint(server)
  await sendPicture(server, authToken, await colouredPicture(1))
  await endPrint(server, printerId)
  expect(await timelapseEnd(server, print.id)).toMatchObject({ timelapse_state: 'done', tagged_video_key: null })
})

test('six frames whose data is lost cost the tagged video, five do not', async () => {
  for (const lost of [5, 6]) {
    const { print, printerId, authToken } = await startPrint(server)
    for (let number = 0; number < 8; number++) await sendPicture(server, authToken, await colouredPicture(number))
    const frames = await server.blobs.list(framesPrefix(print.id))
    const rows = frames.map(({ key }, index) => ({
      frame_at: Number(/(\d+)\.jpg$/.exec(key)?.[1]),
      detections: index < lost ? '[[' : '[]',
    }))
    await addPredictions(server, print, rows)
    await endPrint(server, printerId)
    const row = await timelapseEnd(server, print.id)
    expect(row.timelapse_state).toBe('done')
    expect(row.tagged_video_key === null).toBe(lost > 5)
    const { json } = await server.call('GET', `/api/v1/prints/${print.id}/prediction_json/`)
    expect(PredictionJson.parse(json).filter((frame) => !('fields' in frame)).length).toBe(lost)
  }
})

test.each([
  { name: 'no picture', settings: {}, pictures: 0, status: 'success', reason: 'no_frames' },
  {
    name: 'turned off',
    settings: { min_timelapse_secs_on_finish: -1 },
    pictures: 1,
    status: 'success',
    reason: 'turned_off',
  },
  {
    name: 'too short',
    settings: { min_timelapse_secs_on_cancel: 900 },
    pictures: 1,
    status: 'cancelled',
    reason: 'too_short',
  },
])('$name: no video, with the reason, and no frames are left', async ({ settings, pictures, status, reason }) => {
  const { print, printerId, authToken } = await startPrint(server, settings)
  for (let number = 0; number < pictures; number++) await sendPicture(server, authToken, await colouredPicture(number))
  await endPrint(server, printerId, status)
  expect(await timelapseEnd(server, print.id)).toMatchObject({
    timelapse_state: 'none',
    timelapse_reason: reason,
    video_key: null,
  })
  expect(await kept(print.id)).toEqual([])
  const { json } = await server.call('GET', `/api/v1/prints/${print.id}/`)
  expect(Print.parse(json).timelapse).toMatchObject({ reason_code: reason, reason: expect.stringContaining('.') })
})

/** Asks for the print's time-lapse again. */
const retry = (printId: number) => server.call('POST', `/api/v1/prints/${printId}/timelapse/retry/`)

test('without an encoder the pictures to look back on are made, the frames stay, and it is made when there is one', async () => {
  encoder = undefined
  const { print, printerId, authToken } = await startPrint(server)
  await sendPicture(server, authToken, await colouredPicture(1))
  const [frame] = await server.blobs.list(framesPrefix(print.id))
  const frame_at = Number(/(\d+)\.jpg$/.exec(frame?.key ?? '')?.[1])
  await addPredictions(server, print, [{ frame_at, detections: '[]' }])
  expect((await retry(print.id)).status).toBe(409)
  await endPrint(server, printerId)
  expect(await timelapseEnd(server, print.id)).toMatchObject({
    timelapse_state: 'none',
    timelapse_reason: 'no_encoder',
  })
  expect(await server.blobs.list(framesPrefix(print.id))).toHaveLength(1)
  expect(await server.blobs.list(`prints/${print.id}/history/`)).toHaveLength(1)

  encoder = ffmpeg ?? wasmEncoder()
  const { status, json } = await retry(print.id)
  expect(status).toBe(200)
  expect(Print.parse(json).timelapse).toMatchObject({ state: 'waiting' })
  expect((await retry(print.id)).text).toContain('The time-lapse is being made.')
  expect(await timelapseEnd(server, print.id)).toMatchObject({ timelapse_state: 'done' })
  expect(await server.blobs.list(framesPrefix(print.id))).toEqual([])
  expect(await server.blobs.list(`prints/${print.id}/history/`)).toHaveLength(1)
  expect((await retry(print.id)).status).toBe(409)
})

test('somebody else’s time-lapse, and one without pictures, cannot be asked for', async () => {
  const { print, printerId } = await startPrint(server)
  await endPrint(server, printerId)
  await timelapseEnd(server, print.id)
  const refused = await retry(print.id)
  expect(refused.json).toMatchObject({ code: 'conflict' })
  expect(refused.text).toContain('No pictures of this print are left')
  const path = `/api/v1/prints/${print.id}/timelapse/retry/`
  expect((await server.call('POST', path, { token: server.other.token })).status).toBe(404)
})

test('a print that is deleted while its time-lapse is made leaves nothing behind', async () => {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let goOn = (): void => {}
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const real = ffmpeg ?? wasmEncoder()
  // The real encoder, which waits for the test where a slow one would be.
  encoder = {
    name: 'slow',
    open: async (file, form) => {
      const writer = await real.open(file, form)
      open()
      await mayGoOn
      return writer
    },
  }
  const { print, printerId, authToken } = await startPrint(server)
  for (let number = 0; number < 3; number++) await sendPicture(server, authToken, await colouredPicture(number))
  await endPrint(server, printerId)
  const ended = jobsEnd(server)
  await opened
  expect((await server.call('DELETE', `/api/v1/prints/${print.id}/`)).status).toBe(200)
  goOn()
  await ended
  expect(await kept(print.id)).toEqual([])
  expect(await readdir(server.scratchFolder)).toEqual([])
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
})

test('a time-lapse that failed can be made again, with nothing left of the first try', async () => {
  const broken = new Error('the disk is on fire')
  encoder = { name: 'broken', open: async () => Promise.reject(broken) }
  const { print, printerId, authToken } = await startPrint(server)
  for (let number = 0; number < 3; number++) await sendPicture(server, authToken, await colouredPicture(number))
  await endPrint(server, printerId)
  await vi.waitFor(
    async () => {
      server.clock.advance(3_600_000)
      server.bus.publish(JOBS_SUBJECT, {})
      expect((await findPrint(server.database.db, print.id))?.timelapse_state).toBe('failed')
    },
    { timeout: 40_000, interval: 50 },
  )
  expect(await server.blobs.list(framesPrefix(print.id))).toHaveLength(3)
  encoder = ffmpeg ?? wasmEncoder()
  expect((await retry(print.id)).status).toBe(200)
  const row = await timelapseEnd(server, print.id)
  expect(row).toMatchObject({ timelapse_state: 'done', timelapse_reason: null })
  const left = (await kept(print.id)).map(({ key }) => key).filter((key) => !/\/(history|shots)\//.test(key))
  expect(new Set(left)).toEqual(new Set([row.video_key, row.poster_key]))
  expect(await readdir(server.scratchFolder)).toEqual([])
})
