import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../support/processes.js'

// Every code of docs/sdk.md, as it stands there: compiled together, and run one by one against the SDK's fake server.

const run = promisify(execFile)

/** The codes of each section. */
const SECTIONS = readFileSync(join(ROOT, 'docs/sdk.md'), 'utf8')
  .split(/^## /m)
  .map((section) => ({
    title: section.split('\n', 1)[0] ?? '',
    code: [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code).join('\n'),
  }))
  .filter(({ code }) => code !== '')

/** What each code finds: printer 2, file 3, and `client`. A request that leaves the fake has nowhere to go. */
const WORLD = `import { createFakeServer as openWorld } from '@printwarden/sdk/testing'
const world = openWorld({ baseUrl: 'http://192.168.1.20:3334' })
const workshop = world.addPrinter({ name: 'MK4' })
await world.addFile({ filename: 'stored.gcode', bytes: 'G28' })
globalThis.fetch = async (request) => world.fetch(new Request(request))
process.env['PRINTWARDEN_TOKEN'] = world.addToken()
`

const MORE: Readonly<Record<string, string>> = {
  Commands: 'workshop.startPrint()\n',
  'Lists that come in pages': 'world.addPrint({ printerId: workshop.id })\n',
}

/** What some of them must print. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  'The first call': /^MK4 Operational 0\n$/,
  'Lists that come in pages': /^0\.0 hours\n$/,
  'Upload a file and print it': /^\d+ of 12 bytes\n$/,
  Download: /^3 bytes\n$/,
  Commands: /^$/,
  'Live updates': /^live\n1\nclosed\n$/,
  'Ask the assistant': /^The\n fake\n knows\n nothing\n of\n printing\.\n$/,
  'When something goes wrong': /^not_found \[\]\n$/,
  'Test your app without a server': /^20\d\d-.*Z\n$/,
}

let folder: string

const fileOf = (title: string): string => join(folder, `${title.toLowerCase().replaceAll(/\W+/g, '-')}.ts`)

beforeAll(async () => {
  // Where the packages of the workspace are found, and no other check looks.
  const cache = join(ROOT, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  folder = await mkdtemp(join(cache, 'sdk-guide-'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'cube.gcode'), 'G28\nG1 X10\n;')
  for (const { title, code } of SECTIONS) {
    const client = /const client =/.test(code) ? '' : 'const client = world.client()\n'
    await writeFile(fileOf(title), `${WORLD}${MORE[title] ?? ''}${client}${code}\nvoid client\nvoid workshop\n`)
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('every section is known to this test', () => {
  expect(SECTIONS.map(({ title }) => title)).toEqual(Object.keys(PRINTS))
})

test('the codes compile', async () => {
  const config = {
    extends: join(ROOT, 'tsconfig.tools.json'),
    references: [],
    include: [],
    files: SECTIONS.map(({ title }) => fileOf(title)),
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch((error: unknown) => ({
    stdout: error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error),
  }))
  expect(stdout).toBe('')
}, 120_000)

test.each(SECTIONS)(
  '$title',
  async ({ title }) => {
    const args = ['--conditions=x-source', '--import', 'tsx', fileOf(title)]
    const { stdout } = await run(process.execPath, args, { cwd: folder, timeout: 50_000 })
    expect(stdout).toMatch(PRINTS[title] ?? /$^/)
    if (title === 'Download') expect(await readFile(join(folder, 'copy.gcode'), 'utf8')).toBe('G28')
  },
  60_000,
)
