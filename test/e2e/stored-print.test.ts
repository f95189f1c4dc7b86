import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'

// A file on its way from an app to the bed: uploaded through the SDK, sent to the agent, fetched, checked, printed by a virtual
// printer. Server and agent are processes; what is broken on the way is broken for real.

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let agent: Program
let client: Client
let token: string
let printerId: number

const dataDir = (): string => join(folder.path, 'data')

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: dataDir() })
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  const issued: unknown = JSON.parse(await runServerCommand(server.url, issue))
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  token = String(issued.access_token)
  client = createClient({ baseUrl: server.url, token })
  const printer = await client.createPrinter({ name: 'Virtual' })
  printerId = printer.id
  const config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${server.url}

[printer virtual]
auth_token: ${printer.auth_token}
host: virtual
duration: 4
heating: 1
autostart: false
`,
  )
  agent = startAgent(config)
}, 120_000)

afterAll(async () => {
  await agent?.stop()
  await server?.stop()
  await folder?.remove()
})

afterEach((context) => {
  if (context.task.result?.state !== 'fail') return
  console.log('server:\n', server?.output().slice(-3000), '\nagent:\n', agent?.output().slice(-3000))
})

/** Three mebibytes that look like G-code and do not compress. */
const gCode = (): Buffer => Buffer.from(`; ${randomBytes(1024 * 768).toString('hex')}\nG28\n`.repeat(2))

const untilIdle = (): Promise<boolean> =>
  until(
    'the printer to wait',
    async () => (await client.getPrinter({ id: printerId })).status?.state.text === 'Operational',
    60_000,
  )

const blobs = async (): Promise<string[]> => {
  const entries = await readdir(join(dataDir(), 'blobs'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

test('a stored file is fetched, checked and printed, and the print knows which file it was', async () => {
  const bytes = gCode()
  const file = await client.uploadGCodeFile({ filename: 'Großes Boot.gcode', file: new Blob([new Uint8Array(bytes)]) })
  expect(file.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
  await untilIdle()
  const result = await client.printGCodeFile({ id: file.id, printer_id: printerId })
  expect(result).toMatchObject({ succeeded: true, reason: null })
  const running = await until('the print', async () => {
    const { current_print: print } = await client.getPrinter({ id: printerId })
    return print?.g_code_file ? print : undefined
  })
  expect(running.g_code_file).toMatchObject({ id: file.id, filename: 'Großes Boot.gcode' })
  expect(await client.printGCodeFile({ id: file.id, printer_id: printerId })).toMatchObject({
    succeeded: false,
    reason: { code: 'busy' },
  })
  const command = await until('the command to be seen', async () => {
    const one = await client.getCommand({ id: printerId, command_id: result.command_id ?? '' })
    return one.status === 'done' ? one : undefined
  })
  expect(command.error).toBeNull()
  await until('the end of the print', async () => {
    const print = await client.getPrint({ id: running.id })
    return print.finished_at !== null && print.g_code_file?.id === file.id
  })
  expect((await client.getGCodeFile({ id: file.id })).print_set).toMatchObject([{ id: running.id }])
}, 120_000)

test('a file that was damaged on the way is not printed, and the command says why', async () => {
  const before = await blobs()
  const file = await client.uploadGCodeFile({ filename: 'damaged.gcode', file: new Blob([new Uint8Array(gCode())]) })
  const [blob] = (await blobs()).filter((one) => !before.includes(one))
  const bytes = await readFile(blob ?? '')
  bytes[1_000_000] = (bytes[1_000_000] ?? 0) ^ 1
  await writeFile(blob ?? '', bytes)
  await untilIdle()
  const prints = (await client.listPrints()).length
  const { command_id, succeeded } = await client.printGCodeFile({ id: file.id, printer_id: printerId })
  expect(succeeded).toBe(true)
  const command = await until('the command to fail', async () => {
    const one = await client.getCommand({ id: printerId, command_id: command_id ?? '' })
    return one.status === 'failed' ? one : undefined
  })
  expect(command.error).toMatch(/^download_failed: .*hash/)
  await untilIdle()
  expect(await client.listPrints()).toHaveLength(prints)
}, 120_000)

test('a server that is killed in the middle of an upload starts again with nothing left of it', async () => {
  const before = await blobs()
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  const boundary = 'the-boundary'
  socket.write(
    [
      'POST /api/v1/g_code_files/ HTTP/1.1',
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${token}`,
      `Content-Type: multipart/form-data; boundary=${boundary}`,
      'Content-Length: 100000000',
      '',
      `--${boundary}`,
      'Content-Disposition: form-data; name="file"; filename="x"',
      '',
      'G28 '.repeat(250_000),
    ].join('\r\n'),
  )
  await until('the upload to reach the disk', async () => (await blobs()).length === before.length + 1)
  const closed = once(socket, 'close')
  await server.kill()
  await closed
  server = await startServer({ dataDir: dataDir(), port: Number(port) })
  expect(await blobs()).toEqual(before)
  expect((await client.listGCodeFiles({ q: 'x' })).map(({ filename }) => filename)).toEqual([])
  await untilIdle()
}, 120_000)
