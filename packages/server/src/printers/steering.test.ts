import { ActionResult, Command, flagsOf, PrinterEvent, type StateText } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { printerFlow } from './flow.js'
import { statusKey } from './live-keys.js'
import type { PrinterRow } from './store.js'
import { steeringLine } from './steering-line.js'
import { addCurrentPrint, connectAgent } from './testing.js'

let server: TestServer
let printer: PrinterRow

beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(async () => {
  printer = (await server.addPrinter(server.owner.id)).printer
})
afterAll(() => server.close())

async function act(action: string, body?: object): Promise<ActionResult> {
  const options = body === undefined ? {} : { body }
  const { status, json } = await server.call('POST', `/api/v1/printers/${printer.id}/${action}/`, options)
  expect(status).toBe(200)
  return ActionResult.parse(json)
}

async function events(): Promise<PrinterEvent[]> {
  const { json } = await server.call('GET', `/api/v1/printer_events/?printer_id=${printer.id}`)
  return PrinterEvent.array().parse(json)
}

async function show(text: StateText): Promise<void> {
  const now = server.clock.now()
  const status = { _ts: now / 1000, state: { text, flags: flagsOf(text) } }
  await server.live.put(statusKey(printer.id), status, { ts: now, ttlMs: 60_000 })
}

test.each([
  ['emergency_stop', undefined, {}],
  ['restart_firmware', undefined, {}],
  ['answer_prompt', { prompt_id: 'q1', choice: 1 }, { prompt_id: 'q1', choice: 1 }],
  ['print_file', { path: 'a/cube.gcode' }, { path: 'a/cube.gcode', origin: 'local' }],
  ['list_files', undefined, {}],
])('%s is handed to the agent of a printer that prints nothing', async (action, body, args) => {
  const { received } = connectAgent(server.bus, printer.id)
  const result = await act(action, body)
  expect(result).toMatchObject({ succeeded: true, command_id: expect.any(String) })
  expect(received).toEqual([expect.objectContaining({ type: 'command', cmd: action, args })])
})

test('an object is left out of a print, never of none', async () => {
  const { received } = connectAgent(server.bus, printer.id)
  expect(await act('exclude_object', { name: 'cube' })).toMatchObject({ succeeded: false, command_id: null })
  await addCurrentPrint(server.database.db, printer)
  expect(await act('exclude_object', { name: 'cube' })).toMatchObject({ succeeded: true })
  expect(received).toEqual([expect.objectContaining({ cmd: 'exclude_object', args: { name: 'cube' } })])
})

test('what was ordered is in the history with who ordered it, and with its print', async () => {
  connectAgent(server.bus, printer.id)
  const print = await addCurrentPrint(server.database.db, printer)
  await act('emergency_stop')
  const [event] = await events()
  expect(event).toMatchObject({
    ...{ event_type: 'COMMAND_GIVEN', event_class: 'WARNING', event_title: 'Emergency stop ordered', print: print.id },
    ...{ initiator: 'app', initiator_name: null },
  })
})

test('what did not reach the agent is not in the history, nor is a list of files', async () => {
  expect(await act('emergency_stop')).toMatchObject({ succeeded: false })
  connectAgent(server.bus, printer.id)
  await act('list_files')
  expect(await events()).toEqual([])
})

test('a printer that prints is not given another file', async () => {
  const { received } = connectAgent(server.bus, printer.id)
  await addCurrentPrint(server.database.db, printer)
  expect(await act('print_file', { path: 'cube.gcode' })).toMatchObject({ succeeded: false })
  expect(received).toEqual([])
})

test.each([
  ['print_file', { path: '' }],
  ['print_file', { path: 'x'.repeat(1001) }],
  ['print_file', { path: 'a', origin: 'moon' }],
  ['answer_prompt', { prompt_id: 'q', choice: -1 }],
  ['answer_prompt', { prompt_id: 'q', choice: 0.5 }],
  ['exclude_object', { name: '' }],
])('%s with %j is refused', async (action, body) => {
  const { status } = await server.call('POST', `/api/v1/printers/${printer.id}/${action}/`, { body })
  expect(status).toBe(400)
})

test('the list of files is the result of the command', async () => {
  connectAgent(server.bus, printer.id)
  const { command_id } = await act('list_files')
  const list = { files: [{ path: 'a.gcode', origin: 'sdcard', size: 3, date: 1000 }], is_cut: false }
  const flow = printerFlow({ ...server, log: { error() {}, warn() {}, info() {}, debug() {} } })
  await flow.commandAcked(printer.id, command_id ?? '', { result: list })
  flow.close()
  const { json } = await server.call('GET', `/api/v1/printers/${printer.id}/commands/${command_id}/`)
  expect(Command.parse(json)).toMatchObject({ status: 'done', result: list })
})

test('a print that has just begun can be paused before its record is written', async () => {
  connectAgent(server.bus, printer.id)
  await show('Printing')
  const asked = act('pause_print')
  setTimeout(() => void addCurrentPrint(server.database.db, printer), 250)
  expect(await asked).toMatchObject({ succeeded: true })
})

test('a printer that shows no print is not waited for', async () => {
  connectAgent(server.bus, printer.id)
  await show('Operational')
  const before = performance.now()
  expect(await act('pause_print')).toMatchObject({ succeeded: false })
  expect(performance.now() - before).toBeLessThan(1500)
})

test.each([
  [{ cmd: 'emergency_stop' }, 'An emergency stop was ordered by Anna.'],
  [{ cmd: 'restart_firmware' }, 'A restart of the firmware was ordered by Anna.'],
  [{ cmd: 'exclude_object', name: 'cube' }, 'cube was taken out of the print by Anna.'],
  [{ cmd: 'answer_prompt', prompt_id: 'q', choice: 0 }, 'The question of the printer was answered by Anna.'],
  [{ cmd: 'print_file', path: 'a.gcode', origin: 'local' }, 'a.gcode was sent to print by Anna.'],
] as const)('%j is told as "%s"', (steering, text) => {
  expect(steeringLine(steering, { initiator: 'web', initiator_name: 'Anna' }).event_text).toBe(text)
})
