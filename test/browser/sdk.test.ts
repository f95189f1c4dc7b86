import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@printwarden/sdk'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type ModelServer, startModelServer } from '../support/model-server.js'
import type { ServerProgram } from '../support/processes.js'
import { ADMIN, ROOT, startServer, temporaryFolder } from '../support/processes.js'

// The SDK in a real browser, in a page of another origin than the server: what only a browser can show (XMLHttpRequest, CORS, tickets).

const CHROMIUM = process.env['PRINTWARDEN_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

let folder: { path: string; remove: () => Promise<void> }
let model: ModelServer
let server: ServerProgram
let pages: Server
let browser: Browser
let page: Page

/** Runs code in the page, where `client` is a client of the server and `sdk` the module. */
const inPage = (code: string): Promise<unknown> => page.evaluate(`(async () => { ${code} })()`)

beforeAll(async () => {
  folder = await temporaryFolder()
  model = await startModelServer()
  server = await startServer({
    dataDir: join(folder.path, 'data'),
    env: {
      PRINTWARDEN_ASSISTANT_URL: model.url,
      PRINTWARDEN_ASSISTANT_MODEL: 'small',
      PRINTWARDEN_OUTBOUND_ALLOW: `127.0.0.1:${model.port}`,
    },
  })
  const { access_token } = await createClient({ baseUrl: server.url }).adminSignIn(ADMIN)
  const code = await bundle()
  pages = createServer((request, response) => {
    const isScript = request.url === '/sdk.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? code : '<!doctype html><title>app</title>')
  }).listen(0, '127.0.0.1')
  await once(pages, 'listening')
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`)
  const options = JSON.stringify({ baseUrl: server.url, token: access_token })
  await inPage(`globalThis.sdk = await import('/sdk.js'); globalThis.client = sdk.createClient(${options})`)
}, 180_000)

afterAll(async () => {
  await browser?.close()
  pages?.close()
  await server?.stop()
  await model?.close()
  await folder?.remove()
})

/** The SDK as an app's bundler makes it for browsers. */
async function bundle(): Promise<string> {
  const vite = createRequire(join(ROOT, 'packages/dashboard/package.json')).resolve('vite')
  const { build } = z
    .object({ build: z.custom<(options: object) => Promise<unknown>>((value) => typeof value === 'function') })
    .parse(await import(pathToFileURL(vite).href))
  const lib = { entry: join(ROOT, 'packages/sdk/src/index.ts'), formats: ['es'], fileName: 'sdk' }
  const resolve = { conditions: ['x-source', 'browser', 'module', 'import', 'default'] }
  const built = [
    await build({ root: ROOT, configFile: false, logLevel: 'error', resolve, build: { write: false, lib } }),
  ].flat()
  const outputs = z
    .array(z.looseObject({ output: z.array(z.looseObject({ code: z.string().optional() })) }))
    .parse(built)
  return outputs.flatMap(({ output }) => output.map((chunk) => chunk.code ?? '')).join('')
}

test('a file is uploaded with progress, and comes back as it was', async () => {
  const seen = await inPage(`
    const bytes = new Uint8Array(20_000_000).fill(59)
    const progress = []
    const file = new File([bytes], 'big.gcode')
    const saved = await client.uploadGCodeFile({ filename: file.name, file }, { onProgress: (one) => progress.push(one) })
    const { url } = await client.getGCodeFile({ id: saved.id })
    const download = await client.download(url)
    const back = new Uint8Array(await new Response(download.stream).arrayBuffer())
    return {
      size: saved.num_bytes, several: progress.length > 1, last: progress.at(-1),
      rising: progress.every((one, index) => index === 0 || one.loaded >= progress[index - 1].loaded),
      downloaded: download.size, same: back.length === bytes.length && back.every((byte) => byte === 59),
    }`)
  const size = 20_000_000
  expect(seen).toEqual({
    size,
    several: true,
    last: { loaded: size, total: size },
    rising: true,
    downloaded: size,
    same: true,
  })
}, 60_000)

test('a stream is uploaded too', async () => {
  const size = await inPage(`
    const saved = await client.uploadGCodeFile({ filename: 'stream.gcode', file: new Blob(['G28 ; home']).stream() })
    return saved.num_bytes`)
  expect(size).toBe(10)
})

test('an upload is given up with the reason, and leaves nothing behind', async () => {
  const seen = await inPage(`
    const controller = new AbortController()
    const reason = new Error('the user left')
    const file = new Blob([new Uint8Array(50_000_000)])
    const onProgress = () => controller.abort(reason)
    const error = await client.uploadGCodeFile({ filename: 'gone.gcode', file }, { signal: controller.signal, onProgress }).catch((caught) => caught)
    return { isReason: error === reason, names: (await client.listGCodeFiles()).map(({ filename }) => filename) }`)
  expect(seen).toEqual({ isReason: true, names: ['stream.gcode', 'big.gcode'] })
}, 60_000)

test('a refusal is an ApiError with its code, a server that is gone a NetworkError', async () => {
  const seen = await inPage(`
    const file = new Blob(['x'])
    const refused = await client.uploadGCodeFile({ filename: 'x.exe', file }).catch((caught) => caught)
    const nowhere = sdk.createClient({ baseUrl: 'http://127.0.0.1:9', token: 'x', retry: false })
    const gone = await nowhere.uploadGCodeFile({ filename: 'x.gcode', file }).catch((caught) => caught)
    return [refused instanceof sdk.ApiError, refused.code, refused.issues[0].path, gone instanceof sdk.NetworkError]`)
  expect(seen).toEqual([true, 'invalid_request', 'filename', true])
})

test('lists are paged by the header of another origin, and live updates come by ticket', async () => {
  const seen = await inPage(`
    const names = []
    for await (const file of client.allGCodeFiles({ page_size: 1 })) names.push(file.filename)
    const live = client.live({ printers: 'all' })
    await client.createPrinter({ name: 'MK4' })
    const name = await live.waitFor((printers) => [...printers.values()][0]?.name)
    live.close()
    return { names, name }`)
  expect(seen).toEqual({ names: ['stream.gcode', 'big.gcode'], name: 'MK4' })
}, 60_000)

test('an answer of the assistant comes as it is made, and who leaves or gives up hangs up', async () => {
  model.script.push({ text: ['Größe ', '🧵'] }, { text: ['Level'], ends: 'hang' }, { text: ['Level'], ends: 'hang' })
  const seen = await inPage(`
    const question = { messages: [{ role: 'user', content: 'Why?' }] }
    const texts = []
    for await (const event of client.askAssistant(question)) texts.push(event.text ?? event.message.content)
    for await (const event of client.askAssistant(question)) { texts.push(event.text); break }
    const controller = new AbortController()
    const reason = new Error('the user left')
    const events = client.askAssistant(question, { signal: controller.signal })
    await events.next()
    setTimeout(() => controller.abort(reason), 200)
    const error = await events.next().catch((caught) => caught)
    return { whole: texts.slice(0, -2).join(''), last: texts.slice(-2), isReason: error === reason }`)
  expect(seen).toEqual({ whole: 'Größe 🧵', last: ['Größe 🧵', 'Level'], isReason: true })
  await model.untilOpen(0)
}, 60_000)
