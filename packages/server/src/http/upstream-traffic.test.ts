import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import sharp from 'sharp'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestServer, type TestServer } from '../testing.js'

// What two unmodified agents asked over HTTP, sent again word for word over real HTTP; of the answers, what these agents read.

const FOLDER = new URL('../../../../test/fixtures/upstream-traffic/', import.meta.url)

const Part = z.union([z.string(), z.object({ file: z.string() })])
const Exchange = z.object({
  http: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z
    .union([
      z.object({ json: z.record(z.string(), z.unknown()) }),
      z.object({ form: z.record(z.string(), z.string()) }),
      z.object({ multipart: z.record(z.string(), Part) }),
    ])
    .nullish(),
})
type Exchange = z.infer<typeof Exchange>

function recorded(file: string): Exchange[] {
  const lines = readFileSync(new URL(file, FOLDER), 'utf8').split('\n')
  const values = lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line))
  return values.flatMap((value) => Exchange.safeParse(value).data ?? [])
}

const DEVICE_ID = 'c'.repeat(32)
const BOUNDARY = '2f1a5c0e9b7d4c3f8e6a1b2c3d4e5f60'

let server: TestServer
afterEach(() => server.close())

/** What stands in the recordings for what is another's here. */
interface Here {
  token: string
  readonly code: string
  readonly storedId: number
  readonly fileUrl: string
}

interface Told {
  readonly asked: string
  readonly status: number
  readonly json: Record<string, unknown>
  readonly body: Buffer
}

/** The body as the agents' HTTP client writes it: parts of files name no type. */
function bodyOf({ body }: Exchange, jpeg: Buffer): Buffer {
  if (body === null || body === undefined) return Buffer.of()
  if ('json' in body) return Buffer.from(JSON.stringify(body.json).replaceAll('<DEVICE_ID>', DEVICE_ID))
  if ('form' in body) return Buffer.from(new URLSearchParams(body.form).toString())
  const parts = Object.entries(body.multipart).flatMap(([name, part]) => {
    const file = typeof part === 'string' ? '' : `; filename="${part.file}"`
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`
    return [Buffer.from(head), typeof part === 'string' ? Buffer.from(part) : jpeg, Buffer.from('\r\n')]
  })
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

async function send(exchange: Exchange, here: Here, jpeg: Buffer): Promise<Told> {
  const [method = '', recordedPath = ''] = exchange.http.split(' ')
  const path = recordedPath
    .replace('code=123456', `code=${here.code}`)
    .replace('g_code_files/88/', `g_code_files/${here.storedId}/`)
    .replace('/media/job.gcode', here.fileUrl)
  const body = bodyOf(exchange, jpeg)
  const headers = Object.entries(exchange.headers).filter(([name]) => name !== 'Host')
  const request = httpRequest(new URL(path, server.url), {
    method,
    headers: Object.fromEntries(
      headers.map(([name, value]) => [
        name,
        value
          .replace('<TOKEN>', here.token)
          .replace(/^multipart\/form-data$/, `$&; boundary=${BOUNDARY}`)
          .replace(/^\.\.\.$/, String(body.length)),
      ]),
    ),
  })
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  request.end(body)
  const [response] = await answered
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const isJson = String(response.headers['content-type']).includes('json')
  const json = isJson ? z.record(z.string(), z.unknown()).parse(JSON.parse(bytes.toString('utf8'))) : {}
  return { asked: exchange.http, status: response.statusCode ?? 0, json, body: bytes }
}

const G_CODE = 'G28\nG1 X10\n'

async function prepare(): Promise<Here> {
  server = await startTestServer()
  const { json: code } = await server.call('GET', '/api/v1/onetimeverificationcodes/')
  const form = new FormData()
  form.set('filename', 'From Cloud.gcode')
  form.set('file', new Blob([G_CODE]), 'From Cloud.gcode')
  const headers = { authorization: `Bearer ${server.owner.token}` }
  const uploaded = await fetch(`${server.url}/api/v1/g_code_files/`, { method: 'POST', headers, body: form })
  const { id, url } = z.object({ id: z.number(), url: z.string() }).parse(await uploaded.json())
  return { token: 'none yet', code: z.object({ code: z.string() }).parse(code).code, storedId: id, fileUrl: url }
}

async function replay(file: string, here: Here): Promise<Told[]> {
  const jpeg = await sharp({ create: { width: 320, height: 240, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  const told: Told[] = []
  for (const exchange of recorded(file)) {
    const answer = await send(exchange, here, jpeg)
    const linked = z.object({ printer: z.object({ auth_token: z.string() }) }).safeParse(answer.json).data
    if (linked !== undefined) here.token = linked.printer.auth_token
    told.push(answer)
  }
  return told
}

const ids = (told: readonly Told[], asked: RegExp): unknown[] =>
  told.filter((answer) => asked.test(answer.asked)).map(({ json }) => json['id'])

/** Every answer of a kind has these. */
function expectAll(told: readonly Told[], asked: RegExp, count: number, expected: object): void {
  const answers = told.filter((answer) => asked.test(answer.asked))
  expect(answers.length).toBe(count)
  for (const answer of answers) expect(answer).toMatchObject(expected)
}

const OK = { status: 200, json: { result: 'ok' } }
const PRINTER = /GET \/api\/v1\/octo\/printer\//
const PIC = /\/octo\/pic\//
const EVENT = /\/octo\/printer_events\//
const FILE = /POST \/api\/v1\/octo\/g_code_files\/$/
const PATCH = /PATCH \/api\/v1\/octo\/g_code_files\//
const DOWNLOAD = /GET \/media\//
const NEVER = /\/ent\/api\//

/** What both agents have left behind once all was sent. */
async function expectTraces(printerId: number, events: readonly object[], filename: string): Promise<void> {
  const { json: printer } = await server.call('GET', `/api/v1/printers/${printerId}/`)
  expect(printer).toMatchObject({ pic: { img_url: expect.any(String) } })
  const { json: told } = await server.call('GET', '/api/v1/printer_events/')
  expect(told).toMatchObject(events)
  const { json: resident } = await server.call('GET', `/api/v1/g_code_files/?resident_printer=${printerId}`)
  expect(resident).toMatchObject([{ filename, url: filename, resident_printer: printerId }])
  const { json: stored } = await server.call('GET', '/api/v1/g_code_files/')
  expect(stored).toMatchObject([{ filename: 'From Cloud.gcode', safe_filename: 'From_Cloud.gcode' }])
  await server.call('DELETE', `/api/v1/printers/${printerId}/`)
  const { json: left } = await server.call('GET', `/api/v1/g_code_files/?resident_printer=${printerId}`)
  expect(left).toEqual([])
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
}

test('the Moonraker agent gets what it needs of every answer', async () => {
  const here = await prepare()
  const { printer, auth_token } = await server.addPrinter(server.owner.id)
  here.token = auth_token
  const told = await replay('moonraker-obico-2.1.4.jsonl', here)

  expectAll(told, PRINTER, 1, { status: 200, json: { printer: { id: printer.id, is_pro: true } } })
  expectAll(told, PIC, 9, OK)
  expectAll(told, EVENT, 2, OK)
  expectAll(told, NEVER, 1, { status: 404 })
  expectAll(told, DOWNLOAD, 1, { status: 200, body: Buffer.from(G_CODE) })
  expectAll(told, PATCH, 1, { status: 200, json: { id: here.storedId } })
  // A file of the printer's own is made and found again; the one that was sent to it is the server's.
  expect(told.filter(({ asked }) => FILE.test(asked)).map(({ status }) => status)).toEqual([201, 200, 200])
  const [made, ...again] = ids(told, FILE)
  expect(again).toEqual([made, here.storedId])
  expect(told.length).toBe(1 + 9 + 2 + 1 + 1 + 1 + 3)
  await expectTraces(
    printer.id,
    [
      { event_title: 'Moonraker Error', event_class: 'ERROR', image_url: expect.any(String) },
      { event_class: 'WARNING', info_url: expect.any(String), image_url: null },
    ],
    'moon.gcode',
  )
})

test('the OctoPrint agent links itself by a code, and gets what it needs of every answer', async () => {
  const here = await prepare()
  const told = await replay('octoprint-obico-2.6.1.jsonl', here)

  expectAll(told, /unlinked/, 2, { status: 200, json: { messages: [] } })
  expectAll(told, /verify\/\?code=999999/, 1, { status: 404, json: { detail: expect.any(String) } })
  expectAll(told, /verify\/\?code=123456/, 1, { status: 200, json: { printer: { auth_token: here.token } } })
  const [id] = told.filter(({ asked }) => PRINTER.test(asked)).map(({ json }) => json['printer'] as { id: number })
  expectAll(told, PRINTER, 1, { status: 200, json: { printer: { is_pro: true, name: expect.any(String) } } })
  expectAll(told, PIC, 11, OK)
  expectAll(told, EVENT, 2, OK)
  expectAll(told, NEVER, 1, { status: 404 })
  expectAll(told, DOWNLOAD, 1, { status: 200, body: Buffer.from(G_CODE) })
  expectAll(told, PATCH, 1, { status: 200, json: { id: here.storedId } })
  expect(told.filter(({ asked }) => FILE.test(asked)).map(({ status }) => status)).toEqual([201, 200, 200, 200])
  const [made, ...again] = ids(told, FILE)
  expect(again).toEqual([made, made, here.storedId])
  expect(told.length).toBe(2 + 2 + 1 + 11 + 2 + 1 + 1 + 1 + 4)
  await expectTraces(
    id?.id ?? 0,
    [
      { event_type: 'PRINTER_ERROR', event_class: 'ERROR', image_url: expect.any(String) },
      { event_type: 'FILAMENT_CHANGE', event_class: 'WARNING', image_url: expect.any(String) },
    ],
    'job40.gcode',
  )
})
