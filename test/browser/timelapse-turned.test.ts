import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { type Browser, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PictureCamera, startPictureCamera } from '../hosts/picture-camera.js'
import { ADMIN, type Program, ROOT, runServerCommand, type ServerProgram, startProgram } from '../support/processes.js'
import { sleep, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'
import { connectWirePrinter } from '../support/wire-printer.js'

// The time-lapse of a camera that hangs on its side and is mirrored, played in a real browser: its corners are where they belong. Each
// corner of the camera's picture has a colour of its own.

const CHROMIUM = process.env['PRINTWARDEN_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
const COLOURS = { red: [220, 30, 30], green: [30, 200, 30], blue: [30, 30, 220], white: [235, 235, 235] } as const
type Colour = keyof typeof COLOURS

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let agent: Program | undefined
let camera: PictureCamera
let browser: Browser
let page: Page
let client: Client
let picture: Uint8Array<ArrayBuffer>

beforeAll(async () => {
  if (!existsSync(join(ROOT, 'packages/dashboard/dist/index.html'))) {
    const build = startProgram(process.execPath, [join(ROOT, 'scripts/build.mjs')])
    if ((await build.ended) !== 0) throw new Error(build.output())
  }
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const quarter = (left: number, top: number, colour: Colour) => ({
    input: { create: { width: 160, height: 120, channels: 3 as const, background: rgbOf(colour) } },
    ...{ left, top },
  })
  const whole = sharp({ create: { width: 320, height: 240, channels: 3, background: '#000' } })
  // Upper left, upper right, lower left, lower right.
  const quarters = [quarter(0, 0, 'red'), quarter(160, 0, 'green'), quarter(0, 120, 'blue'), quarter(160, 120, 'white')]
  picture = Uint8Array.from(await whole.composite(quarters).jpeg({ quality: 95 }).toBuffer())
  camera = await startPictureCamera([picture])
  const issue = ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write', '--json']
  const issued = JSON.parse(await runServerCommand(server.url, issue)) as { access_token: string }
  client = createClient({ baseUrl: server.url, token: issued.access_token })
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(`${server.url}/login/`)
  await page.fill('input[name=email]', ADMIN.email)
  await page.fill('input[name=password]', ADMIN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/login'))
}, 300_000)

afterAll(async () => {
  await browser?.close()
  await agent?.stop()
  await camera?.close()
  await server?.stop()
  await folder?.remove()
})

function rgbOf(colour: Colour) {
  const [r, g, b] = COLOURS[colour]
  return { r, g, b }
}

function nearest(pixel: readonly number[]): Colour {
  const far = (colour: Colour): number =>
    COLOURS[colour].reduce((sum, value, i) => sum + Math.abs(value - (pixel[i] ?? 0)), 0)
  return (Object.keys(COLOURS) as Colour[]).reduce((best, colour) => (far(colour) < far(best) ? colour : best))
}

/** A printer whose prints all get a time-lapse. */
async function addPrinter(name: string) {
  const printer = await client.createPrinter({ name })
  const { auth_token: token } = await client.updatePrinter({
    id: printer.id,
    ...{ min_timelapse_secs_on_finish: 0, action_on_failure: 'NONE' },
  })
  return { id: printer.id, token: token ?? '' }
}

/** Our agent, which turns pictures before it sends them: first mirrored, then turned, as the printer's page shows them. */
async function filmedByOurAgent(): Promise<number> {
  const { id, token } = await addPrinter('Turned by us')
  const config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${server.url}

[printer turned]
auth_token: ${token}
host: virtual
duration: 15
heating: 1

[camera turned bed]
snapshot_url: ${camera.snapshotUrl}
interval: 1
rotation: 90
flip_h: true
primary: true
`,
  )
  agent = startAgent(config)
  return until('the print', async () => (await client.getPrinter({ id })).current_print?.id, 120_000)
}

/** An agent that sends pictures as they are, and says how they are to be turned: the time-lapse is turned first, then mirrored. */
async function filmedByAnother(): Promise<number> {
  const { id, token } = await addPrinter('Turned by the server')
  const webcam = { name: 'bed', is_primary_camera: true, stream_id: 1, rotation: 90, flipH: true, flipV: false }
  const other = await connectWirePrinter(server.url, token, 'obey', {
    ...{ webcams: [webcam], agent: { name: 'another', version: '1.0.0' } },
  })
  await other.startPrint('turned.gcode')
  const print = await until('the print', async () => (await client.getPrinter({ id })).current_print?.id, 60_000)
  for (let number = 0; number < 6; number++) {
    const form = new FormData()
    form.set('pic', new Blob([picture], { type: 'image/jpeg' }), 'pic.jpg')
    form.set('is_primary_camera', 'true')
    form.set('camera_name', 'bed')
    const headers = { authorization: `Bearer ${token}` }
    const sent = await fetch(`${server.url}/api/v1/agent/pic/`, { method: 'POST', headers, body: form })
    expect(sent.status).toBe(200)
    await sleep(300)
  }
  await other.endPrint('finished')
  other.close()
  return print
}

test.each([
  // Mirrored: green red, white blue. Then turned clockwise by a quarter.
  { by: 'our agent', film: filmedByOurAgent, corners: ['white', 'green', 'blue', 'red'] },
  // Turned clockwise by a quarter: blue red, white green. Then mirrored.
  { by: 'the server', film: filmedByAnother, corners: ['red', 'blue', 'green', 'white'] },
])('a camera on its side and mirrored, turned by $by', async ({ film, corners }) => {
  const id = await film()
  await until('its time-lapse', async () => (await client.getPrint({ id })).timelapse?.state === 'done', 240_000)
  await page.goto(`${server.url}/prints/${id}`)
  const video = page.locator('.film video')
  await video.waitFor()
  const shown = await video.evaluate(async (element: HTMLVideoElement) => {
    element.muted = true
    await element.play()
    await new Promise((resolve) => element.requestVideoFrameCallback(resolve))
    const { videoWidth: width, videoHeight: height } = element
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width, height })
    const context = canvas.getContext('2d')
    context?.drawImage(element, 0, 0)
    const at = (x: number, y: number) => [...(context?.getImageData(x * width, y * height, 1, 1).data ?? [])]
    return { width, height, corners: [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)] }
  })
  expect({ width: shown.width, height: shown.height }).toEqual({ width: 240, height: 320 })
  // Upper left, upper right, lower left, lower right.
  expect(shown.corners.map(nearest)).toEqual(corners)
})
