import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '@printwarden/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, startAgent, startAgentCommand, startServer, until } from '../support/processes.js'
import { klipperGCode, type MoonrakerProgram, residentKiB, startMoonraker } from './moonraker-program.js'
import { type PictureCamera, startPictureCamera } from './picture-camera.js'
import { loadPictures } from './pictures.js'

// The whole product on a real Klipper: real Moonraker with a key, real Klippy on a simulated board, our agent and our server as
// processes. The truth is asked of Moonraker, what we make of it through the SDK.

let folder: string
let moonraker: MoonrakerProgram
let camera: PictureCamera
let server: ServerProgram
let agent: Program
let client: Client
let printerId: number
let agentConfig: string

beforeAll(async () => {
  // A short path: Klippy's sockets lie in it, and their addresses end at 107 characters.
  folder = await mkdtemp(join(tmpdir(), 'pw-mr-'))
  camera = await startPictureCamera((await loadPictures()).good.slice(0, 2))
  moonraker = await startMoonraker(join(folder, 'm'), { auth: true, snapshotUrl: camera.snapshotUrl })
  server = await startServer({ dataDir: join(folder, 'data') })
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  const issued: unknown = JSON.parse(await runServerCommand(server.url, issue))
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  client = createClient({ baseUrl: server.url, token: String(issued.access_token) })
  const printer = await client.createPrinter({ name: 'Simulated Klipper' })
  printerId = printer.id
  agentConfig = join(folder, 'printwarden-agent.cfg')
  await writeFile(
    agentConfig,
    `[server]
url: ${server.url}

[printer klipper]
auth_token: ${printer.auth_token}
host: moonraker
url: ${moonraker.url}
api_key: ${moonraker.apiKey}

[camera klipper bed]
webcam: cam1
interval: 5
`,
  )
  agent = startAgent(agentConfig)
})

afterAll(async () => {
  await agent?.stop()
  await server?.stop()
  await moonraker?.stop()
  await camera?.close()
  await rm(folder, { recursive: true, force: true })
})

afterEach(async (context) => {
  if (context.task.result?.state !== 'fail') return
  // What one test leaves behind must not fail the next one too.
  await moonraker?.post('/printer/print/cancel').catch(() => undefined)
  console.log('agent:\n', agent?.output().slice(-6000), '\nserver:\n', server?.output().slice(-2000))
})

const status = async () => (await client.getPrinter({ id: printerId })).status
const untilState = (text: string | undefined, timeoutMs = 60_000) =>
  until(`the state ${text}`, async () => (await status())?.state.text === text, timeoutMs, 100)
const untilKlipper = (state: string, timeoutMs = 60_000) =>
  until(`Klipper to be ${state}`, async () => (await moonraker.state().catch(() => '')) === state, timeoutMs, 100)

/** Prints a file at the printer, until it is seen to print behind the homing. */
async function printing(name: string, seconds: number) {
  await moonraker.print(name, klipperGCode(seconds))
  await untilState('Printing')
  await until('the first layer', async () => ((await status())?.currentLayerHeight ?? 0) >= 1, 60_000)
  return until('the print', async () => (await client.listPrints()).find(({ filename }) => filename === name))
}

const ended = (id: number) =>
  until(
    'the end of the print',
    async () => {
      const print = await client.getPrint({ id })
      return print.ended_at === null ? undefined : print
    },
    120_000,
    200,
  )

const allEventsOf = async (id: number) =>
  (await client.listPrinterEvents({ print_id: id })).map(({ event_type: type }) => type).toReversed()
/** Those of the print itself, without what Klipper had to say besides. */
const eventsOf = async (id: number) =>
  (await allEventsOf(id)).filter((type) => type !== 'FILAMENT_CHANGE' && type !== 'PRINTER_ERROR')

/** How long `work` takes, in ms, for the figures at the end. */
const figures: Record<string, number> = {}
async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now()
  const result = await work()
  figures[name] = Math.round(performance.now() - startMs)
  return result
}

test('a print is followed with all its facts, paused, resumed and finished', async () => {
  await untilState('Operational')
  const print = await printing('watched.gcode', 16)
  const seen = await status()
  expect(seen).toMatchObject({
    currentFeedRate: 1,
    currentFlowRate: 1,
    currentFanSpeed: 0,
    job: { file: { path: 'watched.gcode' }, estimatedPrintTime: 16 },
    temperatures: { tool0: { target: 60 }, bed: { target: 40 }, enclosure: { target: null } },
    file_metadata: { service: { totalLayerCount: 5 } },
  })
  expect(seen?.currentZ).toBeCloseTo(0.2 * (seen?.currentLayerHeight ?? 0), 3)

  await until('a picture of the webcam that Moonraker knows', async () => {
    return (await client.getPrinter({ id: printerId })).pic ?? undefined
  })

  const paused = await timed('a pause, with the line that Klipper is at', async () => {
    const answer = await client.pausePrint({ id: printerId })
    await untilKlipper('paused')
    return answer
  })
  expect(paused.succeeded).toBe(true)
  await untilState('Paused')
  const completion = (await status())?.progress?.completion ?? 0
  await client.resumePrint({ id: printerId })
  await untilKlipper('printing')
  await untilState('Printing')
  await until('the progress to go on', async () => ((await status())?.progress?.completion ?? 0) > completion)
  await untilState('Operational')
  expect((await ended(print.id)).finished_at).not.toBeNull()
  expect(await eventsOf(print.id)).toEqual(['STARTED', 'PAUSED', 'RESUMED', 'ENDED'])
})

test('a paused print is parked as the printer is set up, and brought back', async () => {
  await client.updatePrinter({
    id: printerId,
    retract_on_pause: 4,
    lift_z_on_pause: 3,
    tools_off_on_pause: true,
    bed_off_on_pause: true,
  })
  const print = await printing('parked.gcode', 14)
  await client.pausePrint({ id: printerId })
  await untilState('Paused')
  const before = await moonraker.object('gcode_move')
  await until('cold heaters', async () => {
    const [tool, bed] = [await moonraker.object('extruder'), await moonraker.object('heater_bed')]
    return tool['target'] === 0 && bed['target'] === 0
  })
  const lifted = await moonraker.object('gcode_move')
  expect(heightIn(lifted)).toBeGreaterThan(3)
  expect(lifted).toMatchObject({ absolute_coordinates: true, absolute_extrude: false, speed: before['speed'] })
  await client.resumePrint({ id: printerId })
  await untilKlipper('printing')
  const back = await moonraker.object('extruder')
  expect(back['target']).toBe(60)
  expect(Number(back['temperature'])).toBeGreaterThan(57)
  await until('the height of the print', async () => heightIn(await moonraker.object('gcode_move')) < 1.1)
  expect((await ended(print.id)).finished_at).not.toBeNull()
})

function heightIn(move: Record<string, unknown>): number {
  return Number((move['gcode_position'] as number[])[2])
}

test('a paused print is cancelled, and CANCEL_PRINT has run', async () => {
  const plain = { retract_on_pause: 0, lift_z_on_pause: 0, tools_off_on_pause: false, bed_off_on_pause: false }
  await client.updatePrinter({ id: printerId, ...plain })
  const print = await printing('cancelled.gcode', 60)
  await client.pausePrint({ id: printerId })
  await untilState('Paused')
  expect((await moonraker.object('extruder'))['target']).toBe(60)
  await timed('a command from the server to Klipper', async () => {
    await client.cancelPrint({ id: printerId })
    await until(
      'Klipper to cancel',
      async () => (await moonraker.object('print_stats'))['state'] === 'cancelled',
      30_000,
      2,
    )
  })
  const { cancelled_at, failed_at } = await ended(print.id)
  expect([cancelled_at !== null, failed_at]).toEqual([true, null])
  expect((await moonraker.object('extruder'))['target']).toBe(0)
  await untilState('Operational')
})

test('a pause while Klipper homes shows as Pausing, and status goes on', async () => {
  await moonraker.print('homing.gcode', klipperGCode(30))
  await untilKlipper('printing')
  await untilState('Printing')
  // The state is told at once; the record of the print, without which there is nothing to pause, takes a moment.
  await until('the print', async () => {
    return (await client.getPrinter({ id: printerId })).current_print?.filename === 'homing.gcode'
  })
  const { command_id, succeeded } = await client.pausePrint({ id: printerId })
  expect(succeeded).toBe(true)
  await untilState('Pausing')
  await until('the command to be accepted while it is still homing', async () => {
    return (await client.getCommand({ id: printerId, command_id: command_id ?? '' })).status === 'acked'
  })
  expect(await moonraker.state()).toBe('printing')
  await untilState('Paused')
  await client.cancelPrint({ id: printerId })
  await untilState('Operational')
})

test('a stored file is handed over and printed, whatever its name', async () => {
  const file = await client.uploadGCodeFile({ filename: 'Boot; "groß" #2.gcode', file: new Blob([klipperGCode(5)]) })
  const { succeeded } = await client.printGCodeFile({ id: file.id, printer_id: printerId })
  expect(succeeded).toBe(true)
  await untilKlipper('printing')
  const running = await until('the print with its file', async () => {
    const { current_print: print } = await client.getPrinter({ id: printerId })
    return print?.g_code_file ? print : undefined
  })
  expect(running.g_code_file?.id).toBe(file.id)
  expect((await ended(running.id)).finished_at).not.toBeNull()
})

test('the filament runs out: the print is paused, and goes on with new filament', async () => {
  const print = await printing('runout.gcode', 14)
  await moonraker.board('runout 1')
  await untilState('Paused')
  await until('the reason', async () => (await allEventsOf(print.id)).includes('FILAMENT_CHANGE'))
  await moonraker.board('runout 0')
  await client.resumePrint({ id: printerId })
  expect((await ended(print.id)).finished_at).not.toBeNull()
  expect(await eventsOf(print.id)).toEqual(['STARTED', 'PAUSED', 'RESUMED', 'ENDED'])
})

test('Moonraker killed mid-print: the same print goes on', async () => {
  const print = await printing('moonraker-killed.gcode', 25)
  await moonraker.crash('moonraker')
  await untilState('Offline')
  await timed('back after Moonraker was killed', () => untilState('Printing'))
  const { current_print } = await client.getPrinter({ id: printerId })
  expect(current_print?.id).toBe(print.id)
  expect((await ended(print.id)).finished_at).not.toBeNull()
  expect(await eventsOf(print.id)).toEqual(['STARTED', 'ENDED'])
})

test('Moonraker restarted in order, mid-print: the same print goes on', async () => {
  const print = await printing('moonraker-restarted.gcode', 20)
  await moonraker.post('/server/restart')
  await untilState('Offline')
  await timed('back after a restart of Moonraker', () => untilState('Printing'))
  expect((await ended(print.id)).finished_at).not.toBeNull()
  expect(await eventsOf(print.id)).toEqual(['STARTED', 'ENDED'])
})

test('an agent killed mid-print comes back to it; ended meanwhile, it is known how', async () => {
  const print = await printing('agent-killed.gcode', 20)
  await agent.kill()
  await untilState(undefined)
  agent = startAgent(agentConfig)
  await timed('back after the agent was killed', () => untilState('Printing'))
  await agent.kill()
  await untilKlipper('complete')
  // A Klipper that was restarted shows nothing of the print: only Moonraker's history still knows.
  await moonraker.post('/printer/firmware_restart')
  await untilKlipper('standby')
  agent = startAgent(agentConfig)
  expect((await ended(print.id)).finished_at).not.toBeNull()
  expect(await eventsOf(print.id)).toEqual(['STARTED', 'ENDED'])
})

test('a sensor fault: Offline with the reason, the print failed; a firmware restart brings it back', async () => {
  const print = await printing('fault.gcode', 60)
  await moonraker.board('set ext_temp 450')
  await timed('Klipper shut down: seen by the server', () => untilState('Offline'))
  expect((await status())?.state).toMatchObject({
    error: expect.stringContaining('ADC out of range'),
    flags: { error: true },
  })
  expect((await ended(print.id)).failed_at).not.toBeNull()
  await moonraker.board('unset ext_temp')
  await until('the reason in the history', async () => {
    const events = await client.listPrinterEvents({ printer_id: printerId })
    return events.some((event) => event.event_type === 'PRINTER_ERROR' && /ADC/.test(event.event_text ?? ''))
  })
  await timed('back after a firmware restart', async () => {
    expect((await client.connectPrinter({ id: printerId })).succeeded).toBe(true)
    await untilState('Operational')
  })
  const next = await printing('after-fault.gcode', 4)
  expect(next.id).not.toBe(print.id)
  expect((await ended(next.id)).finished_at).not.toBeNull()
})

test('objects, a dialog, own files, an emergency stop and a firmware restart', async () => {
  const id = printerId
  const define = 'EXCLUDE_OBJECT_DEFINE NAME=CUBE\nEXCLUDE_OBJECT_DEFINE NAME=RING\n'
  await moonraker.print('plate.gcode', define + klipperGCode(60))
  await untilState('Printing')
  await until('the objects', async () => (await status())?.objects?.length === 2)
  expect((await client.excludeObject({ id, name: 'CUBE' })).succeeded).toBe(true)
  const isOut = async () => (await status())?.objects?.find(({ name }) => name === 'CUBE')?.excluded === true
  await until('the cube to be left out', isOut)
  const respond = (what: string) =>
    moonraker.post(`/printer/gcode/script?script=${encodeURIComponent(`RESPOND TYPE=command MSG="action:${what}"`)}`)
  await respond('prompt_begin Go on?')
  await respond('prompt_button Yes|M117 answered')
  await respond('prompt_show')
  const prompt = await until('the dialog', async () => (await status())?.prompt)
  expect(prompt).toMatchObject({ text: 'Go on?', choices: ['Yes', 'Close'] })
  await client.answerPrompt({ id, prompt_id: prompt.id, choice: 0 })
  await until('the answer', async () => (await status())?.display_status !== undefined)
  await client.answerPrompt({ id, prompt_id: prompt.id, choice: 1 })
  await until('the end of the dialog', async () => (await status())?.prompt === undefined)
  const print = await until('the print', async () =>
    (await client.listPrints()).find(({ filename }) => filename === 'plate.gcode'),
  )
  await timed('from the wish for an emergency stop to Offline', async () => {
    expect((await client.emergencyStop({ id })).succeeded).toBe(true)
    await untilState('Offline')
  })
  expect((await status())?.state.error).toMatch(/Shutdown due to webhooks request/)
  expect((await ended(print.id)).failed_at).not.toBeNull()
  expect((await client.restartFirmware({ id })).succeeded).toBe(true)
  await untilState('Operational')
  const { command_id } = await client.listFiles({ id })
  const list = await until('the list', async () => {
    return (await client.getCommand({ id, command_id: command_id ?? '' })).result ?? undefined
  })
  expect(list.files.map(({ path }) => path)).toContain('plate.gcode')
  expect((await client.printFile({ id, path: 'plate.gcode' })).succeeded).toBe(true)
  await untilState('Printing')
  expect((await client.cancelPrint({ id })).succeeded).toBe(true)
  await untilState('Operational')
}, 300_000)

test('Klippy killed mid-print: Offline, the print failed, once; back by itself', async () => {
  const print = await printing('klippy-killed.gcode', 60)
  await moonraker.crash('klippy')
  await untilState('Offline')
  expect((await status())?.state.error).toBe('Klipper is not running')
  await timed('back after Klippy was killed', () => untilState('Operational'))
  expect((await ended(print.id)).failed_at).not.toBeNull()
  expect(await eventsOf(print.id)).toEqual(['STARTED', 'ENDED'])
})

test('the board does not answer any more: Offline with the reason, and back', async () => {
  await moonraker.board('hang')
  await untilState('Offline', 30_000)
  expect((await status())?.state.error).toMatch(/Lost communication with MCU/)
  await moonraker.board('unhang')
  await moonraker.post('/printer/firmware_restart')
  await untilKlipper('error')
  await until('the other reason', async () => /Can not update MCU|MCU 'mcu'/.test((await status())?.state.error ?? ''))
  await moonraker.post('/printer/firmware_restart')
  await timed('back after a lost board', () => untilState('Operational'))
})

test('an error in the G-code ends the print as failed, and the printer stays usable', async () => {
  const bad = klipperGCode(4).replace('G4 P500', 'G1 X999')
  await moonraker.print('bad.gcode', bad)
  const print = await until('the print', async () =>
    (await client.listPrints()).find(({ filename }) => filename === 'bad.gcode'),
  )
  expect((await ended(print.id)).failed_at).not.toBeNull()
  const { state } = (await status()) ?? {}
  expect(state).toMatchObject({ text: 'Operational', error: expect.stringContaining('out of range') })
})

test('without the right key the doctor says so, with it he finds the printer', async () => {
  const config = await readFile(agentConfig, 'utf8')
  const wrong = join(folder, 'wrong.cfg')
  await writeFile(wrong, config.replace(/^api_key: .*$/m, 'api_key: 0123456789abcdef'))
  const none = join(folder, 'none.cfg')
  await writeFile(none, config.replace(/^api_key: .*$/m, ''))
  for (const file of [wrong, none]) {
    const doctor = startAgentCommand(['doctor', '--config', file])
    await doctor.ended
    expect(doctor.output()).toMatch(/FAIL +printer klipper, moonraker: .*it wants an API key, or another one/)
  }
  const doctor = startAgentCommand(['doctor', '--config', agentConfig])
  await doctor.ended
  expect(doctor.output()).toMatch(/ok +printer klipper, moonraker: the printer is Operational/)
})

afterAll(async () => {
  const memory = { ...(await moonraker.memory()), agent: await residentKiB(agent.pid) }
  console.log('figures in ms:', JSON.stringify(figures), 'memory in KiB:', JSON.stringify(memory))
})
