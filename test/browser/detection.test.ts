import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'

// What a camera's detection looks at, painted in a real browser on a real agent's picture: saved by the server, there after a reload.
// Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const LONG = { timeout: 120_000 }

let world: DashboardWorld
let page: Page

beforeAll(async () => {
  world = await openDashboard()
  page = world.page
}, 240_000)

afterAll(() => world?.close())

stopAtFirstFailure(() => world, 'detection')

const shareOf = async (editor: Locator): Promise<(x: number, y: number) => Promise<void>> => {
  const box = await editor.boundingBox()
  if (box === null) throw new Error('the picture is not shown')
  return (x, y) => page.mouse.click(box.x + x * box.width, box.y + y * box.height)
}

interface Cameras {
  readonly settings: {
    readonly ignore_regions: readonly (readonly (readonly [number, number])[])[]
    readonly bed_crop: { readonly x: number; readonly width: number } | null
    readonly baseline_enabled: boolean
  }
}

/** What the server has, asked as the page asks. */
const kept = (): Promise<Cameras['settings'] | undefined> =>
  page.evaluate(async () => {
    const id = /printers\/(\d+)/.exec(location.pathname)?.[1]
    const cameras = (await (await fetch(`/api/v1/printers/${id}/cameras/`)).json()) as Cameras[]
    return cameras[0]?.settings
  })

test('the page is found from the printer, and shows the newest picture of its camera', async () => {
  await world.signIn('/printers/new')
  const camera = '[camera workshop bed]\npictures: generated\ninterval: 1'
  await world.startPrinter(await world.addPrinter(), ['duration: 600', 'heating: 1', 'seed: 5016'], [camera])
  await page.getByText('The agent is connected').waitFor(LONG)
  await page.goto(`${world.server.url}/printers/1`)
  await page.getByRole('img', { name: 'Camera of Workshop printer' }).waitFor(LONG)
  await page.getByRole('link', { name: 'What the detection looks at' }).click()
  await page.getByRole('img', { name: /Newest picture of/ }).waitFor(LONG)
}, 240_000)

test('a region is painted with the mouse, undone by one corner, closed and saved; it is there after a reload', async () => {
  await page.getByRole('button', { name: 'Ignore a region' }).click()
  const click = await shareOf(page.locator('.editor'))
  for (const [x, y] of [
    [0.1, 0.1],
    [0.3, 0.1],
    [0.3, 0.3],
    [0.6, 0.6],
  ] as const)
    await click(x, y)
  await page.getByRole('button', { name: 'Undo' }).click()
  await click(0.1, 0.3)
  await world.shoot('detection-painting')
  await page.getByRole('button', { name: 'Close the region' }).first().click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await kept())?.ignore_regions.length).toBe(1)
  await page.reload()
  await page.getByText('Region 1').waitFor(LONG)
  const [region] = (await kept())?.ignore_regions ?? []
  expect(region).toHaveLength(4)
  for (const [i, corner] of [
    [0.1, 0.1],
    [0.3, 0.1],
    [0.3, 0.3],
    [0.1, 0.3],
  ].entries()) {
    expect(region?.[i]?.[0]).toBeCloseTo(corner[0] ?? 0, 1)
    expect(region?.[i]?.[1]).toBeCloseTo(corner[1] ?? 0, 1)
  }
}, 120_000)

test('a region is painted with the keyboard alone', async () => {
  await page.getByRole('button', { name: 'Ignore a region' }).press('Enter')
  const keys = [
    'Space',
    'Shift+ArrowRight',
    'Shift+ArrowRight',
    'Space',
    'Shift+ArrowDown',
    'Shift+ArrowDown',
    'Space',
    'Enter',
  ]
  for (const key of keys) await page.keyboard.press(key)
  await page.getByText('Region 2').waitFor()
  await page.getByRole('button', { name: /Region 2, corner 1/ }).press('ArrowLeft')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await kept())?.ignore_regions[1]?.[0]).toEqual([0.49, 0.5])
}, 60_000)

test('the bed is marked and dragged, a switch is kept at once, and a corner is moved by dragging', async () => {
  await page.getByRole('button', { name: 'Mark the bed' }).click()
  const corner = page.getByRole('button', { name: 'Lower right corner of the bed area' })
  await drag(corner, 0.05, -0.1)
  await drag(page.getByRole('button', { name: /Region 1, corner 1/ }), -0.05, 0)
  await world.lookAt('detection')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await kept())?.bed_crop?.width).toBeCloseTo(0.75, 1)
  await page.getByRole('switch', { name: /What is usual for this camera/ }).uncheck()
  await expect.poll(async () => (await kept())?.baseline_enabled).toBe(false)
  expect((await kept())?.ignore_regions[0]?.[0]?.[0]).toBeCloseTo(0.05, 1)
  expect(world.complaints).toEqual([])
}, 120_000)

async function drag(grip: Locator, dx: number, dy: number): Promise<void> {
  const [box, whole] = [await grip.boundingBox(), await page.locator('.editor').boundingBox()]
  if (box === null || whole === null) throw new Error('there is nothing to drag')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + (dx * whole.width) / 2, y + (dy * whole.height) / 2)
  await page.mouse.move(x + dx * whole.width, y + dy * whole.height)
  await page.mouse.up()
}

test('what was learned is forgotten after a question', async () => {
  await page.getByRole('switch', { name: /Show the usual scores/ }).check()
  await page.getByRole('button', { name: 'Forget what was learned' }).click()
  await page.getByRole('button', { name: 'Forget it' }).click()
  await page.getByText('It is forgotten.').waitFor()
}, 60_000)
