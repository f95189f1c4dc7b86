import { flagsOf, GCodeFile, GCodeFileUploaded, PrintArgs, type StateText } from '@printwarden/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { TestAgent } from '../agents/testing.js'
import { startTestServer, type TestServer, type TestUser } from '../testing.js'
import { blobsOf, type Part, sendForm } from './testing.js'

// An upload that is to be printed at once, as slicers send it to the REST API.

const FILES = '/api/v1/g_code_files/'

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
  user = await server.addUser(`sender${count}`)
})
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.kill()
})

/** A printer of the user whose agent reports this state; without one it is offline. */
async function addPrinter(name: string, text?: StateText) {
  const { printer, auth_token } = await server.addPrinter(user.id, name)
  if (text === undefined) return { id: printer.id, agent: undefined }
  const agent = await TestAgent.open(server.url, [], { headers: { authorization: `Bearer ${auth_token}` } })
  agents.push(agent)
  const status = { _ts: server.clock.now() / 1000, state: { text, flags: flagsOf(text) } }
  agent.send({ current_print_ts: -1, status })
  await agent.settled()
  return { id: printer.id, agent }
}

const FILE: Part = ['file', { name: 'plate.gcode', bytes: 'G28\n' }]
const NAME: Part = ['filename', 'plate.gcode']
const PRINT: Part = ['print', 'true']

const send = (parts: readonly Part[]) => sendForm(server, FILES, parts, { token: user.token })
const files = async (): Promise<GCodeFile[]> =>
  z.array(GCodeFile).parse((await server.call('GET', FILES, { token: user.token })).json)

const Commands = z.array(z.object({ id: z.string(), cmd: z.string(), args: PrintArgs }))

test.each([
  { order: 'as slicers send them', of: (id: Part): Part[] => [PRINT, ['path', ''], id, NAME, FILE] },
  { order: 'with the file first', of: (id: Part): Part[] => [FILE, NAME, id, PRINT] },
  { order: 'with the file between', of: (id: Part): Part[] => [id, FILE, PRINT, NAME] },
])('the parts in any order, $order: the named printer is sent the file', async ({ of }) => {
  const other = await addPrinter('Right', 'Operational')
  const { id, agent } = await addPrinter('Left [old]', 'Operational')
  const { status, json } = await send(of(['printer_id', `Left [old] [${id}]`]))
  expect(status).toBe(201)
  const uploaded = GCodeFileUploaded.parse(json)
  const [command] = Commands.parse(await agent?.next('commands'))
  expect(command).toMatchObject({ cmd: 'print', args: { g_code_file_id: uploaded.id, filename: 'plate.gcode' } })
  expect(uploaded.print).toEqual({ printer_id: id, command_id: command?.id })
  expect(await (await fetch(command?.args.url ?? '')).text()).toBe('G28\n')
  expect(other.agent?.received.filter((frame) => 'commands' in frame)).toEqual([])
})

test('an id alone, and of who has one printer none at all, is enough', async () => {
  const { id, agent } = await addPrinter('Left', 'Operational')
  for (const parts of [[NAME, FILE, PRINT, ['printer_id', String(id)]] as Part[], [NAME, FILE, PRINT]]) {
    expect((await send(parts)).status).toBe(201)
    const [command] = Commands.parse(await agent?.next('commands'))
    expect(command).toMatchObject({ cmd: 'print' })
    // Else the printer counts as told to print, and is not told a second time.
    agent?.send({ ack: { id: command?.id, error: { code: 'not_ready', detail: 'not now' } } })
    await agent?.settled()
  }
})

test.each([{ print: 'false' }, { print: '' }])('print=$print stores and does no more', async ({ print }) => {
  const { id, agent } = await addPrinter('Left', 'Operational')
  const { status, json } = await send([['print', print], ['printer_id', `Left [${id}]`], NAME, FILE])
  expect(status).toBe(201)
  expect(json).not.toHaveProperty('print')
  expect(agent?.received.filter((frame) => 'commands' in frame)).toEqual([])
})

test.each([
  { name: 'one that is offline', printers: [['Left']], names: true, reason: 'The printer is offline.' },
  { name: 'one that prints', printers: [['Left', 'Printing']], names: true, reason: 'The printer is busy.' },
  {
    name: 'no printer',
    printers: [],
    names: false,
    reason: 'Which printer? Choose one, and name it in printer_id.',
  },
  {
    name: 'two, and none is named: none is guessed',
    printers: [
      ['Left', 'Operational'],
      ['Right', 'Operational'],
    ],
    names: false,
    reason: 'Which printer? Choose one, and name it in printer_id.',
  },
] as const)('$name: the file is kept, and the answer says why it is not printed', async (row) => {
  const added = []
  for (const [name, text] of row.printers) added.push(await addPrinter(name, text))
  const named: Part[] = row.names ? [['printer_id', `Left [${added[0]?.id}]`]] : []
  const { status, json, headers } = await send([PRINT, ...named, NAME, FILE])
  expect(status).toBe(409)
  expect(json).toMatchObject({ code: 'conflict', detail: `Stored, but not printed. ${row.reason}` })
  const [file, another] = await files()
  expect(another).toBeUndefined()
  expect(headers.get('location')).toBe(`${server.url}${FILES}${file?.id}/`)
  expect(file).toMatchObject({ filename: 'plate.gcode', num_bytes: 4 })
  for (const { agent } of added) expect(agent?.received.filter((frame) => 'commands' in frame) ?? []).toEqual([])
})

test('what is wrong with the wish is told, and nothing is kept', async () => {
  await addPrinter('Left', 'Operational')
  const foreign = await server.addPrinter(server.other.id)
  const before = await blobsOf(server)
  const wrong: [Part[], string][] = [
    [[['print', 'maybe'], NAME, FILE], 'print'],
    [[PRINT, ['printer_id', 'Left'], NAME, FILE], 'printer_id'],
    [[FILE, NAME, PRINT, ['printer_id', `Theirs [${foreign.printer.id}]`]], 'printer_id'],
    [[FILE, NAME, PRINT, ['printer_id', '987654321']], 'printer_id'],
    [[PRINT, NAME], 'print'],
    [[PRINT, PRINT, NAME, FILE], 'print'],
    [[FILE, NAME, ['path', 'a/b\u0000c']], 'path'],
    [[['path', 'folder'], NAME, ['file', { name: 'x', bytes: '' }]], 'file'],
  ]
  for (const [parts, path] of wrong) {
    const { status, json } = await send(parts)
    expect({ status, json }).toMatchObject({ status: 400, json: { issues: [{ path }] } })
  }
  expect(await files()).toEqual([])
  expect(await blobsOf(server)).toEqual(before)
  expect((await server.call('GET', '/api/v1/g_code_folders/', { token: user.token })).json).toEqual([])
})

test('a path puts the file into folders, and a folder that is named goes before it', async () => {
  expect((await send([['path', 'parts/small'], NAME, FILE])).status).toBe(201)
  const [file] = await files()
  expect(file?.parent_folder).toMatchObject({ name: 'small' })
  const folder = String(file?.parent_folder?.id)
  expect((await send([['parent_folder', folder], ['path', 'elsewhere'], NAME, FILE])).status).toBe(201)
  expect((await files()).map(({ parent_folder }) => parent_folder?.name)).toEqual(['small', 'small'])
})
