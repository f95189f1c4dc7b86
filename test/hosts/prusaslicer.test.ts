import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'
import { hasPrusaSlicer, type PrusaSlicerProgram, startPrusaSlicer } from './prusaslicer-program.js'

// A real PrusaSlicer sends what it sliced with nothing but an address and a key. A window driven by its keyboard depends too much on
// the machine for continuous integration, so it is run when asked for: `.ci/install-slicer`, then
// `PRINTWARDEN_TEST_SLICER=1 npx vitest run --config vitest.extended.config.ts test/hosts/prusaslicer.test.ts`.
const isThere = process.env['PRINTWARDEN_TEST_SLICER'] === '1' && (await hasPrusaSlicer())

let folder: { path: string; remove: () => Promise<void> } | undefined
let server: ServerProgram | undefined
let agent: Program | undefined
let slicer: PrusaSlicerProgram | undefined
let client: Client

beforeAll(async () => {
  if (!isThere) return
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  const issued: unknown = JSON.parse(await runServerCommand(server.url, issue))
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  const apiKey = String(issued.access_token)
  client = createClient({ baseUrl: server.url, token: apiKey })
  const printer = await client.createPrinter({ name: 'Left' })
  await client.createPrinter({ name: 'Right' })
  const config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${server.url}

[printer left]
auth_token: ${printer.auth_token}
host: virtual
autostart: no
`,
  )
  agent = startAgent(config)
  await until('the printer', async () => (await client.getPrinter({ id: printer.id })).status !== null)
  slicer = await startPrusaSlicer(folder.path, { address: `${server.url}/printers/Left`, apiKey })
})

afterAll(async () => {
  await slicer?.stop()
  await agent?.stop()
  await server?.stop()
  await folder?.remove()
})

afterEach((context) => {
  if (context.task.result?.state !== 'fail') return
  console.log('slicer:\n', slicer?.output().slice(-4000), '\nserver:\n', server?.output().slice(-4000))
})

const filesUntil = (count: number) =>
  until(`${count} files`, async () => {
    const files = await client.listGCodeFiles({})
    return files.length === count && files
  })

test.skipIf(!isThere)('what PrusaSlicer uploads is stored with its facts and pictures', async () => {
  await slicer?.send('upload')
  const [file] = await filesUntil(1)
  expect(file).toMatchObject({ filename: 'box.gcode', thumbnail1_url: expect.stringContaining('http') })
  expect(JSON.parse(file?.metadata_json ?? '')).toMatchObject({ slicer: 'PrusaSlicer', layer_height: 0.2 })
  expect((await fetch(file?.thumbnail1_url ?? '')).headers.get('content-type')).toBe('image/png')
})

test.skipIf(!isThere)('what it uploads to print is printed; while that lasts, it shows why not', async () => {
  await slicer?.send('upload and print')
  const [file] = await filesUntil(2)
  await until('the print', async () => {
    const [printer] = await client.listPrinters()
    return printer?.current_print?.g_code_file?.id === file?.id
  })
  await slicer?.send('upload and print')
  await slicer?.closeError()
  await filesUntil(3)
})
