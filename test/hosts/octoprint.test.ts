import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@printwarden/sdk'
import { createClient } from '@printwarden/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'
import { recordLive } from '../support/live-recorder.js'
import type { OctoPrintProgram } from './octoprint-program.js'
import { dwellGCode, startOctoPrint } from './octoprint-program.js'
import type { PictureCamera } from './picture-camera.js'
import { startPictureCamera } from './picture-camera.js'
import type { Pictures } from './pictures.js'
import { loadPictures } from './pictures.js'

// The whole product on a real printer host: real OctoPrint, our agent and our server as processes, pictures from a snapshot
// URL, everything checked through the SDK as an app would.

let folder: { path: string; remove: () => Promise<void> }
let pictures: Pictures
let camera: PictureCamera
let octoprint: OctoPrintProgram
let server: ServerProgram
let agent: Program
let client: Client
let printerId: number
let agentConfig: string

const dataDir = (): string => join(folder.path, 'data')

async function connectClient(url: string): Promise<void> {
  const issued: unknown = JSON.parse(
    await runServerCommand(url, ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']),
  )
  client = createClient({ baseUrl: url, token: tokenIn(issued) })
}

function tokenIn(issued: unknown): string {
  if (typeof issued === 'object' && issued !== null && 'access_token' in issued) return String(issued.access_token)
  throw new Error(`no token in ${JSON.stringify(issued)}`)
}

beforeAll(async () => {
  folder = await temporaryFolder()
  pictures = await loadPictures()
  camera = await startPictureCamera(pictures.good.slice(0, 3))
  await mkdir(join(folder.path, 'octoprint'))
  octoprint = await startOctoPrint(join(folder.path, 'octoprint'))
  server = await startServer({ dataDir: dataDir() })
  await connectClient(server.url)
  const printer = await client.createPrinter({ name: 'Virtual Marlin' })
  printerId = printer.id
  agentConfig = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    agentConfig,
    `[server]
url: ${server.url}

[printer marlin]
auth_token: ${printer.auth_token}
host: octoprint
url: ${octoprint.url}
api_key: ${octoprint.apiKey}

[camera marlin bed]
snapshot_url: ${camera.snapshotUrl}
primary: true
interval: 2
`,
  )
  agent = startAgent(agentConfig)
})

afterAll(async () => {
  await agent?.stop()
  await server?.stop()
  await octoprint?.stop()
  await camera?.close()
  await folder?.remove()
})

afterEach(async (context) => {
  if (context.task.result?.state !== 'fail') return
  console.log('server:\n', server?.output().slice(-6000))
  console.log('agent:\n', agent?.output().slice(-6000))
})

const stateText = async (): Promise<string | undefined> =>
  (await client.getPrinter({ id: printerId })).status?.state.text

const untilState = (text: string, timeoutMs = 60_000): Promise<boolean> =>
  until(`the state ${text}`, async () => (await stateText()) === text, timeoutMs, 300)

const printsNamed = async (name: string) =>
  (await client.listPrints({ sorting: 'date_desc', start: 0, limit: 100 })).filter((print) => print.filename === name)

const onlyPrint = async (name: string) => {
  const prints = await printsNamed(name)
  expect(prints).toHaveLength(1)
  const [print] = prints
  if (print === undefined) throw new Error(`no print of ${name}`)
  return print
}

test('a print is observed, judged, paused by the server, resumed and finished', async () => {
  const live = recordLive(client, printerId)
  await untilState('Operational')
  const startedAfter = Date.now()
  await octoprint.print('watched.gcode', dwellGCode(170))
  await untilState('Printing')
  const good = await until(
    'a prediction of a good picture',
    async () => {
      const print = (await printsNamed('watched.gcode'))[0]
      if (!print) return undefined
      const frames = await client.getPredictionJson({ id: print.id })
      return frames.length >= 8 ? { print, frames } : undefined
    },
    60_000,
    500,
  )
  const calm = Math.max(...good.frames.map((frame) => frame.fields.normalized_p))
  expect(calm).toBeLessThan(1 / 3)
  expect(good.print.alerted_at).toBeNull()

  // One scene: a failure stays where it is.
  camera.show(pictures.failing.slice(0, 1))
  const alerted = await until(
    'an alert',
    async () => {
      const print = await client.getPrint({ id: good.print.id })
      return print.alerted_at === null ? undefined : print
    },
    90_000,
    300,
  )
  // The truth is asked of OctoPrint, not of us.
  await until('OctoPrint to be paused', async () => (await octoprint.state()) === 'Paused', 60_000, 300)
  await untilState('Paused')
  // Live updates merge what passes within a quarter of a second: seen before it is over.
  await until('the pause to be told live', () => live.states().at(-1) === 'Paused')
  const paused = await client.getPrinter({ id: printerId })
  expect(paused.current_print?.paused_at).not.toBeNull()
  expect(paused.normalized_p).toBeGreaterThan(1 / 3)
  expect(Date.parse(alerted.alerted_at ?? '')).toBeGreaterThan(Date.parse(alerted.started_at ?? ''))
  expect(live.gaugePeak()).toBeGreaterThan(calm)

  const events = await client.listPrinterEvents({ printer_id: printerId })
  const alert = events.find((event) => event.event_type === 'FAILURE_ALERTED')
  expect(alert?.image_url).toBeTruthy()
  const tagged = await fetch(alert?.image_url ?? '')
  expect(tagged.headers.get('content-type')).toBe('image/jpeg')

  camera.show(pictures.good.slice(0, 3))
  const resumed = await client.resumePrint({ id: printerId })
  expect(resumed.succeeded).toBe(true)
  await until('OctoPrint to print again', async () => (await octoprint.state()) === 'Printing', 60_000, 300)
  await untilState('Operational', 240_000)

  const print = await until('the end of the print', async () => {
    const one = await onlyPrint('watched.gcode')
    return one.finished_at === null ? undefined : one
  })
  const [startedAt, finishedAt] = [Date.parse(print.started_at ?? ''), Date.parse(print.finished_at ?? '')]
  expect(Math.abs(startedAt - startedAfter)).toBeLessThan(10_000)
  expect(finishedAt - startedAt).toBeGreaterThan(165_000)
  expect(Math.abs(Date.now() - finishedAt)).toBeLessThan(15_000)
  expect(print.cancelled_at).toBeNull()
  expect(print.alert_overwrite).toBe('NOT_FAILED')
  await until('the states in order', () =>
    isInOrder(live.states(), ['Operational', 'Printing', 'Paused', 'Printing', 'Operational']),
  )
  live.close()
})

/** Whether the wanted texts come in this order; what passes between them (Pausing, for one) may be missed or seen. */
function isInOrder(seen: readonly string[], wanted: readonly string[]): boolean {
  let next = 0
  for (const text of seen) if (text === wanted[next]) next += 1
  return next === wanted.length
}

test('an agent killed mid-print comes back to the same print', async () => {
  await octoprint.print('agent-killed.gcode', dwellGCode(45))
  await until('the print', async () => (await printsNamed('agent-killed.gcode'))[0])
  await until('some progress', async () => (await stateText()) === 'Printing')
  await agent.kill()
  await until('the server to notice', async () => (await stateText()) === undefined)
  agent = startAgent(agentConfig)
  await untilState('Printing')
  await untilState('Operational', 90_000)
  const print = await until('its end', async () => {
    const one = await onlyPrint('agent-killed.gcode')
    return one.ended_at === null ? undefined : one
  })
  expect(print.finished_at).not.toBeNull()
  expect(print.cancelled_at).toBeNull()
})

test('a server killed mid-print loses nothing it had acknowledged', async () => {
  await octoprint.print('server-killed.gcode', dwellGCode(60))
  const before = await until('the print', async () => (await printsNamed('server-killed.gcode'))[0])
  await untilState('Printing')
  const port = Number(new URL(server.url).port)
  await server.kill()
  // Paused while the server is away: the event must arrive later, once.
  await octoprint.job({ command: 'pause', action: 'pause' })
  await until('OctoPrint to pause', async () => (await octoprint.state()) === 'Paused')
  server = await startServer({ dataDir: dataDir(), port })
  await untilState('Paused')
  await octoprint.job({ command: 'pause', action: 'resume' })
  await untilState('Printing')
  await untilState('Operational', 120_000)
  const print = await until('its end', async () => {
    const one = await onlyPrint('server-killed.gcode')
    return one.ended_at === null ? undefined : one
  })
  expect(print.id).toBe(before.id)
  expect(print.started_at).toBe(before.started_at)
  expect(print.finished_at).not.toBeNull()
  const events = await client.listPrinterEvents({ print_id: print.id })
  const types = events.map((event) => event.event_type).toReversed()
  expect(types).toEqual(['STARTED', 'PAUSED', 'RESUMED', 'ENDED'])
})

test('OctoPrint killed mid-print: one print, ended as failed, once', async () => {
  await octoprint.print('host-killed.gcode', dwellGCode(60))
  const before = await until('the print', async () => (await printsNamed('host-killed.gcode'))[0])
  await untilState('Printing')
  const port = Number(new URL(octoprint.url).port)
  await octoprint.crash()
  await untilState('Offline')
  const open = await onlyPrint('host-killed.gcode')
  expect(open.ended_at).toBeNull()

  octoprint = await startOctoPrint(join(folder.path, 'octoprint'), port)
  await untilState('Operational', 120_000)
  const print = await until('its end', async () => {
    const one = await onlyPrint('host-killed.gcode')
    return one.ended_at === null ? undefined : one
  })
  expect(print.id).toBe(before.id)
  expect(print.failed_at).not.toBeNull()
  expect(print.cancelled_at).not.toBeNull()
  expect(print.finished_at).toBeNull()
  const events = await client.listPrinterEvents({ print_id: print.id })
  expect(events.filter((event) => event.event_type === 'ENDED')).toHaveLength(1)
})
