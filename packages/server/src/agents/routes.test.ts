import { connect, type Socket } from 'node:net'
import sharp, { type Sharp } from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listCameras } from '../detection/cameras/cameras-store.js'
import { cameraPicKey, type LivePic, picKey } from '../printers/live-keys.js'
import { type PrinterNotice, printerSubject } from '../printers/notices.js'
import { findPrintByTs } from '../prints/store.js'
import { type AgentServer, type AgentServerOptions, startAgentServer, statusMessage, until } from './testing.js'

const PIC = '/api/v1/agent/pic/'
const EVENTS = '/api/v1/agent/printer_events/'
const T = 1_795_000_000

let server: AgentServer
/** For most tests; each has a printer of its own. */
let shared: AgentServer
let agent: { id: number; token: string }
let jpeg: Buffer

beforeAll(async () => {
  shared = await startAgentServer()
  jpeg = await picture(640, 480).jpeg().toBuffer()
})

afterAll(() => shared.close())

beforeEach(async () => {
  server = shared
  agent = await server.addAgent()
})

afterEach(async () => {
  if (server !== shared) await server.close()
})

async function startOwn(options: AgentServerOptions = {}): Promise<void> {
  server = await startAgentServer(options)
  agent = await server.addAgent()
}

/** A picture with something in it. */
function picture(width: number, height: number): Sharp {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><circle cx="99" cy="99" r="77" fill="red"/></svg>`
  return sharp({ create: { width, height, channels: 3, background: 'teal' } }).composite([{ input: Buffer.from(svg) }])
}

function formOf(fields: Record<string, string | Buffer | undefined>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.set(name, value)
    else if (value !== undefined) form.set(name, new Blob([new Uint8Array(value)]), `${name}.jpg`)
  }
  return form
}

const upload = (fields: Record<string, string | Buffer | undefined>, token = agent.token) =>
  server.request(PIC, token, { method: 'POST', body: formOf(fields) })

const pic = async () => (await server.live.get(picKey(agent.id))) as LivePic | undefined
const offered = () => server.offered.filter(({ printer_id }) => printer_id === agent.id)

async function codeOf(response: Response): Promise<[number, string]> {
  const { code } = (await response.json()) as { code: string }
  return [response.status, code]
}

/** Makes a print run, and leaves. */
async function startPrint(): Promise<void> {
  const socket = await server.connect(agent.token)
  socket.send(statusMessage(server.clock.time, 'Printing', T, { event: { event_type: 'PrintStarted' } }))
  await socket.settled()
}

describe('the printer of an agent', () => {
  test('is told', async () => {
    const response = await server.request('/api/v1/agent/printer/', agent.token)
    expect(await response.json()).toEqual({
      user: { is_pro: true },
      printer: { id: agent.id, name: 'mk3', is_pro: true, retract_on_pause: 6.5 },
      server_ts: server.clock.time / 1000,
    })
  })

  test.each([
    { path: '/api/v1/agent/printer/', method: 'GET' },
    { path: PIC, method: 'POST' },
    { path: EVENTS, method: 'POST' },
  ])('$method $path with a wrong token is 401, before anything is read', async ({ path, method }) => {
    const body = method === 'POST' ? formOf({ pic: jpeg }) : undefined
    const response = await server.request(path, '0'.repeat(40), { method, ...(body && { body }) })
    expect(await codeOf(response)).toEqual([401, 'unauthorized'])
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })
})

describe('a picture', () => {
  test('is kept, shown and told', async () => {
    const notices: PrinterNotice[] = []
    server.bus.subscribe(printerSubject(agent.id), (notice) => void notices.push(notice as PrinterNotice))
    const response = await upload({ pic: jpeg })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ result: 'ok' })
    const shown = await pic()
    expect(shown?.key).toMatch(new RegExp(`^printers/${agent.id}/pic/\\d+-[0-9a-f]{8}\\.jpg$`))
    expect(shown).toEqual({ key: shown?.key, raw_key: shown?.key, ts: server.clock.time / 1000 })
    const blob = await server.blobs.get(shown?.key ?? '')
    expect(blob?.contentType).toBe('image/jpeg')
    expect(Buffer.compare(blob?.bytes ?? Buffer.of(), jpeg)).toBe(0)
    expect(notices).toEqual([{ type: 'pic', pic: shown }])
    // Nothing is printing, so there is nothing to detect.
    expect(offered()).toEqual([])
  })

  test('of a running print is offered to detection', async () => {
    await startPrint()
    await upload({ pic: jpeg, age_ms: '1500' })
    const { id } = await server.db
      .selectFrom('prints')
      .select('id')
      .where('printer_id', '=', agent.id)
      .executeTakeFirstOrThrow()
    const frame_at = server.clock.time - 1500
    expect(offered()).toMatchObject([{ print_id: id, user_id: server.userId, frame_at, raw_key: (await pic())?.key }])
    expect(offered()[0]?.bytes.byteLength).toBe(jpeg.byteLength)
    expect((await pic())?.ts).toBe(frame_at / 1000)
  })

  test.each([
    { name: 'a boost is only shown', fields: { viewing_boost: 'True' }, isShown: true },
    { name: "another camera's is not the printer's", fields: { is_primary_camera: 'False' }, isShown: false },
  ])('$name', async ({ fields, isShown }) => {
    await startPrint()
    const response = await upload({ pic: jpeg, ...fields })
    expect(response.status).toBe(200)
    expect((await pic()) !== undefined).toBe(isShown)
    expect(offered()).toEqual([])
  })

  const nozzleCamera = async () => {
    const cameras = await listCameras(server.db, agent.id)
    const camera = cameras.find(({ name }) => name === 'Nozzle')
    if (camera === undefined) throw new Error('the camera is not known')
    return camera
  }

  test('of another camera is kept as the newest of that camera, and swept like the primary one', async () => {
    const fields = { is_primary_camera: 'False', camera_name: 'Nozzle' }
    const keys: string[] = []
    for (let sent = 0; sent < 4; sent++) {
      server.clock.time += 1000
      expect((await upload({ pic: jpeg, ...fields })).status).toBe(200)
      keys.push(((await server.live.get(cameraPicKey((await nozzleCamera()).id))) as LivePic).key)
    }
    const kept = await Promise.all(keys.map(async (key) => (await server.blobs.get(key)) !== undefined))
    expect(kept).toEqual([false, false, true, true])
    expect(await pic()).toBeUndefined()
  })

  test('of another camera is offered to detection once its user wants that', async () => {
    await startPrint()
    const fields = { is_primary_camera: 'False', camera_name: 'Nozzle' }
    await upload({ pic: jpeg, ...fields })
    expect(offered()).toEqual([])
    const { id } = await nozzleCamera()
    await server.db.updateTable('cameras').set({ detection_enabled: 1 }).where('id', '=', id).execute()
    server.clock.time += 1000
    await upload({ pic: jpeg, ...fields })
    expect(offered()).toMatchObject([{ camera: { id, name: 'Nozzle', is_primary: 0 } }])
  })

  test('of a ninth camera is refused, but the primary one may change its name', async () => {
    for (let count = 0; count < 8; count++) {
      const isPrimary = count === 0 ? 'True' : 'False'
      expect((await upload({ pic: jpeg, is_primary_camera: isPrimary, camera_name: `c${count}` })).status).toBe(200)
      server.clock.time += 1000
    }
    expect((await upload({ pic: jpeg, is_primary_camera: 'False', camera_name: 'ninth' })).status).toBe(409)
    expect((await upload({ pic: jpeg, is_primary_camera: 'True', camera_name: 'new name' })).status).toBe(200)
    const cameras = await listCameras(server.db, agent.id)
    expect(cameras).toHaveLength(8)
    expect(cameras.filter(({ is_primary }) => is_primary === 1).map(({ name }) => name)).toEqual(['new name'])
  })

  test('of another camera that is none is refused', async () => {
    expect((await upload({ pic: Buffer.from('x'), is_primary_camera: 'false' })).status).toBe(400)
  })

  test('that is older than the one shown is not shown, and leaves nothing behind', async () => {
    await startPrint()
    await upload({ pic: jpeg })
    const first = await pic()
    expect((await upload({ pic: jpeg, age_ms: '5000' })).status).toBe(200)
    expect(await pic()).toEqual(first)
    expect(offered()).toHaveLength(1)
  })

  test('stays for one more picture, then goes', async () => {
    const keys: string[] = []
    for (let count = 0; count < 5; count += 1) {
      server.clock.time += 1000
      await upload({ pic: jpeg })
      keys.push((await pic())?.key ?? '')
    }
    const kept = await Promise.all(keys.map(async (key) => (await server.blobs.get(key)) !== undefined))
    expect(kept).toEqual([false, false, false, true, true])
  })

  test('of an earlier run of the server goes too', async () => {
    const old = `printers/${agent.id}/pic/1-aaaaaaaa.jpg`
    const other = `printers/${agent.id}0/pic/1-aaaaaaaa.jpg`
    await server.blobs.put(old, jpeg, 'image/jpeg')
    await server.blobs.put(other, jpeg, 'image/jpeg')
    await upload({ pic: jpeg })
    expect(await server.blobs.get(old)).toBeUndefined()
    expect(await server.blobs.get(other)).toBeDefined()
    expect(await server.blobs.get((await pic())?.key ?? '')).toBeDefined()
  })

  test('several at once leave the newest one, whole', async () => {
    await Promise.all(['3000', '0', '1000', '2000'].map((age_ms) => upload({ pic: jpeg, age_ms })))
    const shown = await pic()
    expect(shown?.ts).toBe(server.clock.time / 1000)
    expect(await server.blobs.get(shown?.key ?? '')).toBeDefined()
  })

  test.each(['png', 'webp'] as const)('may be a %s', async (format) => {
    const bytes = await picture(64, 48).toFormat(format).toBuffer()
    expect((await upload({ pic: bytes })).status).toBe(200)
    const blob = await server.blobs.get((await pic())?.key ?? '')
    expect(blob?.contentType).toBe(`image/${format}`)
  })
})

/** A PNG that claims to be `width` × `height`, and has almost no bytes. */
async function claiming(width: number, height: number): Promise<Buffer> {
  const png = await picture(8, 8).png().toBuffer()
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  const { crc32 } = await import('node:zlib')
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}

describe('a picture of the past', () => {
  const ID = '0c0f3f3e-4d57-4f0b-9f0e-0c7a4f1b2a10'
  const past = (change: Record<string, string> = {}) =>
    upload({ pic: jpeg, current_print_ts: String(T), frame_id: ID, frame_age_ms: '7200000', ...change })
  const frames = async () => {
    const print = await findPrintByTs(server.database.db, agent.id, T)
    return (await server.blobs.list(`prints/${print?.id}/frames/`)).map(({ key }) => key)
  }

  test('is kept for its print under the time at which it was taken, neither shown nor checked', async () => {
    await startPrint()
    expect((await past()).status).toBe(200)
    expect(await frames()).toEqual([expect.stringMatching(`/${server.clock.time - 7_200_000}-${ID}\\.jpg$`)])
    expect(await pic()).toBeUndefined()
    expect(offered()).toEqual([])
  })

  test('is kept once, however often it comes', async () => {
    await startPrint()
    await past()
    await past({ frame_age_ms: '7200900' })
    expect(await frames()).toHaveLength(1)
  })

  test('is not kept again when it was uploaded at its time already', async () => {
    await startPrint()
    await upload({ pic: jpeg, frame_id: ID })
    expect((await past({ frame_age_ms: '10' })).status).toBe(200)
    expect(await frames()).toHaveLength(1)
  })

  test('of a print that nobody knows is refused', async () => {
    expect(await codeOf(await past({ current_print_ts: String(T + 9) }))).toEqual([404, 'not_found'])
  })

  test.each([{ current_print_ts: 'now' }, { frame_id: 'seven' }, { frame_age_ms: '99999999999999' }])(
    'with %j is refused',
    async (change) => {
      expect((await past(change)).status).toBe(400)
    },
  )
})

describe('what is no picture', () => {
  test.each([
    { name: 'a text', make: async () => Buffer.from('hello') },
    { name: 'nothing', make: async () => Buffer.of() },
    {
      name: 'a JPEG by its first bytes only',
      make: async () => Buffer.concat([jpeg.subarray(0, 4), Buffer.alloc(5000, 7)]),
    },
    { name: 'a JPEG that was cut off', make: async () => jpeg.subarray(0, jpeg.length / 2) },
    { name: 'a GIF', make: () => picture(64, 48).gif().toBuffer() },
    { name: 'an SVG', make: async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>') },
    { name: 'a PNG of 400 megapixels', make: () => claiming(20_000, 20_000) },
    { name: 'a PNG as large as PNGs can say', make: () => claiming(0x7fffffff, 0x7fffffff) },
    { name: 'a JPEG of 25 megapixels', make: () => picture(6250, 4000).jpeg({ quality: 1 }).toBuffer() },
  ])('$name is refused', async ({ make }) => {
    expect(await codeOf(await upload({ pic: await make() }))).toEqual([400, 'invalid_image'])
    expect(await pic()).toBeUndefined()
  })

  test('too many pixels are told as such', async () => {
    const response = await upload({ pic: await claiming(20_000, 20_000) })
    expect(await response.json()).toMatchObject({ detail: 'A picture may have 24 megapixels.' })
  })

  test('24 megapixels are fine', async () => {
    const bytes = await picture(6000, 4000).jpeg({ quality: 1 }).toBuffer()
    expect((await upload({ pic: bytes })).status).toBe(200)
  })
})

describe('a form', () => {
  test('without a picture is refused', async () => {
    const response = await upload({ camera_name: 'bed' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid_request', issues: [{ path: 'pic' }] })
  })

  test('with a picture as text is refused', async () => {
    expect(await codeOf(await upload({ pic: 'no file' }))).toEqual([400, 'invalid_request'])
  })

  test('with a wrong field is refused', async () => {
    const response = await upload({ pic: jpeg, age_ms: 'soon' })
    expect(await response.json()).toMatchObject({ code: 'invalid_request', issues: [{ path: 'age_ms' }] })
  })

  test('that is JSON is refused', async () => {
    const headers = { 'content-type': 'application/json' }
    const response = await server.request(PIC, agent.token, { method: 'POST', headers, body: '{}' })
    expect(await codeOf(response)).toEqual([415, 'unsupported_media_type'])
  })

  test.each([
    { name: 'without a boundary', type: 'multipart/form-data', body: 'x' },
    {
      name: 'that is cut off',
      type: 'multipart/form-data; boundary=b',
      body: '--b\r\nContent-Disposition: form-data; name="pic"; filename="a"\r\n\r\nhalf',
    },
    { name: 'that is garbage', type: 'multipart/form-data; boundary=b', body: 'garbage' },
    {
      name: 'with a name from the prototype',
      type: 'multipart/form-data; boundary=b',
      body: '--b\r\nContent-Disposition: form-data; name="__proto__"\r\n\r\nx\r\n--b--\r\n',
    },
  ])('$name is refused', async ({ type, body }) => {
    const response = await server.request(PIC, agent.token, { method: 'POST', headers: { 'content-type': type }, body })
    expect(response.status).toBe(400)
  })

  test('above the cap is refused, told beforehand or not', async () => {
    const big = Buffer.alloc(3 * 1024 * 1024)
    jpeg.copy(big)
    expect(await codeOf(await upload({ pic: big }))).toEqual([413, 'too_large'])
    const little = big.subarray(0, 1024 * 1024 + 10)
    expect(await codeOf(await upload({ pic: little }))).toEqual([413, 'too_large'])
  })

  test('with too many parts is refused', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, 'x']))
    expect((await upload({ ...many, pic: jpeg })).status).toBe(413)
  })
})

/** Sends the head of an upload and the first bytes of its body, and then waits. */
async function slowUpload(token: string): Promise<Socket> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  socket.write(
    `POST ${PIC} HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${token}\r\nContent-Type: multipart/form-data; boundary=b\r\n` +
      'Content-Length: 900000\r\n\r\n--b\r\nContent-Disposition: form-data; name="pic"; filename="a.jpg"\r\n\r\n',
  )
  return socket
}

describe('slow and busy clients', () => {
  test('a slow one is cut off in the end, and others are served meanwhile', async () => {
    await startOwn({ uploadTimeoutMs: 300 })
    const other = await server.addAgent()
    const slow = await slowUpload(agent.token)
    const isClosed = new Promise<void>((resolve) => slow.on('close', () => resolve()))
    expect((await upload({ pic: jpeg }, other.token)).status).toBe(200)
    expect((await upload({ pic: jpeg })).status).toBe(200)
    await isClosed
  })

  test('one agent cannot hold many uploads open', async () => {
    await startOwn()
    const slow = await Promise.all(Array.from({ length: 4 }, () => slowUpload(agent.token)))
    const response = await until(async () => {
      const tried = await upload({ pic: jpeg })
      return tried.status === 429 ? tried : undefined
    }, 'the limit')
    expect(response.headers.get('retry-after')).toBe('1')
    const other = await server.addAgent()
    expect((await upload({ pic: jpeg }, other.token)).status).toBe(200)
    for (const socket of slow) socket.destroy()
    await until(async () => ((await upload({ pic: jpeg })).status === 200 ? true : undefined), 'room again')
  })

  test('too many pictures are refused until later', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 32; count += 1) statuses.push((await upload({ is_primary_camera: 'false' })).status)
    expect(statuses.filter((status) => status !== 429)).toHaveLength(30)
    const response = await upload({ pic: jpeg })
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await codeOf(response)).toEqual([429, 'rate_limited'])
    server.clock.time += 1000
    expect((await upload({ pic: jpeg })).status).toBe(200)
  })

  test('an upload that the client gives up leaves the server well', async () => {
    const socket = await slowUpload(agent.token)
    socket.destroy()
    expect((await upload({ pic: jpeg })).status).toBe(200)
  })
})

describe('a printer event', () => {
  const event = {
    event_type: 'PRINTER_ERROR',
    event_class: 'ERROR',
    event_title: 'Jam',
    event_text: 'The filament is stuck.',
  }
  const rows = () => server.db.selectFrom('printer_events').selectAll().where('printer_id', '=', agent.id).execute()
  const report = (body: FormData | URLSearchParams) => server.request(EVENTS, agent.token, { method: 'POST', body })

  test('as a plain form is kept and told', async () => {
    const notices: PrinterNotice[] = []
    server.bus.subscribe(printerSubject(agent.id), (notice) => void notices.push(notice as PrinterNotice))
    const response = await report(new URLSearchParams({ ...event, info_url: 'https://example.org/x', notify: 'true' }))
    expect(response.status).toBe(200)
    expect(await rows()).toMatchObject([
      { ...event, info_url: 'https://example.org/x', print_id: null, image_key: null },
    ])
    expect(notices).toMatchObject([{ type: 'event', event: { ...event, printer: agent.id }, image_key: null }])
  })

  test('with a picture keeps the picture, and belongs to the running print', async () => {
    await startPrint()
    expect((await report(formOf({ ...event, snapshot: jpeg }))).status).toBe(200)
    const [row] = (await rows()).filter(({ event_type }) => event_type === 'PRINTER_ERROR')
    expect(row?.print_id).toEqual(expect.any(Number))
    expect(row?.image_key).toMatch(new RegExp(`^printers/${agent.id}/events/`))
    expect(await server.blobs.get(row?.image_key ?? '')).toMatchObject({ contentType: 'image/jpeg' })
    // It is no snapshot of now: the shown picture stays as it is.
    expect(await pic()).toBeUndefined()
  })

  test('with a picture that is none is refused, and not kept', async () => {
    expect(await codeOf(await report(formOf({ ...event, snapshot: Buffer.from('x') })))).toEqual([400, 'invalid_image'])
    expect(await rows()).toEqual([])
  })

  test('that lacks something, or has an unknown type, is refused', async () => {
    const response = await report(new URLSearchParams({ event_type: 'EXPLODED', event_title: 'x' }))
    expect(response.status).toBe(400)
    const { issues } = (await response.json()) as { issues: { path: string }[] }
    expect(issues.map(({ path }) => path)).toEqual(['event_type', 'event_class', 'event_text'])
  })

  test('without a body is refused', async () => {
    expect((await server.request(EVENTS, agent.token, { method: 'POST' })).status).toBe(400)
  })
})

describe('an event that waited for the server', () => {
  const ID = '0c0f3f3e-4d57-4f0b-9f0e-0c7a4f1b2a11'
  const report = (change: Record<string, string> = {}) => {
    const fields = { event_type: 'FILAMENT_CHANGE', event_class: 'WARNING', event_title: 'Change', event_text: 'now' }
    const body = formOf({ ...fields, event_id: ID, age_ms: '60000', ...change })
    return server.request(EVENTS, agent.token, { method: 'POST', body })
  }
  const events = () =>
    server.database.db.selectFrom('printer_events').selectAll().where('printer_id', '=', agent.id).execute()

  test('is kept once, with the time at which it happened and the print it names', async () => {
    await startPrint()
    expect((await report({ current_print_ts: String(T) })).status).toBe(200)
    expect((await report({ current_print_ts: String(T) })).status).toBe(200)
    const kept = (await events()).filter(({ event_type }) => event_type === 'FILAMENT_CHANGE')
    expect(kept).toHaveLength(1)
    expect(kept[0]?.created_at).toBe(server.clock.time - 60_000)
    expect(kept[0]?.print_id).not.toBeNull()
  })

  test('that names a print nobody knows belongs to none', async () => {
    await report({ current_print_ts: '12' })
    expect(await events()).toMatchObject([{ event_type: 'FILAMENT_CHANGE', print_id: null }])
  })
})

test('nothing of all this was a defect', () => {
  expect(shared.log.errors).toEqual([])
})
