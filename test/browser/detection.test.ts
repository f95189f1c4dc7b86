import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { ADMIN, ROOT, startAgent, startProgram, startServer, temporaryFolder } from '../support/processes.js'

// What a camera's detection looks at, painted in a real browser on a real agent's picture: saved by the server, there after a reload.
// Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const CHROMIUM = process.env['PRINTWARDEN_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const SHOTS = process.env['PRINTWARDEN_TEST_SHOTS']
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
const LONG = { timeout: 120_000 }

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let agent: Program | undefined
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  if (!existsSync(join(ROOT, 'packages/dashboard/dist/index.html'))) {
    const build = startProgram(process.execPath, [join(ROOT, 'scripts/build.mjs')])
    if ((await build.ended) !== 0) throw new Error(build.output())
  }
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' })
  page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('pageerror', (error) => complaints.push(String(error)))
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await agent?.stop()
  await server?.stop()
  await folder?.remove()
})

let isBroken = false
beforeEach((current) => {
  if (isBroken) current.skip()
  current.onTestFailed(async () => {
    isBroken = true
    await shoot('detection-failed')
    console.error(`the agent said:\n${agent?.output() ?? 'nothing'}\nthe server said:\n${server.output()}`)
  })
})

async function shoot(name: string): Promise<void> {
  if (SHOTS === undefined) return
  await mkdir(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}

/** Looks at the page wide and narrow, light and dark; nowhere may it be wider than the window. */
async function lookAt(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      const overflow = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      await expect.poll(overflow, { message: `${name} at ${width} pixels is too wide by` }).toBe(0)
      await shoot(`${name}-${width}-${colorScheme}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
}

async function signIn(): Promise<void> {
  await page.goto(`${server.url}/printers/new`)
  await page.waitForURL(/\/login\//)
  await page.fill('input[name="email"]', ADMIN.email)
  await page.fill('input[name="password"]', ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function startPrinter(token: string): Promise<void> {
  const file = join(folder.path, 'printwarden-agent.cfg')
  const camera = (name: string): string => `[camera workshop ${name}]\npictures: generated\ninterval: 1\n`
  await writeFile(
    file,
    `[server]\nurl: ${server.url}\n\n[printer workshop]\nauth_token: ${token}\nhost: virtual\nduration: 600\nheating: 1\nseed: 5016\n\n${camera('bed')}`,
  )
  agent = startAgent(file)
}

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
  await signIn()
  await page.getByLabel('Name').fill('Workshop printer')
  await page.getByRole('button', { name: 'Add the printer' }).click()
  const token = /auth_token: ([0-9a-f]{40})/.exec(await page.locator('pre').innerText())?.[1]
  await startPrinter(token ?? '')
  await page.getByText('The agent is connected').waitFor(LONG)
  await page.goto(`${server.url}/printers/1`)
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
  await shoot('detection-painting')
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
  await lookAt('detection')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await kept())?.bed_crop?.width).toBeCloseTo(0.75, 1)
  await page.getByRole('switch', { name: /What is usual for this camera/ }).uncheck()
  await expect.poll(async () => (await kept())?.baseline_enabled).toBe(false)
  expect((await kept())?.ignore_regions[0]?.[0]?.[0]).toBeCloseTo(0.05, 1)
  expect(complaints).toEqual([])
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
