import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PictureCamera, startPictureCamera } from '../hosts/picture-camera.js'
import { loadPictures } from '../hosts/pictures.js'
import { type DashboardWorld, openDashboard, stopAtFirstFailure } from '../support/dashboard.js'
import { ADMIN, runServerCommand, startAgent, until } from '../support/processes.js'

// A printer that only its camera tells of, in a real browser: a real server, a real agent with a snapshot camera.
// Screenshots go to PRINTWARDEN_TEST_SHOTS, if it names a folder.

const LONG = { timeout: 180_000 }

let world: DashboardWorld
let page: Page
let camera: PictureCamera
let client: Client

beforeAll(async () => {
  world = await openDashboard({ timeoutMs: 60_000 })
  page = world.page
  camera = await startPictureCamera([await room(20)])
  await world.signIn('/printers/new')
  const token = await world.addPrinter()
  const config = join(world.folder, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${world.server.url}

[printer vendor]
auth_token: ${token}
host: camera
motion: yes
motion_minutes: 0.5
quiet_minutes: 0.75

[camera vendor bed]
snapshot_url: ${camera.snapshotUrl}
interval: 2
`,
  )
  world.agent = startAgent(config)
  client = createClient({ baseUrl: world.server.url, token: await personalToken() })
  await page.goto(`${world.server.url}/printers/1`)
}, 400_000)

afterAll(async () => {
  await world?.close()
  await camera?.close()
})

stopAtFirstFailure(() => world, 'camera-only')

/** A token of the one who is signed in. */
async function personalToken(): Promise<string> {
  const issue = ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write', '--json']
  const issued: unknown = JSON.parse(await runServerCommand(world.server.url, issue))
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  return String(issued.access_token)
}

/** A room with a print head at `left`, in a picture of 640 pixels. */
async function room(left: number): Promise<Buffer> {
  const head = { input: { create: { width: 80, height: 80, channels: 3 as const, background: 'black' } } }
  return sharp({ create: { width: 640, height: 360, channels: 3, background: { r: 90, g: 110, b: 100 } } })
    .composite([{ ...head, left, top: 120 }])
    .jpeg()
    .toBuffer()
}

const chip = (text: string) => page.locator('.page-head').getByText(text, { exact: true })
const printer = () => client.getPrinter({ id: 1 })

test('it says that it is watched by picture alone, and makes nothing up', async () => {
  await chip('Not being watched').waitFor(LONG)
  await page.getByText(/watched by picture alone: its temperatures and its progress are not known/).waitFor()
  expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
  expect((await printer()).status).not.toHaveProperty('temperatures')
  await world.lookAt('camera-only-idle')
})

test('a person starts the watching, and its pictures are looked at for failures', async () => {
  await page.getByLabel('What is being printed').fill('A vase')
  await page.getByRole('button', { name: 'Start watching' }).click()
  await chip('Being watched').waitFor(LONG)
  await page.getByText('Watched by picture only: no progress and no temperatures.').waitFor()
  expect((await printer()).current_print?.filename).toBe('A vase')
  await page.getByText('Watching this print').waitFor(LONG)
  await world.lookAt('camera-only-watched')
})

test.each(['pausePrint', 'cancelPrint'] as const)('%s is refused, with what to do', async (action) => {
  const { command_id } = await client[action]({ id: 1 })
  if (command_id === null) throw new Error('no command')
  const command = await until(
    'the refusal',
    async () => {
      const now = await client.getCommand({ id: 1, command_id })
      return now.status === 'failed' ? now : undefined
    },
    30_000,
    300,
  )
  expect(command.error).toMatch(/^rejected: this printer is watched by picture alone: (pause|cancel) it at the printer/)
  await chip('Being watched').waitFor()
})

test('a failure is told; nobody tries to pause', async () => {
  const { failing } = await loadPictures()
  camera.show(failing)
  await page.getByText('This print looks like a failure').waitFor({ timeout: 400_000 })
  await page.getByText(/nobody but you can pause it, at the printer itself/).waitFor()
  await world.lookAt('camera-only-alert')
  const events = await client.listPrinterEvents({})
  const alert = events.find(({ event_type }) => event_type === 'FAILURE_ALERTED')
  expect(alert?.event_text).not.toMatch(/told to pause|could not be reached/)
  expect(world.agent?.output()).not.toContain('"cmd":"pause","initiator":"system"')
  await page.getByRole('button', { name: 'False alarm' }).click()
})

test('a person stops the watching: the print is kept', async () => {
  camera.show([await room(20)])
  await page.getByRole('button', { name: 'Stop watching' }).click()
  await chip('Not being watched').waitFor(LONG)
  const [print] = await client.listPrints({})
  expect(print).toMatchObject({ filename: 'A vase', cancelled_at: null })
  expect(print?.finished_at).not.toBeNull()
})

test('motion starts it, and rest ends it', async () => {
  // Something that stood still since the last print was stopped may start by itself again.
  await page.waitForTimeout(60_000)
  camera.show([await room(20), await room(200), await room(400)])
  await chip('Being watched').waitFor(LONG)
  expect((await printer()).current_print?.filename).toBe('Watched by picture')
  camera.show([await room(20)])
  await chip('Not being watched').waitFor(LONG)
  const [print] = await client.listPrints({})
  expect(print).toMatchObject({ filename: 'Watched by picture' })
  expect(print?.finished_at).not.toBeNull()
  expect(world.complaints).toEqual([])
})
