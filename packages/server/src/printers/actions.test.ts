import { ActionResult, Command } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { updatePrint } from '../prints/store.js'
import { startTestServer, type TestServer } from '../testing.js'
import type { PrinterRow } from './store.js'
import { addCurrentPrint, connectAgent } from './testing.js'

let server: TestServer
let printer: PrinterRow

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(async () => {
  await server.close()
})

beforeEach(async () => {
  printer = (await server.addPrinter(server.owner.id)).printer
})

const path = (id: number, rest: string): string => `/api/v1/printers/${id}/${rest}`
const startPrint = (changes = {}) => addCurrentPrint(server.database.db, printer, changes)

async function act(action: string): Promise<ActionResult> {
  const { status, json } = await server.call('POST', path(printer.id, action))
  expect(status).toBe(200)
  const result = ActionResult.parse(json)
  expect(result.printer.id).toBe(printer.id)
  return result
}

test.each(['pause_print/', 'resume_print/', 'cancel_print/', 'mute_current_print/', 'acknowledge_alert/', 'rearm/'])(
  'idle: %s does not succeed',
  async (action) => {
    connectAgent(server.bus, printer.id)
    expect(await act(action)).toMatchObject({ succeeded: false, command_id: null })
  },
)

test('printing, but no agent: a command does not succeed', async () => {
  await startPrint()
  const { succeeded, command_id } = await act('pause_print/')
  expect(succeeded).toBe(false)
  const { json } = await server.call('GET', path(printer.id, `commands/${command_id}/`))
  expect(Command.parse(json)).toMatchObject({ id: command_id, cmd: 'pause', status: 'failed', printer_id: printer.id })
})

test('a command is handed to the agent, and its progress can be read', async () => {
  await startPrint()
  const { received } = connectAgent(server.bus, printer.id)
  const { succeeded, command_id } = await act('pause_print')
  expect(succeeded).toBe(true)
  const args = { retract: 6.5, lift_z: 2.5, tools_off: true }
  expect(received).toMatchObject([{ type: 'command', id: command_id, cmd: 'pause', args, initiator: 'api' }])
  const { status, json } = await server.call('GET', path(printer.id, `commands/${command_id}/`), {
    token: await server.addToken(server.owner.id, 'read'),
  })
  expect(status).toBe(200)
  expect(Command.parse(json)).toMatchObject({ status: 'sent', initiator: 'api', acked_at: null, error: null })
  expect((await server.call('GET', path(printer.id, 'commands/1/'))).status).toBe(404)
  const { printer: another } = await server.addPrinter(server.owner.id)
  expect((await server.call('GET', path(another.id, `commands/${command_id}/`))).status).toBe(404)
})

test('muting and un-muting', async () => {
  await startPrint()
  expect((await act('mute_current_print/')).printer.current_print?.alert_muted_at).not.toBeNull()
  expect((await act('mute_current_print/?mute_alert=true')).succeeded).toBe(true)
  expect((await act('mute_current_print/?mute_alert=false')).printer.current_print?.alert_muted_at).toBeNull()
  expect((await server.call('POST', path(printer.id, 'mute_current_print/?mute_alert=0'))).status).toBe(400)
  const { json } = await server.call('GET', `/api/v1/printer_events/?printer_id=${printer.id}`)
  expect(json).toMatchObject([{ event_type: 'ALERT_UNMUTED' }, { event_type: 'ALERT_MUTED' }])
})

test('acknowledging an alert', async () => {
  const print = await startPrint()
  expect((await act('acknowledge_alert/')).succeeded).toBe(false)
  await updatePrint(server.database.db, print.id, { alerted_at: server.clock.now() })
  server.clock.advance(1000)
  const { succeeded, printer: shown } = await act('acknowledge_alert/?alert_overwrite=FAILED')
  expect(succeeded).toBe(true)
  expect(shown.current_print).toMatchObject({ alert_overwrite: 'FAILED', need_alert_overwrite: false })
  expect(shown.current_print?.alert_acknowledged_at).not.toBeNull()
  expect((await server.call('POST', path(printer.id, 'acknowledge_alert/?alert_overwrite=MAYBE'))).status).toBe(400)
})

test.each([
  { action: 'resume_print/', overwrite: 'NOT_FAILED' },
  { action: 'cancel_print/', overwrite: 'FAILED' },
])('$action answers a standing alert', async ({ action, overwrite }) => {
  await startPrint({ alerted_at: server.clock.now() - 1000 })
  connectAgent(server.bus, printer.id)
  const { printer: shown } = await act(action)
  expect(shown.current_print).toMatchObject({ alert_overwrite: overwrite, alert_acknowledged_at: expect.any(String) })
})
