import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'
import { dwellGCode, type OctoPrintProgram, startOctoPrint } from './octoprint-program.js'

// What goes wrong at a real OctoPrint, and how it is told: faults of its virtual printer, questions of the firmware, lost sessions.

let folder: { path: string; remove: () => Promise<void> }
let octoprint: OctoPrintProgram
let server: ServerProgram
let agent: Program
let client: Client
let printerId: number

beforeAll(async () => {
  folder = await temporaryFolder()
  await mkdir(join(folder.path, 'octoprint'))
  octoprint = await startOctoPrint(join(folder.path, 'octoprint'))
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  const issued = JSON.parse(await runServerCommand(server.url, issue)) as { access_token: string }
  client = createClient({ baseUrl: server.url, token: issued.access_token })
  const printer = await client.createPrinter({ name: 'Virtual Marlin' })
  printerId = printer.id
  const config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${server.url}

[printer marlin]
auth_token: ${printer.auth_token}
host: octoprint
url: ${octoprint.url}
api_key: ${octoprint.apiKey}
`,
  )
  // The virtual printer does not announce that it can ask questions, as firmwares that do it would.
  await call('/api/settings', { serial: { log: true }, plugins: { action_command_prompt: { enable: 'always' } } })
  agent = startAgent(config)
  await untilState('Operational')
})

afterAll(async () => {
  await agent?.stop()
  await server?.stop()
  await octoprint?.stop()
  await folder?.remove()
})

afterEach(async (context) => {
  if (/Offline|Closed|Error/.test(await octoprint.state())) await reconnect()
  if (context.task.result?.state === 'fail') console.log('agent:\n', agent?.output().slice(-5000))
})

async function call(path: string, body: unknown): Promise<void> {
  const headers = { 'X-Api-Key': octoprint.apiKey, 'Content-Type': 'application/json' }
  const answer = await fetch(`${octoprint.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

const send = (command: string): Promise<void> => call('/api/printer/command', { command })
const debug = (what: string): Promise<void> => send(`!!DEBUG:${what}`)
const status = async () => (await client.getPrinter({ id: printerId })).status
const untilState = (text: string, timeoutMs = 60_000): Promise<boolean> =>
  until(`the state ${text}`, async () => (await status())?.state.text === text, timeoutMs, 200)

async function startPrint(name: string, seconds: number): Promise<void> {
  await octoprint.print(name, dwellGCode(seconds))
  await untilState('Printing')
}

const printOf = async (name: string) => (await client.listPrints()).find(({ filename }) => filename === name)
const untilEnded = (name: string) =>
  until(`the end of ${name}`, async () => {
    const print = await printOf(name)
    return print && print.ended_at !== null ? print : undefined
  })
const typesOf = async (name: string): Promise<string[]> => {
  const events = await client.listPrinterEvents({ print_id: (await printOf(name))?.id ?? 0, limit: 100 })
  return events.map(({ event_type }) => event_type).toReversed()
}
const titled = async (title: string) =>
  (await client.listPrinterEvents({ printer_id: printerId, limit: 100 })).filter((event) => event.event_title === title)

/** Connects as the person at the dashboard would. */
async function reconnect(): Promise<void> {
  const { command_id, succeeded } = await client.connectPrinter({ id: printerId })
  expect(succeeded).toBe(true)
  await untilState('Operational')
  const command = await client.getCommand({ id: printerId, command_id: command_id ?? '' })
  expect(command.error).toBeNull()
}

test('questions and notes of the firmware are told', async () => {
  await debug('action_custom notification Filament low')
  await until('the text', async () => (await status())?.display_status !== undefined, 60_000)
  expect((await status())?.display_status).toEqual({ message: 'Filament low' })
  await debug('action_custom prompt_begin Is the plate clean?')
  await debug('action_custom prompt_button Yes')
  await debug('action_custom prompt_button No')
  await debug('action_custom prompt_show')
  const [question] = await until('the question', async () => {
    const events = await titled('The printer asks')
    return events.length > 0 ? events : undefined
  })
  expect(question).toMatchObject({ event_class: 'WARNING', event_text: 'Is the plate clean? (Yes / No)' })
  const prompt = await until('the question in the status', async () => (await status())?.prompt)
  expect(prompt).toMatchObject({ text: 'Is the plate clean?', choices: ['Yes', 'No'] })
  await client.answerPrompt({ id: printerId, prompt_id: prompt.id, choice: 1 })
  await until('the answer', async () => (await sentCommands()).includes('M876 S1'))
  await until('the end of the question', async () => (await status())?.prompt === undefined)
})

test('its own files are listed, and one of them is printed', async () => {
  const id = printerId
  await startPrint('own.gcode', 30)
  await until('the record', () => printOf('own.gcode'))
  await client.cancelPrint({ id })
  await untilEnded('own.gcode')
  await untilState('Operational')
  const { command_id } = await client.listFiles({ id })
  const list = await until(
    'the list',
    async () => (await client.getCommand({ id, command_id: command_id ?? '' })).result ?? undefined,
  )
  expect(list.files.map(({ path }) => path)).toContain('own.gcode')
  const before = await printOf('own.gcode')
  // OctoPrint is still busy for a moment after it has said that the print is cancelled.
  await until('the order to be taken', async () => {
    const sent = await client.printFile({ id, path: 'own.gcode' })
    return client.waitFor(sent).then(
      () => true,
      () => false,
    )
  })
  await until('another print', async () => ((await printOf('own.gcode'))?.id ?? 0) > (before?.id ?? 0))
  await client.cancelPrint({ id })
  await untilState('Operational')
})

test('a pause and a resume by the printer itself, in order, by nobody else', async () => {
  await startPrint('by-printer.gcode', 40)
  await debug('action_pause')
  await untilState('Paused')
  await debug('action_resume')
  await untilState('Printing')
  await octoprint.job({ command: 'cancel' })
  const print = await untilEnded('by-printer.gcode')
  expect(await typesOf('by-printer.gcode')).toEqual(['STARTED', 'PAUSED', 'RESUMED', 'ENDED'])
  expect(print.cancelled_at).not.toBeNull()
  expect(print.failed_at).toBeNull()
  expect(print.last_action).toMatchObject({ action: 'cancelled', by: 'printer' })
})

test('a change of filament pauses, and says why', async () => {
  await startPrint('filament.gcode', 40)
  const before = (await client.listPrinterEvents({ printer_id: printerId, limit: 100 })).length
  await send('M600')
  await untilState('Paused')
  await until('the notice', async () => (await typesOf('filament.gcode')).includes('FILAMENT_CHANGE'))
  expect((await client.listPrinterEvents({ printer_id: printerId, limit: 100 })).length).toBeGreaterThan(before)
  const result = await client.cancelPrint({ id: printerId })
  expect(result.succeeded).toBe(true)
  await untilEnded('filament.gcode')
  const types = await typesOf('filament.gcode')
  expect(types.filter((type) => type === 'PAUSED')).toHaveLength(1)
  expect(types.at(-1)).toBe('ENDED')
  expect((await printOf('filament.gcode'))?.last_action).toMatchObject({ action: 'cancelled', by: 'app' })
})

test('a pause parks the print, and a resume brings it back before it goes on', async () => {
  const parking = { retract_on_pause: 5, lift_z_on_pause: 3, tools_off_on_pause: true, bed_off_on_pause: true }
  await client.updatePrinter({ id: printerId, ...parking })
  await startPrint('parked.gcode', 60)
  const parked = ['G91', 'M83', 'G1 E-5', 'G1 Z3', 'G90', 'M83', 'M104 T0 S0', 'M140 S0']
  // Both are brought back, of course only if they were known to be wanted.
  await until('heat', async () => {
    const { tool0, bed } = (await status())?.temperatures ?? {}
    return (tool0?.target ?? 0) > 0 && (bed?.target ?? 0) > 0
  })
  expect((await client.pausePrint({ id: printerId })).succeeded).toBe(true)
  await untilState('Paused')
  await until('the parking', async () => isInOrder(await sentCommands(), parked))
  expect((await client.resumePrint({ id: printerId })).succeeded).toBe(true)
  await untilState('Printing', 120_000)
  const back = ['M104 T0 S60', 'M140 S40', 'M109 T0 S60', 'M190 S40', 'G91', 'M83', 'G1 Z-3', 'G1 E5', 'G90', 'M83']
  await until('all of it to be sent', async () => isInOrder(await sentCommands(), [...parked, ...back]))
  await client.cancelPrint({ id: printerId })
  await untilEnded('parked.gcode')
}, 300_000)

/** The commands that OctoPrint sent to the printer, without line numbers and check sums. */
async function sentCommands(): Promise<string[]> {
  const log = await readFile(join(folder.path, 'octoprint/base/logs/serial.log'), 'utf8')
  return [...log.matchAll(/Send: (?:N\d+ )?([^*\n]+)/g)].map(([, command = '']) => command.trim())
}

test('noise on the line is counted, and harms no print', async () => {
  await startPrint('noise.gcode', 15)
  await debug('trigger_resend_checksum')
  await debug('trigger_resend_lineno')
  await until('resends', async () => ((await status())?.resends?.count ?? 0) > 0)
  expect((await untilEnded('noise.gcode')).finished_at).not.toBeNull()
  expect(await typesOf('noise.gcode')).toEqual(['STARTED', 'ENDED'])
})

test('silence and noise that pass harm no print', async () => {
  await serialTimeouts(2)
  await startPrint('quiet.gcode', 20)
  await debug('resend_ratio 20')
  await debug('dont_answer')
  await debug('sleep 4')
  await debug('sleep_after_next G4 4')
  await until('resends', async () => ((await status())?.resends?.count ?? 0) > 3)
  expect((await status())?.state.text).toBe('Printing')
  await debug('resend_ratio 0')
  expect((await untilEnded('quiet.gcode')).finished_at).not.toBeNull()
  expect(await typesOf('quiet.gcode')).toEqual(['STARTED', 'ENDED'])
}, 180_000)

test('a printer that is reset by somebody fails its print, and is there for the next one', async () => {
  await startPrint('reset.gcode', 60)
  await debug('reset')
  expect((await untilEnded('reset.gcode')).finished_at).toBeNull()
  await untilState('Operational')
  expect((await typesOf('reset.gcode')).filter((type) => type === 'ENDED')).toHaveLength(1)
})

test('a printer that falls silent for good is offline, its print has failed, and it is connected to again', async () => {
  await serialTimeouts(2)
  await startPrint('silent.gcode', 60)
  const silentMs = performance.now()
  await debug('go_awol')
  await untilState('Offline', 120_000)
  const toldMs = performance.now()
  expect((await untilEnded('silent.gcode')).failed_at).not.toBeNull()
  expect((await typesOf('silent.gcode')).filter((type) => type === 'ENDED')).toHaveLength(1)
  await serialTimeouts(30)
  const askedMs = performance.now()
  await reconnect()
  const backMs = performance.now()
  console.log(
    `silence told after ${seconds(toldMs - silentMs)} s, back ${seconds(backMs - askedMs)} s after the connect`,
  )
}, 240_000)

const seconds = (ms: number): string => (ms / 1000).toFixed(1)

/** How long OctoPrint waits for an answer of the printer; it gives up after a few of these. */
const serialTimeouts = (communication: number): Promise<void> =>
  call('/api/settings', {
    serial: { timeoutCommunication: communication, timeoutCommunicationBusy: communication, maxTimeoutsPrinting: 3 },
  })

test.each([
  {
    name: 'thermal runaway',
    fault: () => debug('trigger_fatal_error_marlin'),
    title: 'Printer error',
    says: 'Thermal Runaway',
  },
  {
    name: 'an emergency stop',
    fault: async () => void (await client.emergencyStop({ id: printerId })),
    title: 'Emergency stop',
    says: 'emergency stop',
  },
  {
    name: 'a Klipper that has lost its board',
    fault: () => debug('toggle_klipper_connection'),
    title: 'Printer error',
    says: 'Lost communication',
  },
  { name: 'a printer that disconnects', fault: () => debug('action_disconnect'), title: undefined, says: '' },
  { name: 'a pulled cable', fault: () => debug('drop_connection'), title: undefined, says: '' },
])(
  '$name ends the print as failed, once; the printer is offline until it is connected again',
  async ({ name, fault, title, says }) => {
    const file = `${name.replaceAll(' ', '-')}.gcode`
    const before = title === undefined ? 0 : (await titled(title)).length
    await startPrint(file, 60)
    await fault()
    await untilState('Offline', 120_000)
    const print = await untilEnded(file)
    expect(print.failed_at).not.toBeNull()
    expect((await typesOf(file)).filter((type) => type === 'ENDED')).toHaveLength(1)
    if (title !== undefined) {
      const told = await until('the notice', async () => {
        const events = await titled(title)
        return events.length > before ? events : undefined
      })
      expect(told).toHaveLength(before + 1)
      expect(told[0]?.event_text).toContain(says)
    }
    await reconnect()
    expect((await client.getPrinter({ id: printerId })).current_print).toBeNull()
  },
  240_000,
)

test('an OctoPrint that is started anew is found again, and connects to its printer', async () => {
  const port = Number(new URL(octoprint.url).port)
  await octoprint.stop()
  await untilState('Offline')
  octoprint = await startOctoPrint(join(folder.path, 'octoprint'), port)
  await untilState('Operational', 120_000)
})

test('a session that OctoPrint ends is opened again, and the print is the same', async () => {
  await startPrint('session.gcode', 30)
  // With another password all sessions of the user end; the agent opens another one by itself, with the key that it has.
  const headers = { 'X-Api-Key': octoprint.apiKey, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ password: 'another-pass', current: 'agent-pass' })
  const answer = await fetch(`${octoprint.url}/api/users/agent/password`, { method: 'PUT', headers, body })
  expect(answer.status).toBe(200)
  await until('progress', async () => ((await status())?.progress?.completion ?? 0) > 50)
  expect((await untilEnded('session.gcode')).finished_at).not.toBeNull()
  expect(await typesOf('session.gcode')).toEqual(['STARTED', 'ENDED'])
})

/** Whether the wanted commands come in this order, whatever is between them. */
function isInOrder(seen: readonly string[], wanted: readonly string[]): boolean {
  let next = 0
  for (const command of seen) if (command === wanted[next]) next += 1
  return next === wanted.length
}
