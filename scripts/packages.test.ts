import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { PUBLISHED, packPackage, publishedManifest } from './pack.js'

// The tarballs that are published, as somebody gets them who installs them into an empty folder. Nothing is fetched: what they need
// of others is linked from the workspace.

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const bin = (name: string): string => `${ROOT}node_modules/.bin/${name}`

/** What an app's users download, everything of the SDK taken together. */
const MAX_BROWSER_BYTES = 15_000

let folder: string
const tarballs = new Map<string, string>()

const Manifest = z.looseObject({ name: z.string(), dependencies: z.record(z.string(), z.string()) })

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'printwarden-pack-')))
  // Errors of types are another check's business; what was compiled is there all the same.
  spawnSync(bin('tsc'), ['-b', ...PUBLISHED.map((name) => `packages/${name}`)], { cwd: ROOT })
  execFileSync(process.execPath, [`${ROOT}scripts/bundle-server.mjs`])
  const dashboard = `${ROOT}packages/dashboard`
  execFileSync(`${dashboard}/node_modules/.bin/vite`, ['build', '--logLevel', 'error'], { cwd: dashboard })
  for (const name of PUBLISHED) tarballs.set(name, packPackage(name, folder))
  writeFileSync(`${folder}/package.json`, '{"name":"an-app","type":"module"}')
  for (const name of PUBLISHED) install(name)
}, 180_000)

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

/** Unpacks a tarball where npm would, and links what it needs of others beside it. */
function install(name: string): void {
  const target = `${folder}/node_modules/${nameOf(name)}`
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', tarballs.get(name) ?? '', '-C', target, '--strip-components=1'])
  const { dependencies } = Manifest.parse(JSON.parse(readFileSync(`${target}/package.json`, 'utf8')))
  for (const dependency of Object.keys(dependencies).filter((one) => !one.startsWith('@printwarden/'))) {
    const link = `${folder}/node_modules/${dependency}`
    mkdirSync(dirname(link), { recursive: true })
    if (!existsSync(link)) symlinkSync(realpathSync(`${ROOT}packages/${name}/node_modules/${dependency}`), link)
  }
}

const nameOf = (name: string): string =>
  Manifest.parse(JSON.parse(readFileSync(`${ROOT}packages/${name}/package.json`, 'utf8'))).name

const node = (...args: string[]): string => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })

test('the program of the server holds its libraries, with their licences, and asks for nobody else', () => {
  const server = `${folder}/node_modules/printwarden-server`
  const manifest = Manifest.parse(JSON.parse(readFileSync(`${server}/package.json`, 'utf8')))
  const program = readdirSync(`${server}/dist`).filter((name) => name.endsWith('.js'))
  const wanted = program.flatMap((name) =>
    [...readFileSync(`${server}/dist/${name}`, 'utf8').matchAll(/^(?:import .*?|\} )?from "([^".][^"]*)";$/gm)].map(
      ([, from]) => from ?? '',
    ),
  )
  const packages = new Set(
    wanted.filter((name) => !name.startsWith('node:')).map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0]),
  )
  expect(packages).toContain('fastify')
  expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining([...packages]))
  expect(readFileSync(`${server}/dist/LICENSES.txt`, 'utf8')).toMatch(/^zod [\d.]+\n\nMIT License/m)
})

test.each(PUBLISHED)(
  '%s keeps the rules of package managers and bundlers',
  (name) => {
    const output = execFileSync(bin('publint'), ['run', tarballs.get(name) ?? '', '--strict'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(output).toContain('All good!')
  },
  60_000,
)

test.each(['protocol', 'sdk'] as const)(
  'the types of %s are found by whoever imports it',
  (name) => {
    const args = ['--profile', 'esm-only', '--format', 'ascii', tarballs.get(name) ?? '']
    // What has no code, such as a JSON file, has no types either.
    if (name === 'protocol') args.push('--exclude-entrypoints', './json-schema/*')
    // It ends with an error when something is wrong.
    expect(execFileSync(bin('attw'), args, { cwd: folder, encoding: 'utf8' })).toContain('bundler')
  },
  60_000,
)

test('no test, no source map and no workspace version is published', () => {
  for (const [name, tarball] of tarballs) {
    const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n')
    expect(
      files.filter((file) => /\.test\.|\.map$|tsbuildinfo|scripted-server/.test(file)),
      name,
    ).toEqual([])
    expect(files).toContain('package/LICENSE')
    const manifest = readFileSync(`${folder}/node_modules/${nameOf(name)}/package.json`, 'utf8')
    expect(manifest).not.toMatch(/workspace:|x-source/)
  }
})

test('a dependency of ours that is not published stops the packing', () => {
  const manifest = { name: 'x', version: '1.0.0', files: [], dependencies: { '@printwarden/dashboard': 'workspace:*' } }
  expect(() => publishedManifest(manifest, new Map())).toThrow('is not published')
})

test('the SDK runs in an empty folder, with its fake server', () => {
  writeFileSync(
    `${folder}/app.js`,
    `import { ApiError, createClient } from '@printwarden/sdk'
import { createFakeServer } from '@printwarden/sdk/testing'
const server = createFakeServer()
server.addPrinter({ name: 'MK4' })
const client = createClient({ baseUrl: server.baseUrl, fetch: server.fetch, token: server.addToken() })
const file = await client.uploadGCodeFile({ filename: 'a.gcode', file: new Blob(['G28']) })
const { stream } = await client.download(file.url)
const refused = await client.getPrinter({ id: 99 }).catch((error) => error instanceof ApiError && error.code)
console.log((await client.listPrinters())[0].name, await new Response(stream).text(), refused)
`,
  )
  expect(node('app.js')).toBe('MK4 G28 not_found\n')
})

test.each(['agent', 'server'])(
  'the program of the %s starts from its tarball',
  (name) => {
    expect(node(`node_modules/printwarden-${name}/dist/main.js`, '--help')).toMatch(/^Usage: /)
  },
  60_000,
)

test('the server from its tarball finds its prompts, its model and its dashboard', async () => {
  const server = spawn(process.execPath, ['node_modules/printwarden-server/dist/main.js'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      PRINTWARDEN_HOST: '127.0.0.1',
      PRINTWARDEN_PORT: '0',
      PRINTWARDEN_DISCOVERY: 'off',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await listeningUrl(server)
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1]
    expect((await fetch(new URL(script ?? '/no-script', url))).status).toBe(200)
    await expect
      .poll(async () => (await fetch(`${url}/readyz`)).json())
      .toMatchObject({ parts: { database: true, detector: true } })
  } finally {
    server.kill('SIGTERM')
    await once(server, 'exit')
  }
}, 60_000)

async function listeningUrl(server: ChildProcess): Promise<string> {
  if (server.stdout === null) throw new Error('the server has no output')
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /listening url=(\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the server ended')
}

test.each([
  { name: 'as Node does', module: 'NodeNext', moduleResolution: 'NodeNext' },
  { name: 'as bundlers do', module: 'ESNext', moduleResolution: 'bundler' },
])(
  'an app that reads types $name compiles, and mistakes are found',
  ({ module, moduleResolution }) => {
    writeFileSync(
      `${folder}/app.ts`,
      `import { createClient, type Printer } from '@printwarden/sdk'
import { createFakeServer } from '@printwarden/sdk/testing'
const client = createClient({ baseUrl: 'http://localhost', token: 'x' })
export const printers: Promise<Printer[]> = client.listPrinters()
export async function names(): Promise<string[]> {
  const names: string[] = []
  for await (const file of client.allGCodeFiles({ page_size: 50 })) names.push(file.filename)
  return names
}
// @ts-expect-error the name of the file is needed
void client.uploadGCodeFile({ file: new Blob([]) })
// @ts-expect-error there is no such filter
void createFakeServer().client().listPrints({ filter: 'best' })
`,
    )
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'ES2022',
      lib: ['ES2023', 'DOM'],
      strict: true,
      noEmit: true,
      types: [],
    }
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ['app.ts'] }))
    execFileSync(bin('tsc'), ['-p', folder], { cwd: folder, stdio: 'inherit' })
  },
  60_000,
)

const Built = z.object({ output: z.array(z.looseObject({ code: z.string().optional() })) })

test('for browsers the SDK is small, and nothing of Node is in it', async () => {
  writeFileSync(`${folder}/page.js`, "export * from '@printwarden/sdk'\n")
  const vite = createRequire(`${ROOT}packages/dashboard/package.json`).resolve('vite')
  const { build } = z
    .object({ build: z.custom<(options: object) => Promise<unknown>>((value) => typeof value === 'function') })
    .parse(await import(pathToFileURL(vite).href))
  const lib = { entry: `${folder}/page.js`, formats: ['es'], fileName: 'page' }
  const options = { write: false, minify: true, target: 'es2022', lib }
  const built = Built.array().parse(
    [await build({ root: folder, configFile: false, logLevel: 'error', build: options })].flat(),
  )
  const code = built.flatMap(({ output }) => output.map((chunk) => chunk.code ?? '')).join('')
  expect(code).toContain('XMLHttpRequest')
  expect(code).not.toMatch(/node:|__vite-browser-external|require\(|permessage-deflate|ZodError/)
  const size = gzipSync(code).length
  console.log(`the SDK in a browser: ${size} bytes, gzip`)
  expect(size).toBeLessThan(MAX_BROWSER_BYTES)
}, 60_000)
