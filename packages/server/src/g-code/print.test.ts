import { createHash } from 'node:crypto'
import { type GCodeFileSaved, flagsOf, PrintArgs, PrintFileResult, type StateText } from '@printwarden/protocol'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { TestAgent } from '../agents/testing.js'
import { startTestServer, type TestServer } from '../testing.js'
import { sendForm, upload } from './testing.js'

// Printing a stored file, seen from the wire: what the agent is sent, and what the print knows of the file.

const FILES = '/api/v1/g_code_files/'

let server: TestServer
let agents: TestAgent[] = []

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

afterEach(async () => {
  for (const agent of agents) await agent.kill()
  agents = []
})

async function connect(userId = server.owner.id): Promise<{ printerId: number; token: string; agent: TestAgent }> {
  const { printer, auth_token } = await server.addPrinter(userId)
  const agent = await TestAgent.open(server.url, [], { headers: { authorization: `Bearer ${auth_token}` } })
  agents.push(agent)
  return { printerId: printer.id, token: auth_token, agent }
}

function message(text: StateText, ts = -1, more: { file?: object; event?: string } = {}) {
  const name = 'boat.gcode'
  return {
    current_print_ts: ts,
    ...(more.event && { event: { event_type: more.event } }),
    status: {
      _ts: server.clock.now() / 1000,
      state: { text, flags: flagsOf(text) },
      job: { file: { name, path: name, display: name, ...more.file } },
    },
  }
}

async function print(file: GCodeFileSaved, printerId: number) {
  const { status, json, text } = await server.call('POST', `${FILES}${file.id}/print/`, {
    body: { printer_id: printerId },
  })
  if (status !== 200) throw new Error(text)
  return PrintFileResult.parse(json)
}

const command = async (printerId: number, id: string | null) =>
  (await server.call('GET', `/api/v1/printers/${printerId}/commands/${id}/`)).json

const Commands = z.array(z.object({ id: z.string(), cmd: z.string(), args: PrintArgs }))

test('the agent is sent all it needs to fetch, check and print; the print knows its file', async () => {
  const file = await upload(server, 'boat ä.gcode', 'G28\nG1 X1\n')
  const { printerId, agent } = await connect()
  agent.send(message('Operational'))
  await agent.settled()
  const result = await print(file, printerId)
  expect(result).toMatchObject({ succeeded: true, reason: null, printer: { id: printerId } })

  const [sent] = Commands.parse(await agent.next('commands'))
  expect(sent).toMatchObject({ id: result.command_id, cmd: 'print' })
  expect(sent?.args).toMatchObject({ g_code_file_id: file.id, filename: 'boat ä.gcode', num_bytes: 10 })
  // With the address alone, as an agent fetches it.
  const bytes = Buffer.from(await (await fetch(sent?.args.url ?? '')).arrayBuffer())
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sent?.args.sha256)

  agent.send(message('G-Code Downloading'))
  await agent.settled()
  expect((await print(file, printerId)).reason).toMatchObject({ code: 'busy' })
  // A long download: the command is not given up while the agent says that it goes on.
  for (let minute = 0; minute < 3; minute += 1) {
    server.clock.advance(60_000)
    agent.send(message('G-Code Downloading'))
    await agent.settled()
  }
  expect(await command(printerId, result.command_id)).toMatchObject({ status: 'sent' })

  agent.send({ ack: { id: sent?.id, result: {} } })
  const named = { service_g_code_file_id: file.id }
  agent.send(message('Printing', 1_795_000_000, { event: 'PrintStarted', file: named }))
  await agent.settled()
  expect(await command(printerId, result.command_id)).toMatchObject({ status: 'done' })
  const flat = {
    id: file.id,
    filename: 'boat ä.gcode',
    parent_folder: null,
    user: server.owner.id,
    sha256: file.sha256,
  }
  const { json: printer } = await server.call('GET', `/api/v1/printers/${printerId}/`)
  expect(printer).toMatchObject({ current_print: { g_code_file: flat } })
  const { json: prints } = await server.call('GET', `/api/v1/prints/?filter_by_printer_ids[]=${printerId}`)
  expect(prints).toMatchObject([{ g_code_file: flat }])
  expect(prints).not.toMatchObject([{ g_code_file: { print_set: expect.anything() } }])
  const { json: shown } = await server.call('GET', `${FILES}${file.id}/`)
  expect(shown).toMatchObject({ print_set: [{ filename: 'boat.gcode', g_code_file: { id: file.id } }] })

  // What is deleted is still known to have been printed, without its bytes.
  await server.call('DELETE', `${FILES}${file.id}/`)
  const { json: after } = await server.call('GET', `/api/v1/prints/?filter_by_printer_ids[]=${printerId}`)
  expect(after).toMatchObject([{ g_code_file: { ...flat, url: null, deleted: expect.stringMatching(/Z$/) } }])
})

test('a file that is named late is found late, and only the first one counts', async () => {
  const [first, second] = [await upload(server, 'a.gcode'), await upload(server, 'b.gcode')]
  const theirs = await upload(server, 'c.gcode', 'G28', { token: server.other.token })
  const { printerId, agent } = await connect()
  const fileOf = async () => {
    const { json } = await server.call('GET', `/api/v1/printers/${printerId}/`)
    return z
      .object({ current_print: z.object({ g_code_file: z.looseObject({ id: z.number() }).nullable() }) })
      .parse(json).current_print.g_code_file?.id
  }
  agent.send(message('Printing', 5000, { event: 'PrintStarted' }))
  await agent.settled()
  expect(await fileOf()).toBeUndefined()
  for (const id of [theirs.id, 999_999]) agent.send(message('Printing', 5000, { file: { service_g_code_file_id: id } }))
  await agent.settled()
  expect(await fileOf()).toBeUndefined()
  agent.send(message('Printing', 5000, { file: { service_g_code_file_id: first.id } }))
  agent.send(message('Printing', 5000, { file: { service_g_code_file_id: second.id } }))
  await agent.settled()
  expect(await fileOf()).toBe(first.id)
})

test('a download that fails is told with its reason', async () => {
  const file = await upload(server, 'boat.gcode')
  const { printerId, agent } = await connect()
  agent.send(message('Operational'))
  await agent.settled()
  const { command_id } = await print(file, printerId)
  const error = { code: 'download_failed', detail: 'the file is damaged: its hash is another' }
  agent.send({ ack: { id: command_id, error } })
  await agent.settled()
  expect(await command(printerId, command_id)).toMatchObject({
    status: 'failed',
    error: 'download_failed: the file is damaged: its hash is another',
  })
})

test('of two who print on one printer at the same time one does; what never begins does not bar the printer for long', async () => {
  const file = await upload(server, 'boat.gcode')
  const { printerId, agent } = await connect()
  agent.send(message('Operational'))
  await agent.settled()
  const results = await Promise.all([print(file, printerId), print(file, printerId), print(file, printerId)])
  expect(results.filter(({ succeeded }) => succeeded)).toHaveLength(1)
  const told = { code: 'busy', detail: 'The printer was told to print a file just now, and has not begun yet.' }
  const refused = results.filter(({ succeeded }) => !succeeded)
  expect(refused).toMatchObject([{ command_id: null, reason: told }, { reason: told }])
  const taken = results.find(({ succeeded }) => succeeded)?.command_id ?? null
  agent.send({ ack: { id: taken, result: {} } })
  await agent.settled()
  expect(await command(printerId, taken)).toMatchObject({ status: 'acked' })
  expect((await print(file, printerId)).reason).toEqual(told)
  server.clock.advance(2 * 60_000)
  agent.send(message('Operational'))
  await agent.settled()
  expect((await print(file, printerId)).succeeded).toBe(true)
})

test('what cannot be printed is refused with the reason, and nothing is sent', async () => {
  const file = await upload(server, 'boat.gcode')
  const { printerId, agent } = await connect()
  expect(await print(file, printerId)).toMatchObject({
    succeeded: false,
    command_id: null,
    reason: { code: 'offline' },
  })
  agent.send(message('Printing', 7000, { event: 'PrintStarted' }))
  await agent.settled()
  expect(await print(file, printerId)).toMatchObject({ succeeded: false, reason: { code: 'busy' } })
  agent.send(message('Operational', 7000, { event: 'PrintDone' }))
  agent.send(message('Operational'))
  await agent.settled()
  await server.call('POST', `/api/v1/printers/${printerId}/archive/`)
  expect(await print(file, printerId)).toMatchObject({ succeeded: false, reason: { code: 'archived' } })
  await server.call('POST', `/api/v1/printers/${printerId}/unarchive/`)
  const record = await server.call('POST', FILES, { body: { filename: 'record.gcode' } })
  const { id } = z.object({ id: z.number() }).parse(record.json)
  expect(await print({ ...file, id }, printerId)).toMatchObject({ succeeded: false, reason: { code: 'not_stored' } })
  expect(agent.received.some((frame) => 'commands' in frame)).toBe(false)
  const theirs = await connect(server.other.id)
  const answers = await Promise.all(
    [theirs.printerId, 999_999].map((printer_id) =>
      server.call('POST', `${FILES}${file.id}/print/`, { body: { printer_id } }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([404, 404])
  expect(answers[0]?.text).toBe(answers[1]?.text)
  for (const body of [{}, { printer_id: 'x' }, { printer_id: -1 }, { printer_id: 2 ** 53 }]) {
    expect((await server.call('POST', `${FILES}${file.id}/print/`, { body })).status).toBe(400)
  }
})

const REPORTS = '/api/v1/agent/g_code_files/'

/** Tells of a file, as an agent does. */
async function report(fields: Record<string, string>, token: string) {
  const headers = { authorization: `Token ${token}` }
  const response = await fetch(server.url + REPORTS, { method: 'POST', headers, body: new URLSearchParams(fields) })
  return { status: response.status, json: (await response.json()) as { id: number } }
}

test('an agent that tells of its file ten times at once makes one record', async () => {
  const { token } = await connect()
  const form = { safe_filename: 'once.gcode', agent_signature: 'ts:1700000001' }
  const answers = await Promise.all(Array.from({ length: 10 }, () => report(form, token)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(9)
  expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1)
})

test('an agent finds the record of its file by signature and name, or makes it', async () => {
  const { printerId, token } = await connect()
  const elsewhere = await connect()
  const form = {
    safe_filename: 'cube.gcode',
    agent_signature: 'ts:1700000000.5',
    filename: 'cube.gcode',
    num_bytes: '12',
    url: 'sub/cube.gcode',
  }
  const post = (fields: Record<string, string>, as = token) => report(fields, as)
  const made = await post(form)
  expect(made).toMatchObject({
    status: 201,
    json: {
      filename: 'cube.gcode',
      num_bytes: 12,
      url: 'sub/cube.gcode',
      resident_printer: printerId,
      user: server.owner.id,
    },
  })
  expect(await post(form)).toMatchObject({ status: 200, json: { id: made.json.id } })
  expect(await post({ ...form, agent_signature: 'ts:2' })).toMatchObject({ status: 201 })
  expect(await post(form, elsewhere.token)).toMatchObject({
    status: 201,
    json: { resident_printer: elsewhere.printerId },
  })
  expect(await sendForm(server, REPORTS, Object.entries(form), { token })).toMatchObject({
    status: 200,
    json: { id: made.json.id },
  })
  for (const missing of ['safe_filename', 'agent_signature']) {
    expect(await post({ ...form, [missing]: '' })).toMatchObject({ status: 400, json: { issues: [{ path: missing }] } })
  }
  expect(await post({ ...form, num_bytes: 'x' })).toMatchObject({
    status: 400,
    json: { issues: [{ path: 'num_bytes' }] },
  })
  for (const [index, url] of [
    'javascript:alert(1)',
    ' java\tscript:alert(1)',
    'https://elsewhere.example/',
  ].entries()) {
    const asked = await post({ ...form, agent_signature: `address:${index}`, url }, elsewhere.token)
    expect(asked).toMatchObject({ status: 201, json: { url: null } })
  }
  // Files on printers are listed by printer alone.
  const { json: here } = await server.call('GET', `${FILES}?resident_printer=${printerId}`)
  expect(here).toMatchObject([{ resident_printer: printerId }, { resident_printer: printerId }])
  const { json: stored } = await server.call('GET', `${FILES}?page_size=200`)
  expect(z.array(z.looseObject({ resident_printer: z.null() })).safeParse(stored).success).toBe(true)

  // The server's own file, which the agent was sent and knows by its own signature from then on.
  const sent = await upload(server, 'sent to it.gcode')
  const patched = await sendForm(
    server,
    `${REPORTS}${sent.id}/`,
    [
      ['agent_signature', 'md5:0123'],
      ['safe_filename', 'sent_to_it.gcode'],
    ],
    { token, method: 'PATCH' },
  )
  expect(patched).toMatchObject({
    status: 200,
    json: { id: sent.id, agent_signature: 'md5:0123', resident_printer: null },
  })
  expect(await post({ safe_filename: 'sent_to_it.gcode', agent_signature: 'md5:0123' })).toMatchObject({
    status: 200,
    json: { id: sent.id },
  })
  const theirs = await upload(server, 'theirs.gcode', 'G28', { token: server.other.token })
  for (const id of [theirs.id, 999_999]) {
    expect(
      (await sendForm(server, `${REPORTS}${id}/`, [['agent_signature', 'x']], { token, method: 'PATCH' })).status,
    ).toBe(404)
  }
  const { json: all } = await server.call('GET', REPORTS, { token })
  expect(all).toMatchObject(expect.arrayContaining([expect.objectContaining({ id: sent.id })]))

  await server.call('DELETE', `/api/v1/printers/${elsewhere.printerId}/`)
  const left = server.database.db
    .selectFrom('g_code_files')
    .select('id')
    .where('resident_printer_id', '=', elsewhere.printerId)
  expect(await left.execute()).toEqual([])
})
