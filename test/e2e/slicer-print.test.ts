import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'

// What a slicer that signs in with a browser does after it has its token: it asks for the version and the printers, and sends a
// file that is to be printed. A real agent with a virtual printer fetches and prints it. Server and agent are processes.

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let agent: Program
let client: Client
let token: string
let printer: { id: number; name: string }

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  token = (JSON.parse(await runServerCommand(server.url, issue)) as { access_token: string }).access_token
  client = createClient({ baseUrl: server.url, token })
  const added = await client.createPrinter({ name: 'Virtual' })
  printer = { id: added.id, name: added.name }
  const config = join(folder.path, 'printwarden-agent.cfg')
  const lines = ['[server]', `url: ${server.url}`, '[printer virtual]', `auth_token: ${added.auth_token}`]
  await writeFile(config, [...lines, 'host: virtual', 'duration: 6', 'heating: 1', 'autostart: false', ''].join('\n'))
  agent = startAgent(config)
  await until(
    'the printer to wait',
    async () => (await client.getPrinter({ id: printer.id })).status?.state.text === 'Operational',
    60_000,
  )
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

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } })

/** A file as the slicer sends it, the file last. */
function send(filename: string, print: boolean): Promise<Response> {
  const form = new FormData()
  form.set('print', String(print))
  form.set('path', '')
  form.set('printer_id', `${printer.name} [${printer.id}]`)
  form.set('filename', filename)
  const gCode = `; ${randomBytes(200_000).toString('hex')}\nG28\nG1 X10\n`
  form.set('file', new File([gCode], filename))
  return ask('/api/v1/g_code_files/', { method: 'POST', body: form })
}

test('upload and print: the printer prints that very file, and a second one is kept and refused with the reason', async () => {
  expect((await ask('/api/v1/version/')).status).toBe(200)
  const printers = (await (await ask('/api/v1/printers/')).json()) as { id: number; name: string }[]
  expect(printers.map(({ id, name }) => ({ id, name }))).toEqual([printer])

  const sent = await send('plate 1.gcode', true)
  expect(sent.status).toBe(201)
  const file = (await sent.json()) as { id: number; print: { printer_id: number; command_id: string } }
  expect(file.print.printer_id).toBe(printer.id)
  const running = await until('the print', async () => {
    const { current_print: print } = await client.getPrinter({ id: printer.id })
    return print?.g_code_file?.id === file.id ? print : undefined
  })
  expect(running.filename).toBe('plate 1.gcode')

  const busy = await send('plate 2.gcode', true)
  expect(busy.status).toBe(409)
  expect(await busy.json()).toMatchObject({ detail: 'Stored, but not printed. The printer is busy.' })
  const kept = await client.listGCodeFiles({ q: 'plate' })
  expect(kept.map(({ filename }) => filename)).toEqual(['plate 2.gcode', 'plate 1.gcode'])
  expect(busy.headers.get('location')).toBe(`${server.url}/api/v1/g_code_files/${kept[0]?.id}/`)

  const ended = await until('the end of the print', async () => {
    const print = await client.getPrint({ id: running.id })
    return print.ended_at === null ? undefined : print
  })
  expect(ended).toMatchObject({ cancelled_at: null, g_code_file: { id: file.id } })
  const { status } = await client.getCommand({ id: printer.id, command_id: file.print.command_id })
  expect(status).toBe('done')
}, 180_000)
