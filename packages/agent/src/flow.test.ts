import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PrinterConfig } from './config/config-schema.js'
import { fakeClock, type FakeClock } from './time/fake-clock.js'
import { fakeLog, type FakeLog } from './log/fake-log.js'
import { startFakeServer, type FakeServer } from './uplink/fake-server.js'
import { openPrinter, type RunningPrinter } from './flow.js'
import { startFakeOctoPrint, type FakeOctoPrint } from './hosts/octoprint/fake-octoprint.js'
import { until } from './testing.js'

const TOKEN = '0123456789abcdef0123456789abcdef01234567'
const ID = '7b0d4c0e-51f6-4b0a-9c1e-0d7f6c3d2b1a'

let server: FakeServer
let octoprint: FakeOctoPrint
let clock: FakeClock
let log: FakeLog
let folder: string
let running: RunningPrinter[]

beforeEach(async () => {
  server = await startFakeServer()
  octoprint = await startFakeOctoPrint()
  clock = fakeClock()
  log = fakeLog()
  folder = await mkdtemp(join(tmpdir(), 'flow-'))
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((printer) => printer.close()))
  await server.close()
  await octoprint.stop()
  await rm(folder, { recursive: true, force: true })
})

async function open(change: Partial<PrinterConfig> = {}, stateFolder = folder): Promise<RunningPrinter> {
  const config: PrinterConfig = {
    name: 'mk3',
    authToken: TOKEN,
    host: { host: 'octoprint', url: octoprint.url, api_key: octoprint.apiKey },
    cameras: [],
    ...change,
  }
  const printer = await openPrinter({
    config,
    serverUrl: server.url,
    stateFolder,
    version: '1.2.3',
    clock,
    log,
    random: () => 0,
  })
  running.push(printer)
  return printer
}

const texts = () => server.messages.map(({ status }) => status.state.text)
const events = () => server.messages.flatMap(({ event }) => (event ? [event.event_type] : []))
const last = () => server.messages.at(-1)
const arrives = (text: string) => until(`a status ${text}`, () => last()?.status.state.text === text)
const event = (type: string, count = 1) =>
  until(`the event ${type}`, () => events().filter((seen) => seen === type).length >= count)
const prints = () => new Set(server.messages.map(({ current_print_ts }) => current_print_ts).filter((ts) => ts !== -1))
const stored = async () => JSON.parse(await readFile(join(folder, 'mk3.json'), 'utf8')) as { outbox: unknown[] }

async function printing(): Promise<void> {
  await arrives('Operational')
  octoprint.startPrint('part.gcode')
  await event('PrintStarted')
}

test('the first message tells state and settings, the next ones only what changes', async () => {
  await open({
    cameras: [
      {
        label: 'bed',
        source: { type: 'snapshot', url: 'http://127.0.0.1:9/' },
        primary: true,
        nozzle: false,
        change: { flipH: false, flipV: false, rotation: 0, maxSize: undefined },
        intervalMs: 10_000,
      },
    ],
  })
  await arrives('Operational')
  expect(server.messages[0]).toMatchObject({
    current_print_ts: -1,
    settings: {
      agent: { name: 'printwarden-agent', version: '1.2.3' },
      webcams: [{ name: 'bed', is_primary_camera: true, stream_id: 1 }],
    },
    seq: 1,
  })
  await until('the profiles', () => server.messages.some(({ settings }) => settings?.temperature !== undefined))
  octoprint.startPrint('part.gcode')
  await event('PrintStarted')
  await arrives('Printing')
  expect(last()).not.toHaveProperty('settings')
})

test('a question is told at once, also by a printer at rest, and so is its end', async () => {
  await open()
  await arrives('Operational')
  const prompt = (data: object) => octoprint.push({ plugin: { plugin: 'action_command_prompt', data } })
  prompt({ action: 'show', text: 'Ready?', choices: ['Yes'] })
  await until('the question', () => last()?.status.prompt?.text === 'Ready?')
  prompt({ action: 'close' })
  await until('its end', () => last()?.status.prompt === undefined)
})

test('the commands that can be given are told', async () => {
  await open()
  await arrives('Operational')
  expect(server.messages[0]?.settings?.commands).toEqual(
    expect.arrayContaining(['pause', 'emergency_stop', 'answer_prompt', 'list_files', 'print_file']),
  )
  expect(server.messages[0]?.settings?.commands).not.toContain('exclude_object')
})

test('a print is one print with one current_print_ts and events in order, each acknowledged', async () => {
  await open()
  await printing()
  octoprint.progress(50)
  octoprint.finishPrint()
  await event('PrintDone')
  await arrives('Operational')
  await until('an idle message', () => last()?.current_print_ts === -1)
  expect(events()).toEqual(['PrintStarted', 'PrintDone'])
  expect(prints().size).toBe(1)
  expect(server.messages.find((message) => message.event?.event_type === 'PrintDone')).toMatchObject({
    status: {
      state: { text: 'Operational', flags: { operational: true, printing: false, paused: false } },
      job: { file: { name: 'part.gcode' } },
      progress: { completion: 100 },
    },
  })
  await expect.poll(async () => (await stored()).outbox).toEqual([])
})

test('a command is carried out and answered, and the state follows with its events', async () => {
  await open()
  await printing()
  const pause = { id: ID, cmd: 'pause', args: {}, initiator: 'system', expires_in_ms: 10_000 } as const
  server.send({ commands: [pause] })
  await event('PrintPaused')
  await arrives('Paused')
  server.send({ commands: [{ ...pause, id: ID.replace('7', '8'), cmd: 'resume' }] })
  await event('PrintResumed')
  expect(server.acks).toEqual([
    { id: ID, result: 'ok' },
    { id: ID.replace('7', '8'), result: 'ok' },
  ])
  expect(octoprint.calls).toEqual(['pause', 'resume'])
  expect(texts()).toEqual(expect.arrayContaining(['Printing', 'Pausing', 'Paused']))
})

test('a command that was held up on its way is refused, by the clock of its connection alone', async () => {
  await open()
  await printing()
  const pause = { id: ID, cmd: 'pause', args: {}, initiator: 'web', expires_in_ms: 10_000 } as const
  server.send({ remote_status: {}, sent_ms: 90_000 })
  server.send({ commands: [pause], sent_ms: 80_000 })
  await until('the answer', () => server.acks.length === 1)
  expect(server.acks[0]).toMatchObject({ id: ID, error: { code: 'expired' } })
  server.send({ commands: [{ ...pause, id: ID.replace('7', '8') }], sent_ms: 80_001 })
  await event('PrintPaused')
  expect(octoprint.calls).toEqual(['pause'])
})

test('a command nobody knows is answered', async () => {
  await open()
  await arrives('Operational')
  server.send(JSON.stringify({ commands: [{ id: ID, cmd: 'dance' }] }))
  await until('the answer', () => server.acks.length === 1)
  expect(server.acks[0]).toMatchObject({ id: ID, error: { code: 'unknown_command' } })
})

test('events of a time without a server come afterwards, in order and with their age', async () => {
  await open()
  await printing()
  const { port } = server
  await server.close()
  octoprint.finishPrint()
  await until('the end', () => log.lines.some(({ fields }) => JSON.stringify(fields).includes('PrintDone')))
  octoprint.startPrint('next.gcode')
  await until('the start', () => log.lines.some(({ fields }) => JSON.stringify(fields).includes('next.gcode')))
  await until('the loss', () => log.texts('info').some((text) => text.startsWith('waiting for the server')))
  server = await startFakeServer(port)
  for (let seconds = 0; server.connected() === 0; seconds += 1) {
    clock.advance(1_000)
    await new Promise(setImmediate)
  }
  await event('PrintStarted')
  expect(events().slice(0, 2)).toEqual(['PrintDone', 'PrintStarted'])
  const ages = server.messages.flatMap((message) => (message.event ? [message.event.age_ms ?? 0] : []))
  expect(Math.min(...ages)).toBeGreaterThanOrEqual(500)
  await arrives('Printing')
  expect(last()).not.toHaveProperty('event')
})

test('an event without an acknowledgement is sent again, under the same id', async () => {
  server.mood.acknowledges = false
  await open()
  await printing()
  clock.advance(31_000)
  await until('the repetition', () => server.eventIds.length === 2)
  server.dropAll()
  clock.advance(2_000)
  await until('another repetition', () => {
    clock.advance(500)
    return server.eventIds.length >= 3
  })
  expect(new Set(server.eventIds).size).toBe(1)
  server.mood.acknowledges = true
  clock.advance(31_000)
  await until('the last repetition', () => server.eventIds.length >= 4)
  await expect.poll(async () => (await stored()).outbox).toEqual([])
})

test('an agent that was killed mid-print goes on with the same print and tells no second start', async () => {
  await open()
  await printing()
  await expect.poll(async () => (await stored()).outbox).toEqual([])
  const after = await mkdtemp(join(tmpdir(), 'flow-'))
  await cp(folder, after, { recursive: true })
  await running[0]?.close()
  server.messages.length = 0
  clock.advance(60_000)

  await open({}, after)
  await arrives('Printing')
  expect(events()).toEqual([])
  expect(prints().size).toBe(1)
  octoprint.finishPrint()
  await event('PrintDone')
  await rm(after, { recursive: true, force: true })
})

test('an agent that was killed before its event was acknowledged sends it afterwards', async () => {
  server.mood.acknowledges = false
  await open()
  await printing()
  const [id] = server.eventIds
  await running[0]?.close()
  server.mood.acknowledges = true
  await open()
  await until('the event', () => server.eventIds.length === 2)
  expect(server.eventIds[1]).toBe(id)
})

test('a print that ended while the agent was away is ended, as it ended', async () => {
  await open()
  await printing()
  // Else the start, not acknowledged yet, would be told again.
  await expect.poll(async () => (await stored()).outbox).toEqual([])
  await running[0]?.close()
  octoprint.finishPrint()
  await open()
  await event('PrintDone')
  // One that is not acknowledged yet may be sent again, under its id.
  expect([...new Set(events())]).toEqual(['PrintStarted', 'PrintDone'])
  expect(new Set(server.eventIds).size).toBe(2)
  expect(prints().size).toBe(1)
})

test('OctoPrint killed mid-print: Offline under the running print, then failed once', async () => {
  await open()
  await printing()
  octoprint.progress(40)
  await octoprint.stop()
  await arrives('Offline')
  expect(last()?.current_print_ts).toBe([...prints()][0])
  expect(last()?.status).toMatchObject({ job: { file: { name: 'part.gcode' } } })
  expect(events()).toEqual(['PrintStarted'])

  await octoprint.restart()
  await until('the end', () => {
    clock.advance(1_000)
    return events().includes('PrintFailed')
  })
  await until('an idle message', () => {
    clock.advance(500)
    return last()?.current_print_ts === -1
  })
  expect(new Set(server.eventIds).size).toBe(2)
  expect(prints().size).toBe(1)
})

test('a host that is not there is waited for, in one line for all tries', async () => {
  await octoprint.stop()
  await open()
  await arrives('Offline')
  for (let n = 0; n < 40; n += 1) {
    clock.advance(1_000)
    await new Promise(setImmediate)
  }
  const lines = log.texts('info').filter((text) => text.startsWith('waiting for OctoPrint'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^waiting for OctoPrint at http:\S+ \(connection refused\), next try in \d+ s$/)
  await octoprint.restart()
  await until('the printer', () => {
    clock.advance(1_000)
    return last()?.status.state.text === 'Operational'
  })
  expect(log.texts('info')).toContain('connected to the printer host')
})

test('a server that is not there is waited for, in one line for all tries', async () => {
  const { port, url } = server
  await server.close()
  await open()
  await until('a failed try', () => log.texts('info').some((text) => text.startsWith('waiting for the server')))
  for (let n = 0; n < 20; n += 1) {
    clock.advance(1_000)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  expect(log.texts('info').filter((text) => text.startsWith('waiting for the server'))).toEqual([
    `waiting for the server at ${url} (connection refused), next try in 1 s`,
  ])
  server = await startFakeServer(port)
  await until('the connection', () => {
    clock.advance(1_000)
    return server.messages.length > 0
  })
})

test.each([
  { code: 4321, end: 'replaced' },
  { code: 4401, end: 'unauthorized' },
])('close code $code ends the printer as $end, and says why', async ({ code, end }) => {
  const printer = await open()
  await arrives('Operational')
  server.closeAll(code)
  expect(await printer.ended).toBe(end)
  expect(log.texts('error')).toHaveLength(1)
  clock.advance(600_000)
  expect(server.authorizations).toHaveLength(1)
})

test('while nothing happens, one message in half a minute; every two seconds while somebody looks on', async () => {
  await open()
  await arrives('Operational')
  await until('quiet', () => server.messages.some(({ settings }) => settings?.temperature !== undefined))
  const quiet = server.messages.length
  clock.advance(29_000)
  server.send({ remote_status: { viewing: true } })
  await until('attention', () => {
    clock.advance(1_000)
    return server.messages.length >= quiet + 3
  })
  expect(server.messages.length).toBeLessThan(quiet + 6)
})

test('an error of the server is logged, and so is what is no message', async () => {
  await open()
  await arrives('Operational')
  server.send({ error: { code: 'invalid_request', detail: 'no', path: 'status.state' } })
  server.send('rubbish')
  await until('the warnings', () => log.texts('warn').length === 2)
  expect(log.lines.find(({ level }) => level === 'warn')?.fields).toMatchObject({ path: 'status.state' })
})

test('a virtual printer with a generated camera sends pictures of its own print', async () => {
  await open({
    host: { host: 'virtual', duration: 60, heating: 1, rest: 10, repeat: false, autostart: true, seed: 3 },
    cameras: [
      {
        label: '',
        source: { type: 'generated' },
        primary: true,
        nozzle: false,
        change: { flipH: false, flipV: false, rotation: 0, maxSize: undefined },
        intervalMs: 500,
      },
    ],
  })
  await until('three pictures', () => {
    clock.advance(250)
    return server.pictures.length >= 3
  })
  expect(server.pictures[0]?.authorization).toBe(`Bearer ${TOKEN}`)
  const body = server.pictures[0]?.body.toString('latin1') ?? ''
  expect(body).toContain('name="pic"; filename="pic.jpg"')
  expect(body).toMatch(/name="is_primary_camera"\r\n\r\ntrue/)
  expect(body).toMatch(/name="age_ms"\r\n\r\n\d+/)
})

test('a damaged state file does not keep the agent from its work', async () => {
  await writeFile(join(folder, 'mk3.json'), '{"version":1,')
  await open()
  await arrives('Operational')
  expect(log.texts('warn')).toEqual(['the state file is damaged and was set aside'])
})
