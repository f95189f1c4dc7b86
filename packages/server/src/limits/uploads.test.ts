import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { upload } from '../g-code/testing.js'
import { addPrint } from '../printers/testing.js'
import { startTestServer, type TestServer, type TestUser } from '../testing.js'

// Files whose bytes do not come: whoever lets them stall keeps places that are their own, and nobody else's.

const servers: TestServer[] = []
const sockets: Socket[] = []

async function start(user_uploads_at_once: number): Promise<TestServer> {
  const server = await startTestServer({ limits: { user_uploads_at_once } })
  servers.push(server)
  return server
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

interface Started {
  readonly socket: Socket
  /** What the server answers before the rest has come. */
  readonly answer: Promise<{ readonly status: number; readonly retryAfter: number }>
}

const FORM = 'multipart/form-data; boundary=b'
const PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.gcode"\r\n\r\n'

/** Begins to send a file, and stops in the middle. */
async function begin(server: TestServer, user: TestUser, path: string, type = FORM, part = PART): Promise<Started> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${user.token}`, `Content-Type: ${type}`]
  socket.write([...head, 'Content-Length: 100000', '', `${part}G28\nG1 X1\n`].join('\r\n'))
  const answer = once(socket, 'data').then(([bytes]) => {
    const text = String(bytes)
    return { status: Number(text.slice(9, 12)), retryAfter: Number(/retry-after: (\d+)/i.exec(text)?.[1]) }
  })
  return { socket, answer }
}

/** Waits until so many blobs are on their way in: each upload writes down first what it would leave behind. */
async function underWay(server: TestServer, count: number): Promise<void> {
  const query = server.database.db.selectFrom('doomed_blobs').select('key').where('key', 'like', '%.gcode')
  await expect.poll(async () => (await query.execute()).length).toBe(count)
}

const UPLOADS = '/api/v1/g_code_files/'

test('a user sends so many files at once; others send theirs, and an end makes room', async () => {
  const server = await start(3)
  const stalled = await Promise.all([1, 2, 3].map(() => begin(server, server.owner, UPLOADS)))
  await underWay(server, 3)
  expect(await (await begin(server, server.owner, UPLOADS)).answer).toEqual({ status: 429, retryAfter: 5 })
  await upload(server, 'other.gcode', 'G28\n', { token: server.other.token })
  const metrics = await server.call('GET', '/metrics', { token: null })
  expect(metrics.text).toContain('printwarden_limited_total{limit="user_uploads_at_once"} 1')
  stalled[0]?.socket.destroy()
  await underWay(server, 2)
  await upload(server, 'mine.gcode')
})

/** Where a user's video of a print that has ended is sent. */
async function videoPath(server: TestServer, { id }: TestUser): Promise<string> {
  const { printer } = await server.addPrinter(id)
  const print = await addPrint(server.database.db, printer, { state: 'finished', finished_at: 1_800_000_000_000 })
  return `/api/v1/prints/${print.id}/timelapse/`
}

test('two videos of one user leave room for those of others, and count as uploads too', async () => {
  const server = await start(3)
  const [mine, theirs] = [await videoPath(server, server.owner), await videoPath(server, server.other)]
  await Promise.all([1, 2].map(() => begin(server, server.owner, mine)))
  await expect.poll(async () => (await readdir(join(server.folder, 'videos'))).length).toBe(2)
  expect(await (await begin(server, server.owner, mine)).answer).toEqual({ status: 429, retryAfter: 10 })
  // It is looked at, and is none.
  const body = `${PART}no video at all\r\n--b--\r\n`
  const headers = { authorization: `Bearer ${server.other.token}`, 'content-type': FORM }
  expect((await fetch(server.url + theirs, { method: 'POST', headers, body })).status).toBe(415)

  await begin(server, server.owner, UPLOADS)
  await underWay(server, 1)
  expect(await (await begin(server, server.owner, UPLOADS)).answer).toEqual({ status: 429, retryAfter: 5 })
})

test('four imports of one administrator leave room for those of others', async () => {
  const server = await start(100)
  const second = await server.addUser('second', true)
  const file = {
    ...{ kind: 'file', source_id: 3, parent: null, resident_printer: null, filename: 'boat.gcode', has_bytes: true },
    ...{ num_bytes: 5, printer_path: null, agent_signature: null, metadata_json: null, filament_total: null },
    ...{ estimated_time: null, created_at: '2026-01-01T00:00:00.000Z', deleted_at: null },
  }
  const source = { url: 'https://old.example', user_id: 3 }
  const { json } = await server.call('POST', '/api/v1/admin/imports/', { body: { source, records: [file] } })
  const id = z
    .object({ outcomes: z.tuple([z.object({ wants: z.tuple([z.object({ item_id: z.int() })]) })]) })
    .parse(json).outcomes[0].wants[0].item_id
  const bring = (user: TestUser) =>
    begin(server, user, `/api/v1/admin/imports/${id}/bytes/`, 'application/octet-stream', '')
  await Promise.all([1, 2, 3, 4].map(() => bring(server.owner)))
  await underWay(server, 4)
  expect(await (await bring(server.owner)).answer).toEqual({ status: 429, retryAfter: 2 })
  await bring(second)
  await underWay(server, 5)
})
