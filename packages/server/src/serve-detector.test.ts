import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, afterEach, expect, test } from 'vitest'
import { constantModel } from './adapters/detector-onnx-fixture.js'

// The program itself with a detector that cannot work: it runs all the same, and says everywhere that nobody watches, and why.

const root = await mkdtemp(join(tmpdir(), 'printwarden-serve-detector-'))
const running = new Set<ChildProcess>()
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const main = fileURLToPath(new URL('./main.ts', import.meta.url))

afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})
afterAll(() => rm(root, { recursive: true, force: true }))

const EMAIL = 'admin@example.test'
const PASSWORD = 'a good password'

async function start(env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ['--conditions=x-source', '--import', tsx, main], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PRINTWARDEN_HOST: '127.0.0.1',
      PRINTWARDEN_PORT: '0',
      PRINTWARDEN_ADMIN_EMAIL: EMAIL,
      PRINTWARDEN_ADMIN_PASSWORD: PASSWORD,
      PRINTWARDEN_ROLES: 'web,detector',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const url = /^printwarden-server listening url=(\S+)$/m.exec(printed)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`exit ${String(code)}: ${printed}`)))
  })
}

async function json(url: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const response = await fetch(url, init)
  return (await response.json()) as Record<string, unknown>
}

const post = (body: object, token?: string): RequestInit => ({
  method: 'POST',
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
})

async function readyz(url: string): Promise<string> {
  const { status, ...answer } = await json(`${url}/readyz`)
  return `${String(status)} ${JSON.stringify(answer)}`
}

test.each([
  {
    name: 'no file',
    bytes: undefined,
    reason: /There is no model file model\.onnx\. Correct PRINTWARDEN_DETECTOR/,
  },
  { name: 'a damaged file', bytes: Buffer.from('hello'), reason: /model\.onnx is no model that can be run/ },
  {
    name: 'a model of another kind',
    bytes: constantModel(32, [1, 2]),
    reason: /\[1, 2\] are of no known layout/,
  },
])(
  '$name: the server runs, and says why nobody watches',
  async ({ bytes, reason }) => {
    const folder = await mkdtemp(join(root, 'case-'))
    const model = join(folder, 'model.onnx')
    if (bytes !== undefined) await writeFile(model, bytes)
    const url = await start({ PRINTWARDEN_DATA_DIR: join(folder, 'data'), PRINTWARDEN_DETECTOR: model })

    await expect.poll(() => readyz(url), { timeout: 120_000, interval: 200 }).toMatch(reason)
    const ready = await fetch(`${url}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({
      parts: { database: true, blobs: true, detector: false },
      missing: ['detector'],
    })
    expect(await (await fetch(`${url}/hc/`)).text()).toBe('error')
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('printwarden_detector_ready 0')

    // Everything else works, and each printer says it too; no path of the machine is told.
    const { access_token: token } = await json(
      `${url}/api/v1/admin/sign_in/`,
      post({ email: EMAIL, password: PASSWORD }),
    )
    const printer = await json(`${url}/api/v1/printers/`, post({ name: 'Left' }, String(token)))
    const shown = await json(`${url}/api/v1/printers/${String(printer['id'])}/`, {
      headers: { authorization: `Bearer ${String(token)}` },
    })
    expect(shown).toMatchObject({
      not_watching_code: 'detector_unavailable',
      not_watching_reason: expect.stringMatching(reason),
    })
    expect(shown['not_watching_reason']).toMatch(/^Failure detection is not available on this server\. /)
    expect(shown['not_watching_reason']).not.toContain(folder)
  },
  240_000,
)

test('a detection service that is not there is told in the same way', async () => {
  const folder = await mkdtemp(join(root, 'case-'))
  const url = await start({
    PRINTWARDEN_DATA_DIR: join(folder, 'data'),
    PRINTWARDEN_DETECTOR: 'http://secret@127.0.0.1:1/ml',
  })
  await expect.poll(() => readyz(url), { timeout: 120_000 }).toMatch(/service at 127\.0\.0\.1:1 does not answer/)
  expect(await readyz(url)).not.toContain('secret')
}, 180_000)

// Hides the runtime, as on a platform for which it was not built.
const HOOK = `
  import { register } from 'node:module'
  register('data:text/javascript,' + encodeURIComponent(\`
    export function resolve(name, context, next) {
      if (name === 'onnxruntime-node') throw new Error('not built for this platform')
      return next(name, context)
    }\`))`

test('without the runtime the reason names it, and what to do', async () => {
  const model = join(root, 'any.onnx')
  await writeFile(model, constantModel(32, [1, 5, 10]))
  const file = new URL('./adapters/detector-onnx-model.ts', import.meta.url).href
  const script = `
    const { loadModel } = await import(${JSON.stringify(file)})
    await loadModel(${JSON.stringify(model)}).catch((err) => console.log(err.message))`
  const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`
  const args = ['--conditions=x-source', '--import', tsx, '--import', hook, '--input-type=module', '-e', script]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  expect(await text(child.stdout)).toMatch(
    /^The ONNX runtime \(onnxruntime-node\) could not be loaded\. Install the server again, or name a detection service/,
  )
}, 120_000)
