import { once } from 'node:events'
import { AGENT_SOCKET_PATH, AGENT_SUBPROTOCOL, flagsOf, ServerToAgent, type StateText } from '@printwarden/protocol'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'

// What can be ordered of a printer from its page, at the wire of a real server: the agent says what it can, and what it is asked.

const LONG = { timeout: 60_000 }
const COMMANDS = [
  ...['pause', 'resume', 'cancel', 'emergency_stop', 'restart_firmware'],
  ...['exclude_object', 'answer_prompt', 'list_files', 'print_file'],
]
const FILES = {
  files: Array.from({ length: 12 }, (_, index) => ({
    path:
      index === 0
        ? 'brackets/a bracket with a rather long name that has to wrap on a phone_v12.gcode'
        : `part-${index}.gcode`,
    origin: index === 1 ? 'sdcard' : 'local',
    size: index === 1 ? null : 1_234_567 * (index + 1),
    date: index === 1 ? null : 1_790_000_000 - index * 86_400,
  })),
  is_cut: true,
}

let world: DashboardWorld
let page: Page
let socket: WebSocket
let print = -1
const taken: { cmd: string; args: object }[] = []

function say(text: StateText, more: object = {}, event?: string): void {
  const file = { name: 'plate.gcode', path: 'plate.gcode', display: 'plate.gcode' }
  const status = { _ts: Date.now() / 1000, state: { text, flags: flagsOf(text) }, job: { file }, ...more }
  const told = event === undefined ? {} : { event: { event_type: event, id: crypto.randomUUID() } }
  const settings = { commands: COMMANDS, webcams: [], agent: { name: 'printwarden-agent', version: '1' } }
  socket.send(JSON.stringify({ current_print_ts: print, settings, status, ...told }))
}

const button = (name: string) => page.getByRole('button', { name, exact: true })
const untilTaken = (cmd: string, args: object) =>
  expect.poll(() => taken.filter((one) => one.cmd === cmd).map((one) => one.args), LONG).toContainEqual(args)

beforeAll(async () => {
  world = await openDashboard({ timeoutMs: 60_000 })
  page = world.page
  await world.signIn('/printers/new')
  const headers = { authorization: `Bearer ${await world.addPrinter()}` }
  const address = world.server.url.replace('http', 'ws') + AGENT_SOCKET_PATH
  socket = new WebSocket(address, [AGENT_SUBPROTOCOL], { headers })
  await once(socket, 'open')
  socket.on('message', (data: Buffer) => {
    for (const { id, cmd, args } of ServerToAgent.parse(JSON.parse(data.toString())).commands ?? []) {
      taken.push({ cmd, args })
      socket.send(JSON.stringify({ ack: { id, result: cmd === 'list_files' ? FILES : 'ok' } }))
    }
  })
  say('Operational')
  await page.goto(`${world.server.url}/printers/1`)
})

afterAll(async () => {
  socket?.terminate()
  await world?.close()
})

stopAtFirstFailure(() => world, 'orders')

test('its own files are listed, sought and printed', async () => {
  await button('Files on the printer').click()
  await page.getByText('part-3.gcode').waitFor()
  await world.lookAt('orders-files')
  await page.getByLabel('Find a file').fill('bracket')
  await expect.poll(() => page.locator('dialog .row').count()).toBe(1)
  await page.locator('dialog').getByRole('button', { name: 'Print', exact: true }).click()
  await button('The bed is free: print').click()
  await untilTaken('print_file', { path: FILES.files[0]?.path, origin: 'local' })
})

test('an object is left out of the print, after a second thought', async () => {
  print = Math.floor(Date.now() / 1000)
  const objects = [
    { name: 'CUBE_ID_0_COPY_0', excluded: false },
    { name: 'RING_ID_1_COPY_0', excluded: true },
  ]
  say('Printing', { objects }, 'PrintStarted')
  await button('Leave an object out').click()
  await world.lookAt('orders-objects')
  await button('Leave out').click()
  await button('Leave it out for good').click()
  await untilTaken('exclude_object', { name: 'CUBE_ID_0_COPY_0' })
  await page.locator('dialog').getByRole('button', { name: 'Close', exact: true }).click()
})

test('a question is answered by its choices', async () => {
  say('Printing', {
    prompt: { id: 'q1', text: 'Which filament?\nThe old one has run out.', choices: ['PLA', 'Go on without'] },
  })
  await page.getByRole('alert').getByText('Which filament?').waitFor()
  await world.lookAt('orders-question')
  await button('Go on without').click()
  await untilTaken('answer_prompt', { prompt_id: 'q1', choice: 1 })
  say('Printing')
  await page.getByText('Which filament?').waitFor({ state: 'detached' })
})

test('an emergency stop asks first, and the page says how the printer comes back', async () => {
  await button('Emergency stop').click()
  await page.getByText('plate.gcode is lost').waitFor()
  await world.lookAt('orders-stop')
  await button('Do not stop').click()
  expect(taken.map(({ cmd }) => cmd)).not.toContain('emergency_stop')
  await button('Emergency stop').click()
  await button('Stop now').click()
  await untilTaken('emergency_stop', {})
  say('Printing', {}, 'PrintFailed')
  print = -1
  say('Offline', { state: { text: 'Offline', flags: flagsOf('Offline'), error: 'Shutdown due to an emergency stop' } })
  await page.getByText('Shutdown due to an emergency stop').waitFor()
  await page.getByText('Emergency stop ordered').waitFor()
  await world.lookAt('orders-stopped')
  await button('Restart the firmware').click()
  await button('Restart it').click()
  await untilTaken('restart_firmware', {})
})

test('a printer that cannot pause is only ever alerted about', async () => {
  say('Printing', { watched_by: 'picture' })
  await page.getByText('You are alerted.').waitFor()
  await page.getByText('Pause the print and alert me').waitFor({ state: 'detached' })
  await page.getByText('Nozzle heater off').waitFor({ state: 'detached' })
})
