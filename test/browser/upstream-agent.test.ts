import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'
import { ROOT } from '../support/processes.js'

// An unmodified agent of the upstream dialect, as it was recorded, on the page of its printer in a real browser. Screenshots go to
// PRINTWARDEN_TEST_SHOTS, if it names a folder.

interface Line {
  readonly t: number
  readonly dir?: string
  readonly ws_text?: Record<string, unknown>
}

const RECORDING = join(ROOT, 'test/fixtures/upstream-traffic/moonraker-obico-2.1.4.jsonl')

/** What the agent said until it paused its first print. */
const SAID = readFileSync(RECORDING, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line)
  .filter(({ t, dir, ws_text }) => dir === 'agent->server' && ws_text !== undefined && t < 86)

let world: DashboardWorld
let page: Page
let socket: WebSocket | undefined

beforeAll(async () => {
  world = await openDashboard()
  page = world.page
}, 240_000)

afterAll(async () => {
  socket?.close()
  await world?.close()
})

stopAtFirstFailure(() => world, 'upstream-agent')

test('its printer goes online and shows the paused print', async () => {
  await world.signIn('/printers/new')
  const token = await world.addPrinter()
  await page.getByText('Waiting for the agent to connect').waitFor()
  const opened = new WebSocket(`${world.server.url.replace('http', 'ws')}/ws/dev/`, {
    headers: { authorization: `bearer ${token}` },
  })
  socket = opened
  await new Promise((resolve) => opened.on('open', resolve))
  for (const { ws_text } of SAID) opened.send(JSON.stringify(ws_text))
  await page.getByRole('link', { name: 'Open Workshop printer' }).click()
  await page.getByText('Paused').first().waitFor()
  await page.getByText('moon.gcode').first().waitFor()
}, 120_000)

test('what is forgiven of it stands in a quiet place', async () => {
  await page.reload()
  await page.getByText('Printer and agent').click()
  await page.getByText('Agent: moonraker_service 2.1.4').waitFor()
  await page.getByText(/The agent speaks another dialect: \d+ things are forgiven/).click()
  await page.getByText('It leaves out flags.resuming; that means false.').waitFor()
  await world.lookAt('upstream-agent')
  expect(world.complaints).toEqual([])
}, 120_000)
