import type { ImportOutcome, ImportRecord } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'

// Records of another server, taken over by the whole server on a real database: each once, whatever comes again.

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(async () => {
  await server.close()
})

const START = '2026-01-01T00:00:00.000Z'
const LATER = '2026-01-01T01:00:00.000Z'

const printer = (changes: object = {}): ImportRecord => ({
  ...{ kind: 'printer', source_id: 4, auth_token: 'ab'.repeat(20), created_at: START, archived_at: null },
  ...{ agent_name: null, agent_version: null, name: 'Left Ünï', action_on_failure: 'PAUSE', watching_enabled: true },
  ...{ tools_off_on_pause: true, bed_off_on_pause: false, retract_on_pause: 6.5, lift_z_on_pause: 2.5 },
  ...{ detective_sensitivity: 1, min_timelapse_secs_on_finish: 600, min_timelapse_secs_on_cancel: 300 },
  ...changes,
})

const folder: ImportRecord = { kind: 'folder', source_id: 2, parent: null, name: 'Brackets' }

const file: ImportRecord = {
  ...{ kind: 'file', source_id: 3, parent: 2, resident_printer: null, filename: 'boat.gcode', has_bytes: true },
  ...{ num_bytes: 5, printer_path: null, agent_signature: null, metadata_json: null, filament_total: null },
  ...{ estimated_time: null, created_at: START, deleted_at: null },
}

const print: ImportRecord = {
  ...{ kind: 'print', source_id: 9, printer: 4, g_code_file: null, filename: 'boat.gcode', started_at: START },
  ...{ finished_at: LATER, cancelled_at: null, failed_at: null, uploaded_at: null, alerted_at: null },
  ...{ alert_acknowledged_at: null, alert_muted_at: null, paused_at: null, access_consented_at: null },
  ...{ video_archived_at: null, alert_overwrite: null, filament_used: 12.5, print_time: 3600 },
  parts: [{ kind: 'predictions', source_id: 9, answer: null, answered_at: null }],
}

async function take(records: ImportRecord[], changes: object = {}): Promise<ImportOutcome[]> {
  const source = { url: 'https://old.example', user_id: 3 }
  const answer = await server.call('POST', '/api/v1/admin/imports/', { body: { source, records, ...changes } })
  expect(answer).toMatchObject({ status: 200 })
  return (answer.json as { outcomes: ImportOutcome[] }).outcomes
}

const list = async (name: string): Promise<Record<string, unknown>[]> =>
  (await server.call('GET', `/api/v1/${name}/`)).json as Record<string, unknown>[]

async function sendBytes(id: number, bytes: string): Promise<number> {
  const response = await fetch(`${server.url}/api/v1/admin/imports/${id}/bytes/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.owner.token}`, 'content-type': 'application/octet-stream' },
    body: bytes,
  })
  return response.status
}

test('a dry run says what would happen and changes nothing', async () => {
  const outcomes = await take([printer(), folder, file, print], { dry_run: true })
  expect(outcomes.map(({ outcome, id }) => [outcome, id])).toEqual(Array.from({ length: 4 }, () => ['created', null]))
  expect(await list('printers')).toEqual([])
  expect(await server.database.db.selectFrom('imported_items').selectAll().execute()).toEqual([])
})

test('printers, folders, prints and their curves come once, with their tokens and times', async () => {
  const first = await take([printer(), folder, print])
  expect(first.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created'])
  expect(await list('printers')).toMatchObject([{ name: 'Left Ünï', auth_token: 'ab'.repeat(20) }])
  expect(await list('prints')).toMatchObject([{ started_at: START, finished_at: LATER, filament_used: 12.5 }])

  const wanted = first[2]?.wants[0]?.item_id
  if (wanted == null) throw new Error('the curve is not wanted')
  const curve = [1, 2].map((frame) => ({
    model: 'app.printerprediction',
    pk: frame,
    fields: {
      ...{ current_frame_num: frame, lifetime_frame_num: frame, current_p: 0.25, ewm_mean: 0.2, normalized_p: 0.3 },
      ...{ rolling_mean_long: 0, rolling_mean_short: 0, created_at: `2026-01-01T00:00:0${frame}Z`, updated_at: START },
    },
  }))
  expect(await sendBytes(wanted, JSON.stringify(curve))).toBe(200)
  expect(await sendBytes(wanted, JSON.stringify(curve))).toBe(200)
  expect(await server.database.db.selectFrom('predictions').selectAll().execute()).toHaveLength(2)

  const again = await take([printer(), folder, print])
  expect(again.map(({ outcome }) => outcome)).toEqual(['present', 'present', 'present'])
  expect(again.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
})

test("a file's bytes are taken once, and its record waits for them", async () => {
  const [outcome] = await take([file])
  const wanted = outcome?.wants[0]?.item_id
  if (wanted == null) throw new Error('the bytes are not wanted')
  expect(await sendBytes(wanted, 'G28 X')).toBe(200)
  expect((await take([file])).map((one) => [one.outcome, one.wants])).toEqual([['present', []]])
  const rows = await server.database.db.selectFrom('g_code_files').select(['filename', 'num_bytes']).execute()
  expect(rows).toEqual([{ filename: 'boat.gcode', num_bytes: 5 }])
})

test('what was changed there comes, what was changed here stays, and both is told', async () => {
  const [row] = await list('printers')
  await server.call('PATCH', `/api/v1/printers/${String(row?.['id'])}/`, { body: { name: 'Mine' } })
  const [outcome] = await take([printer({ name: 'Theirs', retract_on_pause: 3 })])
  expect(outcome?.notes.join()).toMatch(/name/)
  expect(await list('printers')).toMatchObject([{ name: 'Mine', retract_on_pause: 3 }])
})

test('what was deleted here stays deleted', async () => {
  await server.database.db.deleteFrom('prints').execute()
  const [outcome] = await take([print])
  expect(outcome?.outcome).not.toBe('created')
  expect(await list('prints')).toEqual([])
})

test('records that are sent many times at once come once', async () => {
  const many = { ...folder, source_id: 77, name: 'At once' }
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => take([many])))
  expect(new Set(outcomes.map(([one]) => one?.id)).size).toBe(1)
  const rows = await server.database.db
    .selectFrom('g_code_folders')
    .select('id')
    .where('name', '=', 'At once')
    .execute()
  expect(rows).toHaveLength(1)
})
