import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient, type Print } from '@printwarden/sdk'
import type { Browser, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ADMIN,
  type Program,
  runServerCommand,
  type ServerProgram,
  startAgent,
  startServer,
  temporaryFolder,
  until,
} from '../support/processes.js'

// Time-lapses in a real browser: a virtual printer prints before a generated camera, and the videos of both encoders are played and
// sought in. Needs the built dashboard. Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const CHROMIUM = process.env['PRINTWARDEN_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const SHOTS = process.env['PRINTWARDEN_TEST_SHOTS']
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

let browser: Browser
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
}, 120_000)
afterAll(async () => {
  await browser?.close()
})

/** A server with a printer that prints once, to its end or to its failure. */
async function startPrinting(encoder: string) {
  const folder = await temporaryFolder()
  const env = { PRINTWARDEN_VIDEO_ENCODER: encoder }
  const server = await startServer({ dataDir: join(folder.path, 'data'), env })
  const issue = ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write', '--json']
  const issued = JSON.parse(await runServerCommand(server.url, issue)) as { access_token: string }
  const client = createClient({ baseUrl: server.url, token: issued.access_token })
  const printer = await client.createPrinter({ name: 'Workshop' })
  const limits = { min_timelapse_secs_on_finish: 0, min_timelapse_secs_on_cancel: 0 }
  await client.updatePrinter({ id: printer.id, ...limits, action_on_failure: 'NONE' })
  const config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${server.url}

[printer workshop]
auth_token: ${printer.auth_token}
host: virtual
duration: 60
heating: 2
fail_at: 0.5
seed: 505

[camera workshop bed]
pictures: generated
interval: 1
primary: true
`,
  )
  const agent = startAgent(config)
  return { folder, server, client, printerId: printer.id, agent }
}

interface World {
  readonly folder: { path: string; remove: () => Promise<void> }
  readonly server: ServerProgram
  readonly client: Client
  readonly printerId: number
  readonly agent: Program
}

async function close({ agent, server, folder }: World): Promise<void> {
  await agent.stop()
  await server.stop()
  await folder.remove()
}

async function signedIn(server: ServerProgram): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(`${server.url}/login/`)
  await page.fill('input[name=email]', ADMIN.email)
  await page.fill('input[name=password]', ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/login'))
  return page
}

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return
  await mkdir(SHOTS, { recursive: true })
  for (const [width, height] of [
    [1280, 900],
    [390, 844],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme })
      await page.waitForTimeout(400)
      await page.screenshot({ path: join(SHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** Keeps the videos beside the screenshots, to be looked at. */
async function keepVideos(print: Print, encoder: string): Promise<void> {
  if (SHOTS === undefined) return
  for (const [name, url] of Object.entries({ plain: print.video_url, tagged: print.tagged_video_url })) {
    const bytes = await (await fetch(url ?? '')).arrayBuffer()
    await writeFile(join(SHOTS, `${encoder}-${name}.mp4`), new Uint8Array(bytes))
  }
}

/** Where the video is, and how long it is, in seconds. */
const videoTimes = (page: Page) =>
  page.locator('.film video').evaluate((video: HTMLVideoElement) => ({ at: video.currentTime, length: video.duration }))

/** Plays the video that is shown, then seeks in it by the curve. */
async function playAndSeek(page: Page): Promise<void> {
  const video = page.locator('.film video')
  await expect.poll(async () => (await videoTimes(page)).length, { timeout: 30_000 }).toBeGreaterThan(0)
  await video.evaluate(async (element: HTMLVideoElement) => {
    element.muted = true
    element.currentTime = 0
    await element.play()
  })
  await expect.poll(async () => (await videoTimes(page)).at, { timeout: 30_000 }).toBeGreaterThan(0.3)
  await video.evaluate((element: HTMLVideoElement) => element.pause())
  const curve = page.locator('.film-curve')
  if ((await curve.count()) === 0) return
  await curve.scrollIntoViewIfNeeded()
  const box = await curve.boundingBox()
  if (box === null) throw new Error('there is no curve')
  for (const share of [0.75, 0.25]) {
    await page.mouse.click(box.x + box.width * share, box.y + box.height / 2)
    await expect
      .poll(async () => {
        const { at, length } = await videoTimes(page)
        const isSought = await video.evaluate(
          (element: HTMLVideoElement) => !element.seeking && element.readyState >= 2,
        )
        return isSought ? Math.abs(at / length - share) < 0.03 : false
      })
      .toBe(true)
  }
}

test.each(['ffmpeg', 'builtin'])(
  'a time-lapse made by %s appears by itself, is played and sought in',
  async (encoder) => {
    const world = await startPrinting(encoder)
    try {
      const { client, printerId, server } = world
      const id = await until(
        'the print',
        async () => (await client.getPrinter({ id: printerId })).current_print?.id,
        180_000,
      )
      const page = await signedIn(server)
      await page.goto(`${server.url}/prints/${id}`)
      await page.getByText('It is made when the print has ended.').waitFor()
      // The page is not loaded anew: progress and video come by the live connection.
      await page.getByText(/Making the time-lapse|will be made in a moment/).waitFor({ timeout: 400_000 })
      await shoot(page, `${encoder}-progress`)
      await page.locator('.film video').waitFor({ timeout: 240_000 })
      const print: Print = await client.getPrint({ id })
      expect(print.timelapse).toMatchObject({ state: 'done' })
      await keepVideos(print, encoder)
      await shoot(page, `${encoder}-player`)
      await playAndSeek(page)
      await page.getByRole('button', { name: 'Plain' }).click()
      await playAndSeek(page)
      await page.goto(`${server.url}/prints`)
      await page.locator('img.poster').first().waitFor()
      await shoot(page, `${encoder}-list`)
    } finally {
      await close(world)
    }
  },
  900_000,
)
