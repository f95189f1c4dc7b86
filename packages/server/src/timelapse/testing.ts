import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { vi } from 'vitest'
import { findFfmpeg } from '../adapters/encoder-ffmpeg.js'
import { wasmEncoder } from '../adapters/encoder-wasm.js'
import { ffmpegPoster } from '../adapters/poster-ffmpeg.js'
import { insertPredictions, type NewPrediction } from '../detection/store.js'
import { JOBS_SUBJECT } from '../jobs/flow.js'
import { findPrint, type PrintRow } from '../prints/store.js'
import { startTestServer, type TestServer } from '../testing.js'
import type { VideoEncoder } from './encoder.js'
import { TIMELAPSE_JOB } from './request-flow.js'
import { KEEP_ALL, type RetentionLimits } from './retention.js'

/** A server that does jobs, with the encoder of this machine. */
export async function startJobServer(
  findEncoder: () => Promise<VideoEncoder | undefined> = async () => (await findFfmpeg()) ?? wasmEncoder(),
  retention: RetentionLimits = KEEP_ALL,
): Promise<TestServer & { readonly scratchFolder: string }> {
  const scratchFolder = await mkdtemp(join(tmpdir(), 'printwarden-scratch-'))
  const server = await startTestServer({
    jobs: { findEncoder },
    videos: { scratchFolder, grabPoster: ffmpegPoster() },
    retention,
  })
  return Object.assign(server, { scratchFolder })
}

/** A JPEG of one colour that tells which frame it is. */
export async function colouredPicture(number: number, width = 64, height = 48): Promise<Buffer> {
  const background = { r: (number * 40) % 256, g: 20, b: 200 }
  return sharp({ create: { width, height, channels: 3, background } })
    .jpeg({ quality: 95 })
    .toBuffer()
}

/** Starts a print on a new printer whose prints all get a time-lapse. */
export async function startPrint(server: TestServer, settings: object = {}) {
  const printer = await server.addPrinter(server.owner.id)
  const limits = { min_timelapse_secs_on_finish: 0, min_timelapse_secs_on_cancel: 0, ...settings }
  await server.call('PATCH', `/api/v1/printers/${printer.printer.id}/`, { body: limits })
  const started = await server.call('POST', `/api/v1/printers/${printer.printer.id}/start_print/`, {
    body: { filename: 'boat.gcode' },
  })
  if (started.status !== 200) throw new Error(started.text)
  const row = await server.database.db
    .selectFrom('prints')
    .selectAll()
    .where('printer_id', '=', printer.printer.id)
    .executeTakeFirstOrThrow()
  return { printerId: printer.printer.id, authToken: printer.auth_token, print: row }
}

/** Uploads a picture as the printer's agent, ten seconds after the last one. */
export async function sendPicture(
  server: TestServer,
  authToken: string,
  bytes: Uint8Array,
  fields: Record<string, string> = {},
): Promise<void> {
  server.clock.advance(10_000)
  const form = new FormData()
  form.set('pic', new Blob([Uint8Array.from(bytes)], { type: 'image/jpeg' }), 'pic.jpg')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const headers = { authorization: `Bearer ${authToken}` }
  const response = await fetch(`${server.url}/api/v1/agent/pic/`, { method: 'POST', headers, body: form })
  if (!response.ok) throw new Error(await response.text())
}

/** Stores what a detector would have found in frames. */
export async function addPredictions(
  server: TestServer,
  print: PrintRow,
  frames: readonly { readonly frame_at: number; readonly detections: string }[],
): Promise<void> {
  const rows = frames.map(
    ({ frame_at, detections }, index): NewPrediction => ({
      ...{ print_id: print.id, printer_id: print.printer_id, frame_at, detections },
      ...{ current_frame_num: index + 1, lifetime_frame_num: index + 1, current_p: 0.1, normalized_p: 0.1 },
      ...{ ewm_mean: 0, rolling_mean_short: 0, rolling_mean_long: 0 },
      ...{ detector: 'test', sensitivity: 1, created_at: frame_at },
    }),
  )
  await insertPredictions(server.database.db, rows)
}

export async function endPrint(server: TestServer, printerId: number, status = 'success'): Promise<void> {
  const answer = await server.call('POST', `/api/v1/printers/${printerId}/finish_print/`, { body: { status } })
  if (answer.status !== 200) throw new Error(answer.text)
}

/** Lets time pass until every time-lapse is made. */
export async function jobsEnd(server: TestServer): Promise<void> {
  await vi.waitFor(
    async () => {
      server.clock.advance(5_000)
      server.bus.publish(JOBS_SUBJECT, {})
      const jobs = server.database.db.selectFrom('jobs').select('state').where('state', '!=', 'dead')
      if ((await jobs.where('kind', '=', TIMELAPSE_JOB).execute()).length > 0) throw new Error('jobs are left')
    },
    { timeout: 40_000, interval: 100 },
  )
}

/** Lets time pass until the print's time-lapse is made, or is known not to be. */
export async function timelapseEnd(server: TestServer, printId: number): Promise<PrintRow> {
  await jobsEnd(server)
  const row = await findPrint(server.database.db, printId)
  if (row === undefined) throw new Error('the print is gone')
  return row
}
