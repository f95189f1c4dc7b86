import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient, type Print } from '@printwarden/sdk'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  runServerCommand,
  type ServerProgram,
  sleep,
  startServer,
  temporaryFolder,
  until,
} from '../support/processes.js'

// A server that is killed while it makes a time-lapse, at each of its stages, and started again: one result, and nothing left over.
// The server is a process, killed for real when the files of its data folder show the stage.

const FRAMES = 120

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let client: Client
let token: string
let printerId: number
const pictures: Buffer[] = []

const dataDir = (): string => join(folder.path, 'data')
const ofPrint = (id: number, ...path: string[]): string => join(dataDir(), 'blobs', 'prints', String(id), ...path)

async function start(): Promise<void> {
  server = await startServer({ dataDir: dataDir(), env: { PRINTWARDEN_ROLES: 'web,jobs' } })
  if (token === undefined) {
    const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
    token = (JSON.parse(await runServerCommand(server.url, issue)) as { access_token: string }).access_token
  }
  client = createClient({ baseUrl: server.url, token })
}

beforeAll(async () => {
  folder = await temporaryFolder()
  await start()
  const printer = await client.createPrinter({ name: 'Filmed' })
  printerId = printer.id
  await client.updatePrinter({ id: printerId, min_timelapse_secs_on_finish: 0 })
  for (let number = 0; number < 8; number++) {
    const background = { r: number * 30, g: 90, b: 200 }
    pictures.push(
      await sharp({ create: { width: 96, height: 72, channels: 3, background } })
        .jpeg()
        .toBuffer(),
    )
  }
}, 180_000)

afterAll(async () => {
  await server?.stop()
  await folder?.remove()
})

/** A print that runs, with frames as they are kept. */
async function filmedPrint(): Promise<number> {
  await client.startPrint({ id: printerId, filename: 'boat.gcode' })
  const printer = await client.getPrinter({ id: printerId })
  const id = printer.current_print?.id
  if (id === undefined) throw new Error('nothing is being printed')
  await mkdir(ofPrint(id, 'frames'), { recursive: true })
  for (let number = 0; number < FRAMES; number++) {
    const picture = pictures[number % pictures.length] ?? Buffer.alloc(0)
    await writeFile(ofPrint(id, 'frames', `${1_700_000_000_000 + number * 10_000}.jpg`), picture)
  }
  return id
}

const countIn = (path: string): number => (existsSync(path) ? readdirSync(path).length : 0)

/** What the data folder shows at each stage. */
const STAGES: readonly { readonly name: string; readonly isReached: (id: number) => boolean }[] = [
  {
    name: 'listing',
    isReached: (id) => existsSync(join(dataDir(), 'timelapse')) || countIn(ofPrint(id, 'timelapse')) > 0,
  },
  { name: 'encoding', isReached: (id) => countIn(join(dataDir(), 'timelapse', `print-${id}`)) > 0 },
  {
    name: 'storing',
    isReached: (id) => countIn(join(dataDir(), 'blobs', '.partial')) > 0 || countIn(ofPrint(id, 'timelapse')) > 0,
  },
  {
    name: 'updating',
    isReached: (id) => existsSync(ofPrint(id, 'timelapse')) && countIn(ofPrint(id, 'timelapse')) >= 2,
  },
  { name: 'cleaning', isReached: (id) => countIn(ofPrint(id, 'frames')) < FRAMES },
]

test.each(STAGES)(
  'killed while $name, it is made after the next start',
  async ({ name, isReached }) => {
    const id = await filmedPrint()
    await client.finishPrint({ id: printerId, status: 'success' })
    const deadline = Date.now() + 60_000
    while (!isReached(id)) {
      if (Date.now() > deadline) throw new Error(`${name} was not reached`)
      await sleep(1)
    }
    await server.kill()
    await start()
    const print = await until<Print>(
      'the time-lapse',
      async () => {
        const found = await client.getPrint({ id })
        return found.timelapse?.state === 'done' && countIn(ofPrint(id, 'frames')) === 0 ? found : undefined
      },
      200_000,
    )
    expect(print.timelapse).toMatchObject({ state: 'done', progress: 1 })
    const video = await fetch(print.video_url ?? '')
    expect((await video.arrayBuffer()).byteLength).toBeGreaterThan(1000)
    // One video and one poster, and nothing on its way.
    await until('the scratch folder to be empty', () => countIn(join(dataDir(), 'timelapse')) === 0)
    expect((await readdir(ofPrint(id, 'timelapse'))).map((file) => file.replace(/^\d+/, ''))).toEqual(['.jpg', '.mp4'])
    expect(countIn(join(dataDir(), 'blobs', '.partial'))).toBe(0)
  },
  240_000,
)

test('a server that is told to stop hands the job back within ten seconds', async () => {
  const id = await filmedPrint()
  await client.finishPrint({ id: printerId, status: 'success' })
  await until('the encoder to begin', () => countIn(join(dataDir(), 'timelapse', `print-${id}`)) > 0, 60_000, 5)
  const before = Date.now()
  expect(await server.stop()).toBe(0)
  expect(Date.now() - before).toBeLessThan(10_000)
  await start()
  await until('the time-lapse', async () => (await client.getPrint({ id })).timelapse?.state === 'done', 90_000)
}, 400_000)

test('a print that is deleted while the server is down leaves nothing', async () => {
  const id = await filmedPrint()
  await client.finishPrint({ id: printerId, status: 'success' })
  await until('the encoder to begin', () => countIn(join(dataDir(), 'timelapse', `print-${id}`)) > 0, 60_000, 5)
  await client.deletePrint({ id })
  await server.kill()
  await start()
  await until(
    'the blobs to go',
    () => countIn(ofPrint(id)) === 0 && countIn(join(dataDir(), 'timelapse')) === 0,
    60_000,
  )
}, 400_000)
