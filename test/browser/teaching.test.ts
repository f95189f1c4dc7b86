import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'

// A print that fails, with a real server, agent and browser: why it was alerted about, what the answer changes, and the same print
// judged again. Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const LONG = { timeout: 200_000 }

let world: DashboardWorld
let page: Page

beforeAll(async () => {
  world = await openDashboard({ timeoutMs: 30_000 })
  page = world.page
}, 240_000)

afterAll(() => world?.close())

stopAtFirstFailure(() => world, 'teaching')

test('a virtual printer begins a print that fails, and is paused', async () => {
  await world.signIn('/printers/new')
  const camera = '[camera workshop bed]\npictures: generated\ninterval: 1'
  const settings = ['duration: 180', 'heating: 2', 'fail_at: 0.25', 'seed: 5016']
  await world.startPrinter(await world.addPrinter(), settings, [camera])
  await page.getByRole('link', { name: 'Printwarden, all printers' }).click()
  await page.getByRole('link', { name: 'Workshop printer' }).click(LONG)
  await page.getByText('Printwarden has paused the print.').waitFor(LONG)
}, 300_000)

test("the print's page shows what was seen and by which rule, and who paused it", async () => {
  await page.goto(`${world.server.url}/prints`)
  await page.locator('.prints tbody a').first().click()
  const alert = page.getByRole('article', { name: 'Failure, print paused' })
  await alert.waitFor(LONG)
  await alert.getByText(/The print was paused\. .* above two thirds/).waitFor()
  const picture = alert.getByRole('img', { name: 'What the failure detection found' })
  await expect
    .poll(() => picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)))
    .toBeGreaterThan(0)
  await page.getByText('was paused by Printwarden, because it looked like a failure.').waitFor(LONG)
  await alert.getByText('The ten minutes before, and the numbers').click()
  await alert.locator('canvas').waitFor()
  await world.lookAt('alert-record')
}, 200_000)

test('an answer changes what the camera needs, and is undone', async () => {
  const alert = page.getByRole('article', { name: 'Failure, print paused' })
  await alert.getByRole('button', { name: 'Not a failure' }).click()
  await alert.getByText(/Alerts on this camera now need 0\.[56]\d instead of 0\.50\./).waitFor()
  await world.lookAt('alert-answered')
  await page.goto(`${world.server.url}/printers/1/detection`)
  await page
    .getByText(/Because of one answer, alerts on this camera need a score of 0\.[56]\d instead of 0\.50\./)
    .waitFor()
  await page.locator('.teaching-panel').scrollIntoViewIfNeeded()
  await world.lookAt('teaching')
  await page.getByRole('button', { name: 'Take back' }).click()
  await page.getByText('Scores of this camera count as the model gives them.').waitFor()
  await page.goBack()
  await alert.waitFor()
  await expect(alert.getByRole('button', { name: 'Undo' }).count()).resolves.toBe(0)
}, 200_000)

test('the print is judged again with another sensitivity, and looked back at picture by picture', async () => {
  await page.getByRole('link', { name: 'Look back with other settings' }).click()
  await page.getByRole('heading', { name: 'Paused at the same time.' }).waitFor(LONG)
  await page.locator('.backtest-result canvas').waitFor()
  const slider = page.locator('.backtest-settings input[type="range"]')
  await slider.fill('0.4')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('heading', { name: 'It would not have been paused; it was.' }).waitFor()
  const picture = page.locator('.scrub-picture img')
  const first = await picture.getAttribute('src')
  await page.getByLabel('Which picture').fill('20')
  await expect.poll(() => picture.getAttribute('src')).not.toBe(first)
  await world.lookAt('backtest')
  await page.getByRole('button', { name: 'This is a failure' }).click()
  await page.getByText('Kept: this picture shows a failure.').waitFor()
}, 200_000)

test('the page complained about nothing', () => {
  expect(world.complaints).toEqual([])
})
