import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentCommand, CommandAck } from '@printwarden/protocol'
import { afterEach, expect, test } from 'vitest'
import { CameraError } from '../camera.js'
import { CommandFlow } from './command-flow.js'
import { fakeClock } from '../time/fake-clock.js'
import { fakeLog } from '../log/fake-log.js'
import { HostError, type PrinterHost } from '../host.js'
import { until } from '../testing.js'

const id = (n: number) => `7b0d4c0e-51f6-4b0a-9c1e-0d7f6c3d2b1${n}`
const command = (n: number, cmd: AgentCommand['cmd'], args: object = {}, expires_in_ms = 10_000): AgentCommand => ({
  id: id(n),
  cmd,
  args: { ...args },
  initiator: 'api',
  expires_in_ms,
})

function rig(host: Partial<PrinterHost> = {}) {
  const clock = fakeClock()
  const calls: string[] = []
  const acks: CommandAck['ack'][] = []
  const downloads: unknown[] = []
  const state = { isIdle: true, isGivenUp: false }
  const flow = new CommandFlow({
    host: {
      pause: async (args) => void calls.push(`pause ${JSON.stringify(args)}`),
      resume: async () => void calls.push('resume'),
      cancel: async () => void calls.push('cancel'),
      print: async ({ path, name }) => {
        calls.push(`print ${name}: ${readFileSync(path, 'utf8')}`)
        return `stored/${name}`
      },
      close: async () => undefined,
      ...host,
    },
    takePictures: async () => void calls.push('snapshot'),
    onDownload: (isRunning, file) => downloads.push([isRunning, ...(file ? [file] : [])]),
    isIdle: () => state.isIdle,
    answer: ({ ack }) => acks.push(ack),
    isGivenUp: () => state.isGivenUp,
    downloadFolder: join(tmpdir(), 'printwarden-command-flow-test'),
    clock,
    random: () => 0,
    log: fakeLog(),
  })
  return {
    flow,
    clock,
    calls,
    acks,
    downloads,
    state,
    answered: (count: number) => until('answers', () => acks.length === count),
  }
}

test.each([
  { cmd: 'pause', args: { retract: 6.5, lift_z: 2.5 }, call: 'pause {"retract":6.5,"lift_z":2.5}' },
  { cmd: 'resume', args: {}, call: 'resume' },
  { cmd: 'cancel', args: {}, call: 'cancel' },
  { cmd: 'snapshot', args: {}, call: 'snapshot' },
] as const)('$cmd is carried out and answered', async ({ cmd, args, call }) => {
  const { flow, calls, acks, answered } = rig()
  flow.receive(command(1, cmd, args))
  await answered(1)
  expect(calls).toEqual([call])
  expect(acks).toEqual([{ id: id(1), result: 'ok' }])
})

/** A host command that lasts until the test ends it. */
function lasting() {
  let finish: () => void = () => undefined
  let isRunning = false
  const run = () =>
    new Promise<void>((resolve) => {
      isRunning = true
      finish = resolve
    })
  return { run, isRunning: () => isRunning, finish: () => finish() }
}

test('commands are carried out one after another', async () => {
  const pause = lasting()
  const { flow, calls, answered } = rig({ pause: pause.run })
  flow.receive(command(1, 'pause'))
  flow.receive(command(2, 'resume'))
  await until('the start of the pause', pause.isRunning)
  expect(calls).toEqual([])
  pause.finish()
  await answered(2)
  expect(calls).toEqual(['resume'])
})

test('a repeated command is carried out once and answered each time', async () => {
  const { flow, calls, acks, answered } = rig()
  flow.receive(command(1, 'pause'))
  flow.receive(command(1, 'pause'))
  await answered(1)
  flow.receive(command(1, 'pause'))
  await answered(2)
  expect(calls).toHaveLength(1)
  expect(acks[1]).toEqual(acks[0])
})

test('a command whose time has run out while it waited is not carried out', async () => {
  const cancel = lasting()
  const { flow, clock, calls, acks, answered } = rig({ cancel: cancel.run })
  flow.receive(command(1, 'cancel'))
  flow.receive(command(2, 'resume', {}, 5_000))
  await until('the start of the cancel', cancel.isRunning)
  clock.advance(5_000)
  cancel.finish()
  await answered(2)
  expect(calls).toEqual([])
  expect(acks[1]).toMatchObject({ id: id(2), error: { code: 'expired' } })
})

test.each([
  { name: 'a host out of reach', error: new HostError('unreachable', 'gone'), code: 'unreachable' },
  { name: 'no print', error: new HostError('not_printing', 'idle'), code: 'not_printing' },
  { name: 'a camera without a picture', error: new CameraError('dark'), code: 'no_picture' },
  { name: 'a defect', error: new TypeError('secret internals'), code: 'internal' },
])('$name is answered with a code', async ({ error, code }) => {
  const { flow, acks, answered } = rig({ resume: () => Promise.reject(error) })
  flow.receive(command(1, 'resume'))
  await answered(1)
  expect(acks[0]?.error?.code).toBe(code)
  expect(JSON.stringify(acks)).not.toContain('secret internals')
})

test('arguments that are wrong are answered and not handed on', async () => {
  const { flow, calls, acks, answered } = rig()
  flow.receive(command(1, 'pause', { retract: 'a lot' }))
  await answered(1)
  expect(acks[0]?.error).toMatchObject({ code: 'rejected', detail: expect.stringContaining('retract') })
  expect(calls).toEqual([])
})

const GCODE = 'G28\nG1 X1\n'
const http = createServer((request, response) => {
  if (request.url === '/hangs') return
  if (request.url === '/missing') response.writeHead(404)
  response.end(request.url === '/long' ? `${GCODE}more` : GCODE)
})
afterEach(() => {
  http.closeAllConnections()
  http.close()
})

async function fileArgs(path: string, change: object = {}) {
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const sha256 = createHash('sha256').update(GCODE).digest('hex')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`
  return { g_code_file_id: 7, filename: 'part.gcode', num_bytes: GCODE.length, sha256, url, ...change }
}

test('a stored file is fetched, checked, printed and removed', async () => {
  let path = ''
  const { flow, acks, downloads, answered } = rig({
    print: async (file) => {
      path = file.path
      expect(readFileSync(path, 'utf8')).toBe(GCODE)
      return `stored/${file.name}`
    },
  })
  flow.receive(command(1, 'print', await fileArgs('/file')))
  await answered(1)
  expect(acks[0]).toEqual({ id: id(1), result: 'ok' })
  expect(existsSync(path)).toBe(false)
  expect(downloads).toEqual([
    [true],
    [true, { id: 7, path: 'part.gcode' }],
    [true, { id: 7, path: 'stored/part.gcode' }],
    [false],
  ])
})

test.each([
  { name: 'a file with another hash', path: '/file', change: { sha256: 'ab' }, says: 'hash' },
  { name: 'a file that is too long', path: '/long', change: {}, says: 'larger than announced' },
  { name: 'a file that is too short', path: '/file', change: { num_bytes: 500 }, says: '10 bytes instead of 500' },
  { name: 'a file that is gone', path: '/missing', change: {}, says: 'the server answers 404' },
  {
    name: 'a file that cannot be fetched',
    path: '/file',
    change: { url: 'http://127.0.0.1:9/x' },
    says: 'connection refused',
  },
])('$name is not printed', async ({ path, change, says }) => {
  const { flow, calls, acks, downloads, clock } = rig()
  flow.receive(command(1, 'print', await fileArgs(path, change)))
  await until('the answer', () => {
    clock.advance(1000)
    return acks.length === 1
  })
  expect(acks[0]?.error).toMatchObject({ code: 'download_failed', detail: expect.stringContaining(says) })
  expect(calls).toEqual([])
  expect(downloads.at(-1)).toEqual([false])
})

test.each([
  { name: 'a host that can', host: { connectPrinter: async () => undefined }, error: undefined },
  { name: 'a host that does so by itself', host: {}, error: 'rejected' },
])('connect: $name', async ({ host, error }) => {
  const { flow, acks, answered } = rig(host)
  flow.receive(command(1, 'connect'))
  await answered(1)
  expect(acks[0]?.error?.code).toBe(error)
})

test('a command that was under way for longer than it may wait is refused', async () => {
  const { flow, calls, acks, answered } = rig()
  flow.receive(command(1, 'pause', {}, 10_000), 10_000)
  flow.receive(command(2, 'resume', {}, 10_000), 9_999)
  await answered(2)
  expect(acks.map(({ error }) => error?.code)).toEqual(['expired', undefined])
  expect(calls).toEqual(['resume'])
})

test('a print that nobody waits for any more is not begun', async () => {
  const { flow, calls, acks, state, answered } = rig()
  state.isGivenUp = true
  flow.receive(command(1, 'print', await fileArgs('/file')))
  await answered(1)
  expect(acks[0]?.error?.detail).toContain('out of reach for too long')
  expect(calls).toEqual([])
})

test('a busy printer is not given another file', async () => {
  const { flow, acks, state, answered } = rig()
  state.isIdle = false
  flow.receive(command(1, 'print', await fileArgs('/file')))
  await answered(1)
  expect(acks[0]?.error?.code).toBe('rejected')
})

test.each([
  { cmd: 'emergency_stop', args: {} },
  { cmd: 'restart_firmware', args: {} },
  { cmd: 'exclude_object', args: { name: 'cube' } },
  { cmd: 'answer_prompt', args: { prompt_id: 'q', choice: 0 } },
  { cmd: 'list_files', args: {} },
  { cmd: 'print_file', args: { path: 'a.gcode' } },
] as const)('$cmd of a host that cannot is refused', async ({ cmd, args }) => {
  const { flow, acks, answered } = rig()
  flow.receive(command(1, cmd, args))
  await answered(1)
  expect(acks[0]?.error?.code).toBe('unsupported')
})

test('a host that can gets what it is about, and answers it', async () => {
  const told: unknown[] = []
  const { flow, acks, answered } = rig({
    excludeObject: async (name) => void told.push(name),
    answerPrompt: async (promptId, choice) => void told.push([promptId, choice]),
    printOwn: async (path, origin) => void told.push([path, origin]),
    listFiles: async () => [{ path: 'a.gcode', origin: 'local', size: 1, date: 2 }],
  })
  flow.receive(command(1, 'exclude_object', { name: 'cube' }))
  flow.receive(command(2, 'answer_prompt', { prompt_id: 'q', choice: 1 }))
  flow.receive(command(3, 'print_file', { path: 'a.gcode', origin: 'sdcard' }))
  flow.receive(command(4, 'list_files'))
  await answered(4)
  expect(told).toEqual(['cube', ['q', 1], ['a.gcode', 'sdcard']])
  expect(acks.map(({ result }) => result)).toEqual([
    ...['ok', 'ok', 'ok'],
    { files: [{ path: 'a.gcode', origin: 'local', size: 1, date: 2 }], is_cut: false },
  ])
})

test.each([
  { name: 'no arguments', args: {} },
  { name: 'a path that leaves its folder', args: { path: '../../api/connection' } },
  { name: 'a path with a line of G-code', args: { path: 'a.gcode\nM112' } },
])('print_file: $name', async ({ args }) => {
  const told: string[] = []
  const { flow, acks, answered } = rig({ printOwn: async (path) => void told.push(path) })
  flow.receive(command(1, 'print_file', args))
  await answered(1)
  expect([acks[0]?.error?.code, told]).toEqual(['rejected', []])
})

test('a file of its own is not printed by a busy printer', async () => {
  const told: string[] = []
  const { flow, acks, state, answered } = rig({ printOwn: async (path) => void told.push(path) })
  state.isIdle = false
  flow.receive(command(1, 'print_file', { path: 'a.gcode' }))
  await answered(1)
  expect([acks[0]?.error?.code, told]).toEqual(['rejected', []])
})

test('an emergency stop waits for nothing, and nothing from before it is begun after it', async () => {
  const pause = lasting()
  const told: string[] = []
  const { flow, calls, acks, answered } = rig({ pause: pause.run, emergencyStop: async () => void told.push('stop') })
  flow.receive(command(1, 'pause'))
  flow.receive(command(2, 'resume'))
  await until('the start of the pause', pause.isRunning)
  flow.receive(command(3, 'emergency_stop'))
  await answered(1)
  expect(told).toEqual(['stop'])
  flow.receive(command(4, 'cancel'))
  pause.finish()
  await answered(4)
  expect(calls).toEqual(['cancel'])
  expect(acks.find((ack) => ack.id === id(2))?.error?.code).toBe('stopped')
  expect(acks.find((ack) => ack.id === id(4))?.result).toBe('ok')
})

test('an emergency stop breaks off a download, and its file is not printed', async () => {
  const url = await fileArgs('/hangs')
  const { flow, calls, acks, answered, downloads } = rig({ emergencyStop: async () => undefined })
  flow.receive(command(1, 'print', url))
  await until('the download', () => downloads.length > 0)
  flow.receive(command(2, 'emergency_stop'))
  await answered(2)
  expect(acks.find((ack) => ack.id === id(1))?.error?.code).toBe('stopped')
  expect(calls).toEqual([])
  expect(downloads.at(-1)).toEqual([false])
})

test('an emergency stop that came too late stops nothing', async () => {
  const cancel = lasting()
  const told: string[] = []
  const { flow, calls, acks, answered } = rig({ cancel: cancel.run, emergencyStop: async () => void told.push('stop') })
  flow.receive(command(1, 'cancel'))
  flow.receive(command(2, 'resume'))
  await until('the start of the cancel', cancel.isRunning)
  flow.receive(command(3, 'emergency_stop', {}, 5_000), 5_000)
  await answered(1)
  cancel.finish()
  await answered(3)
  expect(told).toEqual([])
  expect(acks[0]?.error?.code).toBe('expired')
  expect(calls).toEqual(['resume'])
})
