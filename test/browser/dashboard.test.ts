import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'
import { ADMIN, startServer } from '../support/processes.js'

// A newcomer's first ten minutes with the dashboard, in a real browser: sign in, add a printer, connect its agent, pause and
// resume, see the alert and answer it. Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const LONG = { timeout: 120_000 }

let world: DashboardWorld
let page: Page

beforeAll(async () => {
  world = await openDashboard({ width: 1440 })
  page = world.page
}, 240_000)

afterAll(() => world?.close())

stopAtFirstFailure(() => world, 'dashboard')

test('without a session the sign-in form comes first, and leads back', async () => {
  await page.goto(`${world.server.url}/prints`)
  await page.waitForURL(/\/login\//)
  await world.shoot('sign-in')
  // The browser's own report of the 401 that led here.
  world.complaints.length = 0
  await page.fill('input[name="email"]', ADMIN.email)
  await page.fill('input[name="password"]', ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Prints', exact: true }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/prints')
})

test('a newcomer is told how to add a printer, and connects its agent', async () => {
  await page.getByRole('link', { name: 'Printers', exact: true }).click()
  await page.getByRole('heading', { name: 'Add your first printer' }).waitFor()
  await world.lookAt('empty')
  await page.getByRole('link', { name: 'Add a printer' }).click()
  const token = await world.addPrinter()
  await page.getByText('Waiting for the agent to connect').waitFor()
  await world.lookAt('connect')
  const camera = '[camera workshop bed]\npictures: generated\ninterval: 1'
  await world.startPrinter(token, ['duration: 180', 'heating: 2', 'fail_at: 0.25', 'seed: 5016'], [camera])
  await page.getByText('The agent is connected').waitFor(LONG)
}, 180_000)

test('the grid shows the picture, the state and what the detection thinks', async () => {
  await page.getByRole('link', { name: 'Printwarden, all printers' }).click()
  const card = page.getByRole('article')
  await card.getByText('Printing', { exact: true }).waitFor(LONG)
  await card.getByRole('img', { name: 'Camera of Workshop printer' }).waitFor(LONG)
  await card.getByText('Watching for failures').waitFor(LONG)
  await card.getByRole('meter', { name: 'Failure gauge' }).waitFor(LONG)
  await world.lookAt('grid')
}, 180_000)

test('a print is paused and resumed, and each step is seen', async () => {
  await page.getByRole('link', { name: 'Workshop printer' }).click()
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  const progress = page.locator('.command')
  await progress.getByText('Accepted by the agent').waitFor()
  await progress.getByText('Paused', { exact: true }).waitFor()
  await page.locator('.page-head').getByText('Paused', { exact: true }).waitFor()
  await world.shoot('paused')
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.locator('.page-head').getByText('Printing', { exact: true }).waitFor(LONG)
  await page.locator('.chart canvas').first().waitFor(LONG)
  expect(await page.title()).toBe('Workshop printer · Printwarden')
}, 180_000)

test('when the print fails the alert shows what was found, and the print is paused', async () => {
  await page.getByText('This print looks like a failure').waitFor(LONG)
  await page.getByText('Printwarden has paused the print.').waitFor(LONG)
  const picture = page.getByRole('img', { name: 'What the failure detection found' })
  await picture.waitFor()
  await expect
    .poll(() => picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)))
    .toBeGreaterThan(0)
  expect(await page.title()).toMatch(/^⚠ /)
  await world.lookAt('alert')
  await page.getByRole('link', { name: 'Printwarden, all printers' }).click()
  await page.getByText('A print looks like a failure').waitFor()
  await world.shoot('grid-alert')
  await page.getByRole('article').getByRole('link').click()
}, 200_000)

test('a lost server is said so, and what comes back is live again', async () => {
  await world.context.setOffline(true)
  // Going offline leaves open websockets alone, so the server ends them.
  const { port } = new URL(world.server.url)
  await world.server.stop()
  await page.getByText('Reconnecting').waitFor(LONG)
  await world.shoot('reconnecting')
  world.server = await startServer({ dataDir: join(world.folder, 'data'), port: Number(port) })
  await world.context.setOffline(false)
  await page.getByText('Reconnecting').waitFor({ state: 'detached', ...LONG })
  world.complaints.length = 0
}, 180_000)

test('the alert is answered, the print cancelled after a question, and listed', async () => {
  await page.getByRole('button', { name: 'It has failed' }).click()
  await page.getByText('This print looks like a failure').waitFor({ state: 'detached' })
  await page.getByText('Alert, confirmed').waitFor()
  const cancel = page.getByRole('button', { name: 'Cancel print' })
  await expect.poll(() => cancel.isEnabled(), LONG).toBe(true)
  await cancel.click()
  await world.shoot('cancel-question')
  await page.getByRole('button', { name: 'Cancel the print' }).click()
  await page.getByText('Nothing is being printed.').first().waitFor(LONG)
  await page.getByRole('link', { name: 'Prints', exact: true }).click()
  const row = page.getByRole('row').nth(1)
  await row.getByText('Cancelled', { exact: true }).waitFor()
  await row.getByText('Alert, confirmed').waitFor()
  await world.lookAt('prints')
  await row.getByRole('link').first().click()
  await page.getByRole('heading', { name: 'Failure gauge' }).waitFor()
  await page.locator('.chart canvas').waitFor()
  await world.lookAt('print')
}, 180_000)

test('settings are kept', async () => {
  await page.goto(`${world.server.url}/printers/1`)
  const only = page.getByLabel('Only alert me')
  await only.check()
  await page.reload()
  await expect.poll(() => page.getByLabel('Only alert me').isChecked()).toBe(true)
})

test('signing out ends the session', async () => {
  expect(world.complaints).toEqual([])
  await page.getByRole('button', { name: /^Sign out/ }).click()
  // Both the button and the live socket that ends with the session lead there, and one of the two ways is then given up.
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.goto(`${world.server.url}/`)
  await page.waitForURL(/\/login\//)
})
