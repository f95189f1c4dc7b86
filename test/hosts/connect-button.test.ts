import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'
import { startAgent } from '../support/processes.js'
import { type OctoPrintProgram, startOctoPrint } from './octoprint-program.js'

// A printer that lost its host is connected again by the button on its page: real OctoPrint, agent, server and browser.

const LONG = { timeout: 60_000 }

let world: DashboardWorld
let page: Page
let octoprint: OctoPrintProgram

beforeAll(async () => {
  world = await openDashboard()
  page = world.page
  const folder = join(world.folder, 'octoprint')
  await mkdir(folder)
  octoprint = await startOctoPrint(folder)
  await world.signIn('/printers/new')
  const token = await world.addPrinter()
  const config = join(world.folder, 'printwarden-agent.cfg')
  const host = `host: octoprint\nurl: ${octoprint.url}\napi_key: ${octoprint.apiKey}`
  await writeFile(config, `[server]\nurl: ${world.server.url}\n\n[printer marlin]\nauth_token: ${token}\n${host}\n`)
  world.agent = startAgent(config)
  await page.goto(`${world.server.url}/printers/1`)
})

afterAll(async () => {
  await octoprint?.stop()
  await world?.close()
})

stopAtFirstFailure(() => world, 'connect')

test('there is nothing to connect while the printer is there', async () => {
  await page.locator('.page-head').getByText('Ready', { exact: true }).waitFor(LONG)
  await page.getByRole('button', { name: 'Connect the printer' }).waitFor({ state: 'detached' })
})

test('after the cable was pulled a person connects it, and sees that it worked', async () => {
  const headers = { 'X-Api-Key': octoprint.apiKey, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ command: 'disconnect' })
  await fetch(`${octoprint.url}/api/connection`, { method: 'POST', headers, body })
  await page.getByRole('button', { name: 'Connect the printer' }).waitFor(LONG)
  await world.lookAt('connect')
  await page.getByRole('button', { name: 'Connect the printer' }).click()
  await page.locator('.command').getByText('Connected', { exact: true }).waitFor(LONG)
  await page.locator('.page-head').getByText('Ready', { exact: true }).waitFor(LONG)
})
