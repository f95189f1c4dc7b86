import { createHash, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type EngineProgram, startPostgres, startRedis } from '../support/engine-programs.js'
import {
  ourProgram,
  runServerCommand,
  type ServerProgram,
  startProgram,
  startServer,
  temporaryFolder,
  until,
} from '../support/processes.js'
import { type S3Program, startS3 } from '../support/s3-program.js'

// Two server processes that share one bucket, one PostgreSQL and one Redis: what one of them stores, the other one serves.

const FRAMES = 40

let folder: { path: string; remove: () => Promise<void> }
let s3: S3Program
let postgres: EngineProgram
let redis: EngineProgram
let nodes: [ServerProgram, ServerProgram]
let one: Client
let other: Client
let token: string
let printer: { id: number; auth_token: string }

beforeAll(async () => {
  folder = await temporaryFolder()
  ;[s3, postgres, redis] = await Promise.all([startS3(), startPostgres(), startRedis()])
  const env = {
    ...s3.env,
    PRINTWARDEN_DATABASE_URL: postgres.url,
    PRINTWARDEN_REDIS_URL: redis.url,
    PRINTWARDEN_SECRET_KEY: 'a key that both nodes of this test have',
    PRINTWARDEN_DISCOVERY: 'off',
    PRINTWARDEN_ROLES: 'web,jobs',
  }
  const start = (name: string) => startServer({ dataDir: join(folder.path, name), env })
  nodes = await Promise.all([start('one'), start('two')])
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  token = (JSON.parse(await runServerCommand(nodes[0].url, issue)) as { access_token: string }).access_token
  one = createClient({ baseUrl: nodes[0].url, token })
  other = createClient({ baseUrl: nodes[1].url, token })
  const { id, auth_token } = await one.createPrinter({ name: 'Camera' })
  printer = { id, auth_token: auth_token ?? '' }
  await one.updatePrinter({ id, min_timelapse_secs_on_finish: 0 })
}, 300_000)

afterAll(async () => {
  await Promise.all((nodes ?? []).map((node) => node.stop()))
  await Promise.all([s3?.close(), postgres?.close(), redis?.close()])
  await folder?.remove()
})

afterEach((context) => {
  if (context.task.result?.state !== 'fail') return
  for (const node of nodes ?? []) console.log('a node:\n', node.output().slice(-3000))
})

const picture = async (index: number): Promise<Buffer> =>
  sharp({ create: { width: 320, height: 240, channels: 3, background: { r: index * 6, g: 90, b: 60 } } })
    .jpeg()
    .toBuffer()

function post(path: string, body: FormData | string, headers: Record<string, string> = {}): Promise<Response> {
  const authorization = `Token ${printer.auth_token}`
  return fetch(new URL(path, nodes[0].url), { method: 'POST', body, headers: { authorization, ...headers } })
}

async function sendPicture(bytes: Buffer): Promise<number> {
  const body = new FormData()
  body.set('pic', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'pic.jpg')
  return (await post('/api/v1/agent/pic/', body)).status
}

const bytesAt = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer())
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

test('a picture sent to one node is shown by the other', async () => {
  const sent = await picture(1)
  expect(await sendPicture(sent)).toBe(200)
  const url = await until(
    'the picture',
    async () => (await other.getPrinter({ id: printer.id })).pic?.img_url ?? undefined,
  )
  expect(new URL(url).origin).toBe(new URL(nodes[1].url).origin)
  const shown = await fetch(url)
  expect(shown.headers.get('content-type')).toBe('image/jpeg')
  expect(shown.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
  expect(hashOf(new Uint8Array(await shown.arrayBuffer()))).toBe(hashOf(sent))
  expect((await s3.keys()).length).toBeGreaterThan(0)
})

test('20 MB of G-code are uploaded to one node, and parts of them downloaded from the other', async () => {
  const before = await s3.keys()
  const gCode = Buffer.from(`; ${randomBytes(5 * 1024 * 1024).toString('hex')}\nG28\n`.repeat(2))
  const file = await one.uploadGCodeFile({ filename: 'large.gcode', file: new Blob([new Uint8Array(gCode)]) })
  expect(file.sha256).toBe(hashOf(gCode))
  const { url } = await other.getGCodeFile({ id: file.id })
  if (url === null) throw new Error('the file has no address')
  expect(hashOf(await bytesAt(url))).toBe(hashOf(gCode))
  const part = await fetch(url, { headers: { range: 'bytes=6000000-6000999' } })
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 6000000-6000999/${gCode.length}`])
  expect(part.headers.get('content-disposition')).toMatch(/^attachment/)
  expect(Buffer.from(await part.arrayBuffer()).equals(gCode.subarray(6_000_000, 6_001_000))).toBe(true)
  const head = await fetch(url, { method: 'HEAD' })
  expect(head.headers.get('content-length')).toBe(String(gCode.length))
  await other.deleteGCodeFile({ id: file.id })
  await until('the blob to go', async () => (await s3.keys()).length === before.length)
})

test('a print gets its time-lapse from pictures in the bucket; deleted, nothing of it stays there', async () => {
  await one.startPrint({ id: printer.id, filename: 'boat.gcode' })
  const id = (await one.getPrinter({ id: printer.id })).current_print?.id
  if (id === undefined) throw new Error('nothing is being printed')
  const ofPrint = async (): Promise<string[]> => (await s3.keys()).filter((key) => key.startsWith(`prints/${id}/`))
  const pictures = await Promise.all(Array.from({ length: 8 }, (_, index) => picture(index)))
  await mkdir(join(s3.folder, 'prints', String(id), 'frames'), { recursive: true })
  for (let number = 0; number < FRAMES; number++) {
    const frame = join(s3.folder, 'prints', String(id), 'frames', `${1_700_000_000_000 + number * 10_000}.jpg`)
    await writeFile(frame, pictures[number % pictures.length] ?? '')
  }
  await other.finishPrint({ id: printer.id, status: 'success' })
  const print = await until(
    'the time-lapse',
    async () => {
      const found = await other.getPrint({ id })
      return found.timelapse?.state === 'done' ? found : undefined
    },
    200_000,
    500,
  )
  expect((await bytesAt(print.video_url ?? '')).subarray(4, 8).toString()).toBe('ftyp')
  expect((await bytesAt(print.poster_url ?? '')).subarray(0, 2).toString('hex')).toBe('ffd8')
  await until('the frames to go', async () => !(await ofPrint()).some((key) => key.includes('/frames/')))
  expect((await ofPrint()).length).toBeGreaterThan(1)
  await one.deletePrint({ id })
  await until('everything of the print to go', async () => (await ofPrint()).length === 0, 60_000)
}, 400_000)

test('while the bucket is away requests say so; what was stored is there when it is back', async () => {
  const gCode = Buffer.from('G28\nG1 X10\n'.repeat(1000))
  const upload = () => one.uploadGCodeFile({ filename: 'kept.gcode', file: new Blob([new Uint8Array(gCode)]) })
  const file = await upload()
  const ready = async () =>
    (await fetch(new URL('/readyz', nodes[0].url))).json() as Promise<{ parts: { blobs: boolean } }>
  await s3.kill()
  await until('readyz to name the blobs', async () => !(await ready()).parts.blobs, 60_000, 500)
  expect(await sendPicture(await picture(2))).toBe(503)
  await expect(upload()).rejects.toMatchObject({ status: 503, code: 'unavailable' })
  const { url } = await other.getGCodeFile({ id: file.id })
  expect((await fetch(url ?? '')).status).toBe(503)
  await s3.start()
  await until('readyz to be content', async () => (await ready()).parts.blobs, 60_000, 500)
  expect((await bytesAt(url ?? '')).equals(gCode)).toBe(true)
  expect(await sendPicture(await picture(3))).toBe(200)
  await upload()
  expect(await one.listGCodeFiles()).toHaveLength(2)
  // Nor does the SDK tell operators what it wants of a Node to come.
  for (const node of nodes) expect(node.output()).not.toMatch(/unhandled|NodeVersionSupportWarning/i)
}, 240_000)

test('a server whose credentials are wrong says so and ends', async () => {
  const { command, args } = ourProgram('server')
  const program = startProgram(command, args, {
    ...s3.env,
    AWS_SECRET_ACCESS_KEY: 'another secret',
    PRINTWARDEN_DATA_DIR: join(folder.path, 'three'),
  })
  expect(await program.ended).toBe(1)
  expect(program.output()).toMatch(/the bucket farm at http.* cannot be used: the secret key is not the one/)
  expect(program.output()).not.toMatch(/another secret/)
}, 120_000)
