import {
  Alert,
  Backtest,
  Calibration,
  CameraLearned,
  DetectionExample,
  flagsOf,
  PrintFrame,
  type StateText,
} from '@printwarden/protocol'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { WebSocket } from 'ws'
import { startTestServer, type TestServer } from '../../testing.js'
import type { Detector, Findings } from '../detector.js'

// From pictures to an alert that is explained, answered, and taken back, through the doors that agents and apps use. Only the detector
// is ours: it finds what the test says.

let score = 0
const picture = (background: string) =>
  sharp({ create: { width: 640, height: 480, channels: 3, background } })
    .jpeg()
    .toBuffer()
const [tagged, snapshot] = await Promise.all([picture('green'), picture('grey')])

/** Whether the detector tells where and what it saw, as the shipped one does. */
let tellsMore = false
const mapOf = (value: number): Float32Array => new Float32Array(400).fill(value)
const embeddingOf = (value: number): Float32Array =>
  Float32Array.from({ length: 16 }, (_, i) => Math.sin((i + 1) * (1 + value)))

const detector: Detector = {
  async detect(): Promise<Findings> {
    return {
      score,
      detections: score > 0.2 ? [['failure', score, [320, 240, 64, 48]]] : [],
      model: 'test/1',
      tagged: score > 0.2 ? tagged : null,
      ...(tellsMore ? { map: mapOf(score), embedding: embeddingOf(score) } : {}),
      times: { decodeMs: 0, inferenceMs: 0, drawMs: 0 },
    }
  },
  ready: () => true,
  close: async () => {},
}

/** A busy machine takes its time. */
const PATIENT = { timeout: 20_000, interval: 10 }

let server: TestServer
let analysed: number
let printer: { id: number; auth_token: string }
let socket: WebSocket

async function get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
  const { status, json, text } = await server.call('GET', path)
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
  return schema.parse(json)
}

async function report(text: StateText, event?: string): Promise<void> {
  const file = { name: 'cube.gcode', path: 'cube.gcode', display: 'cube.gcode' }
  const status = { _ts: server.clock.now() / 1000, state: { text, flags: flagsOf(text) }, job: { file } }
  socket.send(
    JSON.stringify({ current_print_ts: 1_795_000_000, status, ...(event && { event: { event_type: event } }) }),
  )
  await vi.waitFor(async () => {
    const { json } = await server.call('GET', `/api/v1/printers/${printer.id}/`)
    expect(json).toMatchObject({ status: { _ts: status._ts } })
  }, PATIENT)
}

/** Ten seconds of printing, `count` times, each with a picture that is analysed. */
async function prints(count: number, looks: number): Promise<void> {
  score = looks
  for (let i = 0; i < count; i++) {
    server.clock.advance(10_000)
    await report('Printing')
    const before = analysed
    const form = new FormData()
    form.append('pic', new Blob([new Uint8Array(snapshot)], { type: 'image/jpeg' }), 'pic.jpg')
    const headers = { authorization: `Token ${printer.auth_token}` }
    const { status } = await fetch(`${server.url}/api/v1/agent/pic/`, { method: 'POST', headers, body: form })
    expect(status).toBe(200)
    await vi.waitFor(() => expect(analysed).toBe(before + 1), PATIENT)
  }
}

beforeEach(async () => {
  analysed = 0
  tellsMore = false
  server = await startTestServer({ detector, frames: { observe: () => analysed++ } })
  const added = await server.addPrinter(server.owner.id)
  printer = { id: added.printer.id, auth_token: added.auth_token }
  socket = new WebSocket(`${server.wsUrl}/ws/agent/`, 'agent.v1', {
    headers: { authorization: `Bearer ${printer.auth_token}` },
  })
  socket.on('message', (data: Buffer) => {
    const { commands = [] } = JSON.parse(data.toString()) as { commands?: { id: string }[] }
    for (const { id } of commands) socket.send(JSON.stringify({ ack: { id, result: 'ok' } }))
  })
  await new Promise((resolve) => socket.once('open', resolve))
  await report('Printing', 'PrintStarted')
}, 120_000)

afterEach(async () => {
  socket.close()
  await server.close()
}, 120_000)

async function printId(): Promise<number> {
  const { current_print } = await get(
    `/api/v1/printers/${printer.id}/`,
    z.object({ current_print: z.object({ id: z.int() }) }),
  )
  return current_print.id
}

async function calibration(camera: number): Promise<Calibration> {
  return get(`/api/v1/printers/${printer.id}/cameras/${camera}/calibration/`, Calibration)
}

test('an alert is kept with what it was judged by; its answer moves the camera, and can be taken back', async () => {
  await prints(5, 0.05)
  await prints(12, 0.97)
  const print = await printId()
  const alerts = await get(`/api/v1/prints/${print}/alerts/`, z.array(Alert))
  const paused = alerts.at(-1)
  if (paused?.camera == null || paused.image_url === null || paused.raw_url === null)
    throw new Error('no alert was kept')
  expect(paused).toMatchObject({
    print,
    printer: printer.id,
    outcome: 'paused',
    answer: null,
    detections: [['failure', 0.97, [320, 240, 64, 48]]],
  })
  expect(paused.evidence).toMatchObject({
    model: 'test/1',
    rule: { level: 'failing', score: 0.97, sensitivity: 1, smoothing: 'default' },
  })
  expect(paused.evidence.history.length).toBeGreaterThanOrEqual(6)
  expect(paused.evidence.history[0]).toMatchObject({ score: 0.05 })
  expect(paused.explanation).toMatch(/^The print was paused\. .* above two thirds/)
  expect(Buffer.from(await (await fetch(paused.raw_url)).arrayBuffer()).equals(snapshot)).toBe(true)
  expect(Buffer.from(await (await fetch(paused.image_url)).arrayBuffer()).equals(tagged)).toBe(true)

  // The printer pauses: everyone is told by whom.
  await report('Paused', 'PrintPaused')
  await vi.waitFor(async () => {
    const shown = await get(`/api/v1/prints/${print}/`, z.looseObject({ last_action: z.unknown() }))
    expect(shown.last_action).toMatchObject({ action: 'paused', by: 'system', reason: 'failing', alert_id: paused.id })
  }, PATIENT)
  const events = await get(`/api/v1/printer_events/?printer_id=${printer.id}`, z.array(z.looseObject({})))
  expect(events).toContainEqual(
    expect.objectContaining({
      event_type: 'PAUSED',
      initiator: 'system',
      alert_id: paused.id,
      event_text: 'cube.gcode was paused by Printwarden, because it looked like a failure.',
    }),
  )

  expect(await calibration(paused.camera.id)).toMatchObject({ offset: 0, needed_score: 0.5, answers: [] })
  const answered = await server.call('POST', `/api/v1/alerts/${paused.id}/answer/`, { body: { answer: 'NOT_FAILED' } })
  expect(answered.json).toMatchObject({ alert: { answer: 'NOT_FAILED' }, needed_score_before: 0.5 })
  const after = await calibration(paused.camera.id)
  expect(after.offset).toBeLessThan(-0.3)
  expect(after.text).toBe(
    `Because of one answer, alerts on this camera need a score of ${after.needed_score.toFixed(2)} instead of 0.50.`,
  )
  expect(after.answers).toMatchObject([{ answer: 'NOT_FAILED', source: 'alert', alert: paused.id, step: after.offset }])
  expect(await get(`/api/v1/prints/${print}/`, z.looseObject({}))).toMatchObject({ alert_overwrite: 'NOT_FAILED' })

  // What comes next counts for less, and says so.
  await report('Printing', 'PrintResumed')
  await prints(1, 0.9)
  const { db } = server.database
  await vi.waitFor(async () => {
    const rows = await db.selectFrom('predictions').selectAll().orderBy('frame_at', 'desc').limit(1).execute()
    expect(rows[0]).toMatchObject({ score: 0.9, judged_score: 0.9 })
    expect(rows[0]?.current_p).toBeLessThan(0.87)
  }, PATIENT)

  const [answer] = after.answers
  const path = `/api/v1/printers/${printer.id}/cameras/${paused.camera.id}/calibration/answers/${answer?.id}/`
  expect((await server.call('DELETE', path)).json).toMatchObject({ offset: 0, answers: [] })
  expect(await get(`/api/v1/alerts/${paused.id}/`, Alert)).toMatchObject({ answer: null, example_id: null })
  expect((await server.call('DELETE', path)).status).toBe(404)
}, 240_000)

test('taken back, an answer has taught the camera nothing at all', async () => {
  tellsMore = true
  await prints(4, 0.05)
  await prints(12, 0.95)
  const alert = (await get(`/api/v1/prints/${await printId()}/alerts/`, z.array(Alert))).at(-1)
  if (alert?.camera == null) throw new Error('no alert')
  const path = `/api/v1/printers/${printer.id}/cameras/${alert.camera.id}/learned/`
  const learned = () => get(path, CameraLearned)
  const answer = (said: string | null) =>
    server.call('POST', `/api/v1/alerts/${alert.id}/answer/`, { body: { answer: said } })
  const before = await learned()
  expect(before.prototypes).toMatchObject({ failures: 0, not_failures: 0 })
  for (const [said, prototypes] of [
    ['NOT_FAILED', { failures: 0, not_failures: 1 }],
    ['FAILED', { failures: 1, not_failures: 0 }],
    ['NOT_FAILED', { failures: 0, not_failures: 1 }],
  ] as const) {
    expect((await answer(said)).status).toBe(200)
    await vi.waitFor(async () => expect((await learned()).prototypes).toMatchObject(prototypes), PATIENT)
    expect((await learned()).baseline.hours).toBe(said === 'NOT_FAILED' ? 1 : before.baseline.hours)
  }
  expect((await answer(null)).status).toBe(200)
  await vi.waitFor(async () => expect((await learned()).prototypes).toMatchObject(before.prototypes), PATIENT)
  expect((await learned()).baseline).toMatchObject({ hours: before.baseline.hours, map: before.baseline.map })
  expect(await calibration(alert.camera.id)).toMatchObject({ offset: 0, answers: [] })
}, 240_000)

test('resuming after a pause is an answer, and a reset lets scores count as they are', async () => {
  await prints(3, 0.05)
  await prints(12, 0.97)
  await report('Paused', 'PrintPaused')
  expect((await server.call('POST', `/api/v1/printers/${printer.id}/resume_print/`)).json).toMatchObject({
    succeeded: true,
  })
  const print = await printId()
  const alert = (await get(`/api/v1/prints/${print}/alerts/`, z.array(Alert))).at(-1)
  expect(alert).toMatchObject({ answer: 'NOT_FAILED' })
  const camera = alert?.camera?.id ?? 0
  const taught = await calibration(camera)
  expect(taught.answers).toMatchObject([{ source: 'resume', answer: 'NOT_FAILED' }])
  expect(taught.offset).toBeLessThan(0)
  expect((await server.call('PATCH', `/api/v1/prints/${print}/`, { body: { alert_overwrite: 'FAILED' } })).status).toBe(
    200,
  )
  expect((await calibration(camera)).answers).toMatchObject([{ source: 'overwrite', answer: 'FAILED' }])
  const reset = await server.call('POST', `/api/v1/printers/${printer.id}/cameras/${camera}/calibration/reset/`)
  expect(reset.json).toMatchObject({ offset: 0, answers: [] })
  expect(await get('/api/v1/detection/examples/', z.array(DetectionExample))).toMatchObject([{ is_calibrating: false }])
}, 240_000)

test('what is said after an alert that has no record is not said of the one before it', async () => {
  await prints(3, 0.05)
  await prints(12, 0.97)
  const print = await printId()
  const kept = (await get(`/api/v1/prints/${print}/alerts/`, z.array(Alert))).at(-1)
  const answered = async () => (await get(`/api/v1/alerts/${kept?.id}/`, Alert)).answer
  const answer = (said: string) => server.call('POST', `/api/v1/alerts/${kept?.id}/answer/`, { body: { answer: said } })
  expect((await answer('NOT_FAILED')).status).toBe(200)
  // As a pause is told whose server ended before it could.
  const { db } = server.database
  const alerted_at = server.clock.now() + 600_000
  await db.updateTable('prints').set({ alerted_at }).where('id', '=', print).execute()
  server.clock.advance(600_001)
  const shown = () => get(`/api/v1/prints/${print}/`, z.looseObject({ alert_acknowledged_at: z.string() }))
  const before = await shown()
  expect((await answer('FAILED')).status).toBe(200)
  expect(await shown()).toMatchObject({
    alert_acknowledged_at: before.alert_acknowledged_at,
    alert_overwrite: 'NOT_FAILED',
  })
  await server.call('PATCH', `/api/v1/prints/${print}/`, { body: { alert_overwrite: 'NOT_FAILED' } })
  await server.call('PATCH', `/api/v1/prints/${print}/`, { body: { alert_overwrite: null } })
  expect(await answered()).toBe('FAILED')
}, 240_000)

test('judged again with the same settings a print goes as it went, and with others as it would have', async () => {
  await prints(6, 0.05)
  await prints(12, 0.97)
  const print = await printId()
  await vi.waitFor(async () => {
    const rows = await server.database.db.selectFrom('predictions').select('id').execute()
    expect(rows).toHaveLength(18)
  }, PATIENT)
  const same = Backtest.parse((await server.call('POST', `/api/v1/prints/${print}/backtest/`, { body: {} })).json)
  expect(same).toMatchObject({ status: 'done', progress: 1, result: { notes: [] } })
  expect(same.result?.normalized_p).toEqual(same.result?.actual_normalized_p)
  expect(same.result?.would.map(({ ts, outcome }) => ({ ts, outcome }))).toEqual(same.result?.happened)
  expect(same.result?.happened.map(({ outcome }) => outcome)).toContain('paused')

  const body = { sensitivity: 0.3 }
  const calm = Backtest.parse((await server.call('POST', `/api/v1/prints/${print}/backtest/`, { body })).json)
  expect(calm.result?.would.map(({ outcome }) => outcome)).not.toContain('paused')
  expect(await get(`/api/v1/backtests/${calm.id}/`, Backtest)).toEqual(calm)
  const refused = await server.call('POST', `/api/v1/prints/${print}/backtest/`, { body: { tiles: true } })
  expect(refused).toMatchObject({ status: 400, json: { issues: [{ path: 'tiles' }] } })
}, 240_000)

test('a failure that nobody noticed is labelled on a kept picture, and labelled pictures leave only with consent', async () => {
  await prints(3, 0.15)
  const print = await printId()
  const frames = await get(`/api/v1/prints/${print}/frames/`, z.array(PrintFrame))
  expect(frames).toHaveLength(3)
  const body = { frame_ts: frames[1]?.ts, answer: 'FAILED', boxes: [[0.5, 0.5, 0.25, 0.5]] }
  const made = await server.call('POST', `/api/v1/prints/${print}/examples/`, { body })
  const example = DetectionExample.parse(made.json)
  expect(example).toMatchObject({ source: 'frame', answer: 'FAILED', is_calibrating: true })
  expect((await calibration(example.camera ?? 0)).offset).toBeGreaterThan(0)
  const missing = await server.call('POST', `/api/v1/prints/${print}/examples/`, { body: { ...body, frame_ts: 12 } })
  expect(missing.status).toBe(404)

  const path = '/api/v1/detection/examples/export/'
  expect((await server.call('GET', path)).status).toBe(409)
  await server.call('PATCH', '/api/v1/users/me/', { body: { detection_export_consent: true } })
  const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${server.owner.token}` } })
  expect(response.status).toBe(200)
  const zip = Buffer.from(await response.arrayBuffer())
  expect(zip.includes('0 0.5 0.5 0.25 0.5\n')).toBe(true)
  expect(zip.toString('latin1')).toMatch(/images\/(train|val)\/picture-[0-9a-f]{10}\.jpg/)
  for (const name of ['Left', 'cube', 'owner']) expect(zip.includes(name), name).toBe(false)

  expect((await server.call('DELETE', `/api/v1/detection/examples/${example.id}/`)).status).toBe(200)
  expect((await calibration(example.camera ?? 0)).offset).toBe(0)
  expect((await fetch(example.image_url)).status).toBe(404)
}, 240_000)
