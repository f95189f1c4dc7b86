import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { beforeEach, expect } from 'vitest'
import {
  ADMIN,
  type Program,
  ROOT,
  type ServerProgram,
  startAgent,
  startProgram,
  startServer,
  temporaryFolder,
} from './processes.js'

export const CHROMIUM = process.env['PRINTWARDEN_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
]
/** A folder for screenshots, if they are wanted. */
export const SHOTS = process.env['PRINTWARDEN_TEST_SHOTS']

/** How wide the windows are in which pages are looked at: a desktop and a phone. */
const NARROW = { width: 390, height: 844 }

/** A real server with its dashboard in a real browser, and the agent of one virtual printer. */
export interface DashboardWorld {
  readonly folder: string
  server: ServerProgram
  agent: Program | undefined
  readonly context: BrowserContext
  readonly page: Page
  /** What the page complained about: a blocked script, a failed request, an exception. */
  readonly complaints: string[]
  /** Signs the administrator in; the browser then goes where `path` leads. */
  signIn(path: string): Promise<void>
  /** Adds a printer on the form that is shown, and answers its `auth_token`. */
  addPrinter(): Promise<string>
  /** Starts an agent with a virtual printer; `settings` are further lines of its section, `cameras` whole sections. */
  startPrinter(token: string, settings: readonly string[], cameras: readonly string[]): Promise<void>
  /** Takes a picture of the whole page, if pictures are wanted. */
  shoot(name: string): Promise<void>
  /** Looks at the page wide and narrow, light and dark; nowhere may it be wider than the window. */
  lookAt(name: string): Promise<void>
  close(): Promise<void>
}

/** Opens all of it. `width` is that of the desktop window in pixels, `env` further settings of the server. */
export async function openDashboard(
  options: { width?: number; timeoutMs?: number; env?: Record<string, string> } = {},
): Promise<DashboardWorld> {
  const { width = 1280, timeoutMs = 20_000, env = {} } = options
  await buildDashboard()
  const folder = await temporaryFolder()
  const wide = { width, height: 900 }
  // Before the server, which would be left running where there is no browser.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS })
  const server = await startServer({ dataDir: join(folder.path, 'data'), env })
  const context = await browser.newContext({ viewport: wide, locale: 'en-GB', colorScheme: 'light' })
  const page = await context.newPage()
  page.setDefaultTimeout(timeoutMs)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // The browser's own report that nobody has asked yet why a print failed.
    const isUnasked = message.location().url.endsWith('/post_mortem/') && message.text().includes('404')
    if (message.type() === 'error' && !isUnasked) complaints.push(message.text())
  })

  const shoot = async (name: string): Promise<void> => {
    if (SHOTS === undefined) return
    await mkdir(SHOTS, { recursive: true })
    await page.waitForTimeout(300) // what fades in is there by then
    await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
  }

  const world: DashboardWorld = {
    folder: folder.path,
    server,
    agent: undefined,
    context,
    page,
    complaints,
    async signIn(path) {
      await page.goto(`${world.server.url}${path}`)
      await page.waitForURL(/\/login\//)
      await page.fill('input[name="email"]', ADMIN.email)
      await page.fill('input[name="password"]', ADMIN.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL((url) => !url.pathname.startsWith('/login'))
      // The browser's own report of the 401 that led here.
      complaints.length = 0
    },
    async addPrinter() {
      await page.getByLabel('Name').fill('Workshop printer')
      await page.getByRole('button', { name: 'Add the printer' }).click()
      const token = /auth_token: ([0-9a-f]{40})/.exec(await page.locator('pre').innerText())?.[1]
      if (token === undefined) throw new Error('the page shows no auth_token')
      return token
    },
    async startPrinter(token, settings, cameras) {
      const file = join(folder.path, 'printwarden-agent.cfg')
      const head = `[server]\nurl: ${world.server.url}\n\n[printer workshop]\nauth_token: ${token}\nhost: virtual`
      await writeFile(file, `${[head, ...settings].join('\n')}\n\n${cameras.join('\n\n')}\n`)
      world.agent = startAgent(file)
    },
    shoot,
    async lookAt(name) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        for (const size of [wide, NARROW]) {
          await page.setViewportSize(size)
          await expect.poll(() => overflow(page), { message: `${name} at ${size.width} pixels is too wide by` }).toBe(0)
          await shoot(`${name}-${size.width}-${colorScheme}`)
        }
      }
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize(wide)
    },
    async close() {
      await browser.close()
      await world.agent?.stop()
      await world.server.stop()
      await folder.remove()
    },
  }
  return world
}

async function buildDashboard(): Promise<void> {
  if (existsSync(join(ROOT, 'packages/dashboard/dist/index.html'))) return
  const build = startProgram(process.execPath, [join(ROOT, 'scripts/build.mjs')])
  if ((await build.ended) !== 0) throw new Error(build.output())
}

/** How far the page is wider than the window: 0, or a reader must scroll sideways. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/**
 * For tests of which each goes on where the one before it ended: nothing can be said after a failure, so the others are skipped.
 * What the page showed and what the programs said is kept.
 */
export function stopAtFirstFailure(world: () => DashboardWorld | undefined, name: string): void {
  let isBroken = false
  beforeEach((current) => {
    if (isBroken) current.skip()
    current.onTestFailed(async () => {
      isBroken = true
      const open = world()
      await open?.shoot(`${name}-failed`)
      console.error(`the agent said:\n${open?.agent?.output() ?? 'nothing'}`)
      console.error(`the server said:\n${open?.server.output() ?? 'nothing'}`)
    })
  })
}
