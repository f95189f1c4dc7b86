import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'

// Proof of watching in a real browser: a real server, and a real agent with three cameras, of which one sends dark pictures.
// Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const LONG = { timeout: 120_000 }

let world: DashboardWorld
let page: Page

beforeAll(async () => {
  world = await openDashboard({ timeoutMs: 30_000 })
  page = world.page
  await world.signIn('/printers/new')
  const cameras = [
    '[camera workshop bed]\npictures: generated\ninterval: 2',
    '[camera workshop nozzle]\npictures: generated\ninterval: 5',
    `[camera workshop enclosure]\npictures: ${await darkPictures()}\ninterval: 5`,
  ]
  await world.startPrinter(await world.addPrinter(), ['duration: 900', 'heating: 2'], cameras)
  await page.goto(`${world.server.url}/printers/1`)
}, 240_000)

afterAll(() => world?.close())

stopAtFirstFailure(() => world, 'watching')

/** A folder of pictures as a camera takes them in a dark room. */
async function darkPictures(): Promise<string> {
  const dark = join(world.folder, 'dark')
  await mkdir(dark)
  for (const shade of [3, 4, 5]) {
    const background = { r: shade, g: shade, b: shade }
    await sharp({ create: { width: 320, height: 240, channels: 3, background } })
      .jpeg()
      .toFile(join(dark, `${shade}.jpg`))
  }
  return dark
}

const camera = (name: string) => page.getByRole('listitem').filter({ hasText: name })

test('a print is shown as watched once its pictures are checked, with the last look', async () => {
  await page.getByText('Watching this print').waitFor(LONG)
  await page.getByText(/Last look (just now|\d+ s ago)/).waitFor(LONG)
}, 180_000)

test('a self-test goes the way of the pictures, and says what came of it', async () => {
  await page.getByRole('button', { name: 'Run a self-test' }).click()
  await page.getByText(/The self-test passed: the failure was found in \d+ ms/).waitFor(LONG)
  await page
    .getByText(/self-test passed/)
    .first()
    .waitFor()
}, 150_000)

test('each camera has its picture, and watches once it is told to', async () => {
  await camera('nozzle').getByRole('img').waitFor(LONG)
  await camera('nozzle').getByText('Not looked at for failures').waitFor()
  await camera('nozzle').getByRole('switch').check()
  await camera('nozzle')
    .getByText(/Watching · \d+ look/)
    .waitFor(LONG)
}, 180_000)

test('a camera that sends dark pictures is said to see nothing, while the print is watched by the others', async () => {
  await camera('enclosure').getByRole('switch').check()
  await camera('enclosure').getByText('The camera cannot see: its picture is dark.').waitFor(LONG)
  await page.getByText('Watching this print').waitFor(LONG)
  await world.lookAt('watching')
}, 240_000)

test('what the detection may do is kept, and goes to the printer', async () => {
  await page.getByLabel(/cancel it when nobody answers/).check()
  await page.getByLabel('Pull the filament back').fill('4')
  // The page is drawn again with each message of the printer, which leaves alone what is being typed.
  await page.waitForTimeout(3000)
  expect(await page.getByLabel('Pull the filament back').inputValue()).toBe('4')
  await page.getByLabel('Lift the nozzle').fill('2.5')
  await page.getByLabel('Lift the nozzle').blur()
  const kept = () =>
    page.evaluate(async () => {
      const printer: Record<string, unknown> = await (await fetch('/api/v1/printers/1/')).json()
      return [printer['action_on_failure'], printer['retract_on_pause'], printer['lift_z_on_pause']]
    })
  await expect.poll(kept).toEqual(['CANCEL', 4, 2.5])
}, 90_000)

test('when its agent is gone, nobody watches, and the page says what to do', async () => {
  await world.agent?.stop()
  await page.getByText('The printer is offline.').first().waitFor(LONG)
  await page.getByText('Check that the printer’s agent is running').waitFor()
  await page.getByText('Nobody is watching this print').waitFor({ timeout: 150_000 })
  await world.lookAt('nobody')
}, 240_000)
