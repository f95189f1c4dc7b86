import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@printwarden/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { connectWirePrinter } from '../support/wire-printer.js'
import { ADMIN, ROOT, runServerCommand, startProgram, startServer, temporaryFolder } from '../support/processes.js'

// The programs of examples/, as a reader would start them, against a real server.

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let token: string

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const issued: unknown = JSON.parse(
    await runServerCommand(server.url, ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write', '--json']),
  )
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  token = String(issued.access_token)
  await createClient({ baseUrl: server.url, token }).createPrinter({ name: 'MK4' })
}, 120_000)

afterAll(async () => {
  await server?.stop()
  await folder?.remove()
})

function startExample(name: string, withToken = token, more: readonly string[] = []): Program {
  const args = ['--conditions=x-source', '--import', 'tsx', join(ROOT, `examples/${name}.ts`), ...more]
  return startProgram(process.execPath, args, { PRINTWARDEN_URL: server.url, PRINTWARDEN_TOKEN: withToken })
}

test('watch-printers connects, tells what there is and what is new, and ends when told to', async () => {
  const example = startExample('watch-printers')
  await example.waitFor(/connected\n/)
  await example.waitFor(/MK4: offline\n/)
  await createClient({ baseUrl: server.url, token }).createPrinter({ name: 'Mini' })
  await example.waitFor(/Mini: offline\n/)
  expect(await example.stop()).toBe(0)
}, 60_000)

test('watch-printers says so when it is refused', async () => {
  const example = startExample('watch-printers', 'wrong')
  expect(await example.ended).toBe(1)
  expect(example.output()).toMatch(/^refused: /m)
}, 60_000)

test('prints-to-csv writes a header even when there is nothing to list', async () => {
  const example = startExample('prints-to-csv')
  expect(await example.ended).toBe(0)
  expect(example.output()).toBe('id,file,printer,started,ended,result,alerted,verdict\n')
}, 60_000)

test('upload-and-print uploads with progress, and ends when the printer prints', async () => {
  const file = join(folder.path, 'cube.gcode')
  await writeFile(file, 'G1 X1 Y1 E0.1\n'.repeat(50_000))
  const client = createClient({ baseUrl: server.url, token })
  const { auth_token } = await client.createPrinter({ name: 'Uploader' })
  const printer = await connectWirePrinter(server.url, auth_token ?? '', 'obey')
  const example = startExample('upload-and-print', token, [file, 'Uploader'])
  expect([await example.ended, example.output()]).toEqual([
    0,
    expect.stringMatching(/uploaded 100%\nsent cube\.gcode to Uploader\nUploader is printing\n$/),
  ])
  expect(await client.listPrints()).toMatchObject([{ filename: 'cube.gcode', ended_at: null }])
  printer.close()
}, 60_000)

test('upload-and-print says what is missing, and what the server says', async () => {
  expect(await startExample('upload-and-print').ended).toBe(2)
  const example = startExample('upload-and-print', token, [join(ROOT, 'LICENSE'), 'MK4'])
  expect([await example.ended, example.output()]).toEqual([1, expect.stringMatching(/^ApiError: /m)])
}, 60_000)
