import { readFile } from 'node:fs/promises'
import { flagsOf, GCodeFile, PrintArgs, SlicerUpload, type StateText } from '@printwarden/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { TestAgent } from '../agents/testing.js'
import { startTestServer, type TestServer, type TestUser } from '../testing.js'
import { playStep, slicerSteps } from './fake-slicer.js'
import { blobsOf, type Part, multipart } from './testing.js'

// Slicers, as they were recorded or as their sources say, against the whole server.

const G_CODE = new URL('../../../../test/fixtures/g-code/prusaslicer-2.5.gcode', import.meta.url)

let server: TestServer
let user: TestUser
let agents: TestAgent[] = []
let count = 0

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

beforeEach(async () => {
  count += 1
  user = await server.addUser(`slicer${count}`)
})
afterEach(async () => {
  for (const agent of agents) await agent.kill()
  agents = []
})

/** A printer of the user whose agent reports this state; without one it is offline. */
async function addPrinter(name: string, text?: StateText) {
  const { printer, auth_token } = await server.addPrinter(user.id, name)
  if (text === undefined) return { id: printer.id, agent: undefined }
  const agent = await TestAgent.open(server.url, [], { headers: { authorization: `Bearer ${auth_token}` } })
  agents.push(agent)
  const temperatures = { tool0: { actual: 21.5, target: 0 }, bed: { actual: 20 } }
  const status = { _ts: server.clock.now() / 1000, state: { text, flags: flagsOf(text) }, temperatures }
  agent.send({ current_print_ts: -1, status })
  await agent.settled()
  return { id: printer.id, agent }
}

const Commands = z.array(z.object({ cmd: z.string(), args: PrintArgs }))

const files = async (): Promise<GCodeFile[]> =>
  z.array(GCodeFile).parse((await server.call('GET', '/api/v1/g_code_files/', { token: user.token })).json)

/** The names of the folders that a file lies in, from the outermost. */
async function foldersOf(file: GCodeFile | undefined): Promise<string[]> {
  const names: string[] = []
  const Folder = z.object({ name: z.string(), parent_folder: z.object({ id: z.number() }).nullable() })
  for (let id = file?.parent_folder?.id; id !== undefined; ) {
    const { json } = await server.call('GET', `/api/v1/g_code_folders/${id}/`, { token: user.token })
    const folder = Folder.parse(json)
    names.unshift(folder.name)
    id = folder.parent_folder?.id
  }
  return names
}

/** An upload by key, as text the way a slicer gets it. */
async function send(path: string, parts: readonly Part[], headers: Record<string, string> = {}) {
  const { body, contentType } = multipart(parts)
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': user.token, 'content-type': contentType, ...headers },
    body: new Uint8Array(body),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const part = (name = 'cube.gcode', bytes = 'G28\n'): Part => ['file', { name, bytes }]
const PRINT: Part = ['print', 'true']

test.each(['prusaslicer-2.5.0', 'orcaslicer-octoprint', 'cura-octoprint-plugin', 'orcaslicer-signed-in'])(
  '%s: every request is answered as the slicer needs it',
  async (name) => {
    const { id, agent } = await addPrinter('Left', 'Operational')
    const gCode = await readFile(G_CODE)
    for (const step of await slicerSteps(name, id)) {
      const answer = await playStep(server, step, user.token, gCode)
      expect({ path: step.path, status: answer.status }).toEqual({ path: step.path, status: step.expect.status })
      expect(answer.wasAskedToGoOn).toBe(step.headers['Expect'] !== undefined)
      if (step.parts === undefined) continue
      const [file, another] = await files()
      expect(another).toBeUndefined()
      expect(file).toMatchObject({ filename: step.expect.filename, num_bytes: gCode.length })
      expect(JSON.parse(file?.metadata_json ?? '')).toMatchObject({ slicer: 'PrusaSlicer' })
      expect(await foldersOf(file)).toEqual(step.expect.folders)
      if (step.expect.printed === true) {
        const [command] = Commands.parse(await agent?.next('commands'))
        expect(command).toMatchObject({ cmd: 'print', args: { g_code_file_id: file?.id } })
      }
    }
  },
)

test('the version begins as slicers want it to', async () => {
  const { json } = await server.call('GET', '/api/version', { token: user.token })
  expect(json).toMatchObject({ api: expect.any(String), text: expect.stringMatching(/^OctoPrint \(Printwarden /) })
})

test('the answer to an upload names the file as OctoPrint does, and where it really is', async () => {
  const { status, headers, text } = await send('/api/files/local', [part(), ['path', '/parts/'], ['select', 'true']])
  expect(status).toBe(201)
  const { files: stored, ...rest } = SlicerUpload.parse(JSON.parse(text))
  expect(rest).toEqual({ done: true, effectiveSelect: false, effectivePrint: false })
  expect(stored.local).toMatchObject({ name: 'cube.gcode', path: 'parts/cube.gcode', origin: 'local' })
  // Cura splits the address at "api/".
  expect(headers.get('location')).toBe(stored.local.refs.resource)
  const [file] = await files()
  expect(stored.local.refs.resource).toBe(`${server.url}/api/v1/g_code_files/${file?.id}/`)
  expect(await (await fetch(stored.local.refs.download)).text()).toBe('G28\n')
})

test('folders of a path are made once, also by two uploads at a time', async () => {
  const uploads = Array.from({ length: 4 }, () => send('/api/files/local', [part(), ['path', 'a/b']]))
  expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual([201, 201, 201, 201])
  const ids = new Set((await files()).map(({ parent_folder }) => parent_folder?.id))
  expect(ids.size).toBe(1)
  expect(await foldersOf((await files())[0])).toEqual(['a', 'b'])
})

test.each([
  { name: 'no printer', printers: [], path: '/api/files/local', text: 'You have no printer.' },
  { name: 'one that is offline', printers: [['Left']], path: '/api/files/local', text: 'The printer is offline.' },
  {
    name: 'one that prints',
    printers: [['Left', 'Printing']],
    path: '/api/files/local',
    text: 'The printer is busy.',
  },
  {
    name: 'several, of which only one is ready: none is guessed',
    printers: [['Left', 'Operational'], ['Right']],
    path: '/api/files/local',
    text: "Which printer? Add /printers/NAME to the server's address.",
  },
  {
    name: 'a named one that is offline',
    printers: [['Left', 'Operational'], ['Right']],
    path: '/printers/Right/api/files/local',
    text: 'The printer is offline.',
  },
] as const)('printing with $name: the file is stored, and the slicer is told in one line', async (row) => {
  for (const [name, state] of row.printers) await addPrinter(name, state)
  const { status, headers, text } = await send(row.path, [PRINT, part()])
  expect({ status, text }).toEqual({ status: 400, text: `Stored, but not printed. ${row.text}` })
  // Cura shows a text of this very type, and of it the first 100 characters.
  expect(headers.get('content-type')).toBe('text/plain')
  expect(text.length).toBeLessThanOrEqual(100)
  expect(await files()).toHaveLength(1)
})

test.each(['/api/files/{id}', '/api/files/Big%20Left', '/api/files/big%20left', '/printers/{id}/api/files/local'])(
  'a printer of several is named in the address: %s',
  async (path) => {
    await addPrinter('Right', 'Operational')
    const { id, agent } = await addPrinter('Big Left', 'Operational')
    const { status, text } = await send(path.replace('{id}', String(id)), [part(), PRINT])
    expect(status).toBe(201)
    expect(JSON.parse(text)).toMatchObject({ effectivePrint: true })
    const [command] = Commands.parse(await agent?.next('commands'))
    expect(command).toMatchObject({ cmd: 'print', args: { filename: 'cube.gcode' } })
  },
)

test("a name that two printers have, another's and a missing one are all no printer; nothing is kept", async () => {
  await addPrinter('Twin')
  await addPrinter('twin')
  const theirs = await server.addPrinter(server.other.id, 'Theirs')
  const before = await blobsOf(server)
  for (const printer of ['Twin', 'Theirs', String(theirs.printer.id), 'Nobody', '987654321']) {
    for (const path of [`/api/files/${printer}`, `/printers/${printer}/api/files/local`]) {
      const { status, text } = await send(path, [part(), PRINT])
      expect({ path, status, text }).toEqual({ path, status: 404, text: 'There is no such printer.' })
    }
    const tried = await server.call('GET', `/printers/${printer}/api/version`, { token: user.token })
    expect(tried.status).toBe(404)
  }
  expect(await files()).toEqual([])
  expect(await blobsOf(server)).toEqual(before)
})

test.each([
  { name: 'a file that is no G-code', parts: [part('cube.stl'), ['path', 'a']], says: 'must end in .gcode' },
  { name: 'an empty file', parts: [part('cube.gcode', ''), ['path', 'a']], says: 'must not be empty' },
  { name: 'no file', parts: [['path', 'a']], says: 'file: is required' },
  { name: 'a path that climbs', parts: [part(), ['path', '../../etc']], says: 'must not be made of dots alone' },
  { name: 'a path of control characters', parts: [part(), ['path', 'a\u0007b']], says: 'control characters' },
  { name: 'two paths', parts: [part(), ['path', 'a'], ['path', 'b']], says: 'more than once' },
  { name: 'a wish that is unclear', parts: [part(), ['print', 'maybe']], says: 'print: must be true or false' },
] satisfies { name: string; parts: Part[]; says: string }[])(
  '$name is refused, and leaves nothing behind',
  async ({ parts, says }) => {
    const before = await blobsOf(server)
    const { status, text } = await send('/api/files/local', parts)
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(says) })
    expect(await files()).toEqual([])
    const folders = await server.call('GET', '/api/v1/g_code_folders/', { token: user.token })
    expect(folders.json).toEqual([])
    expect(await blobsOf(server)).toEqual(before)
  },
)

test('keys count by their scopes, and errors are problem details for whoever is no slicer', async () => {
  const reader = await server.addToken(user.id, 'read')
  const refused = await send('/api/files/local', [part()], { 'x-api-key': reader })
  expect(refused).toMatchObject({ status: 403, text: 'The token lacks the scope "write".' })
  const unknown = await send('/api/files/local', [part()], { 'x-api-key': 'nobody' })
  expect(unknown).toMatchObject({ status: 401, text: 'The API key is not known.' })
  const { status, headers, json } = await server.call('GET', '/api/version', { token: 'nobody' })
  expect(status).toBe(401)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(json).toMatchObject({ code: 'unauthorized' })
  const program = await send('/api/files/local', [part('x.stl')], { accept: 'application/json' })
  expect(JSON.parse(program.text)).toMatchObject({ code: 'invalid_request', status: 400 })
  // Elsewhere a key changes nothing about errors.
  const elsewhere = await fetch(`${server.url}/api/v1/prints/0/`, { headers: { 'x-api-key': user.token } })
  expect(elsewhere.headers.get('content-type')).toBe('application/problem+json')
})

test('Cura is told of a printer what it shows', async () => {
  const get = async (path: string) => (await server.call('GET', path, { token: user.token })).json
  const none = await server.call('GET', '/api/printer', { token: user.token })
  expect(none.status).toBe(409)
  expect(await get('/api/job')).toMatchObject({ state: 'Offline', job: { file: { name: null } } })
  await addPrinter('Left', 'Operational')
  expect(await get('/api/printer')).toMatchObject({
    state: { text: 'Operational', flags: { operational: true, ready: true, error: false, closedOrError: false } },
    temperature: { tool0: { actual: 21.5, target: 0 }, bed: { actual: 20, target: null } },
  })
  expect(await get('/api/job')).toMatchObject({ state: 'Operational', progress: { completion: null } })
  expect(await get('/api/printerprofiles')).toMatchObject({ profiles: { _default: { name: 'Left', current: true } } })
  expect(await get('/api/settings')).toMatchObject({ feature: { sdSupport: false } })
  // A second printer: which is meant is not clear any more, unless the address says so.
  await addPrinter('Right')
  expect((await server.call('GET', '/api/printer', { token: user.token })).status).toBe(409)
  expect(await get('/printers/Left/api/printer')).toMatchObject({ state: { text: 'Operational' } })
})
