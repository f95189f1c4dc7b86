import { describe, expect, test } from 'vitest'
import type { Frame } from '../frame.js'
import { fromAgent, type KnownFacts } from './from-agent.js'
import { awaiting, NEW_SESSION, type UpstreamSession } from './session.js'

const T = 1_795_253_153
const AT = T + 0.25
const known = (more: Partial<KnownFacts> = {}): KnownFacts => ({
  at: AT,
  running: undefined,
  agent: { agent_name: null, agent_version: null },
  ...more,
})
const RUNNING = { current_print_ts: T, filename: 'boat.gcode' }

const ALL_FLAGS = {
  ...{ operational: true, printing: false, cancelling: false, pausing: false, resuming: false },
  ...{ finishing: false, paused: false },
}
const state = (text: string, flags: object = {}) => ({ text, flags: { ...ALL_FLAGS, ...flags } })
const status = (more: object = {}) => ({ _ts: AT, state: state('Printing', { printing: true }), ...more })
const job = (file: object = {}) => ({
  file: { name: 'boat.gcode', path: 'boat.gcode', display: 'boat.gcode', ...file },
})

const read = (value: unknown, facts: KnownFacts = known(), session: UpstreamSession = NEW_SESSION) =>
  fromAgent(value, session, facts)
const messageOf = (frames: readonly Frame[]) => {
  const found = frames.find(({ type }) => type === 'status')
  if (found?.type !== 'status') throw new Error('no status was read')
  return found.message
}

describe('what a message departs in is forgiven and named', () => {
  test.each([
    { name: 'as the contract has it', raw: { current_print_ts: -1, status: status() }, kinds: [] },
    { name: 'no print start', raw: { status: status() }, kinds: ['print_ts_left_out'] },
    { name: 'a null for it', raw: { current_print_ts: null, status: status() }, kinds: ['print_ts_left_out'] },
    {
      name: 'no _ts',
      raw: { current_print_ts: -1, status: { state: state('Operational') } },
      kinds: ['ts_left_out'],
      to: { _ts: AT },
    },
    {
      name: 'flags that are left out',
      raw: { current_print_ts: -1, status: status({ state: { text: 'Operational', flags: { operational: true } } }) },
      kinds: [
        ...['flags.printing_left_out', 'flags.cancelling_left_out', 'flags.pausing_left_out'],
        ...['flags.resuming_left_out', 'flags.finishing_left_out', 'flags.paused_left_out'],
      ],
      to: { state: { text: 'Operational', flags: ALL_FLAGS } },
    },
    {
      name: 'a text whose flag is not set',
      raw: { current_print_ts: -1, status: status({ state: state('Cancelling') }) },
      kinds: ['flag_below_text'],
      to: { state: { text: 'Cancelling', flags: { ...ALL_FLAGS, cancelling: true } } },
    },
    {
      name: 'a text of the host, with a printer that prints',
      raw: { current_print_ts: -1, status: status({ state: state('Starting', { printing: true }) }) },
      kinds: ['state_text_other'],
      to: { state: { text: 'Printing', host_text: 'Starting' } },
    },
    {
      name: 'a text of the host, with a printer that is not there',
      raw: {
        current_print_ts: -1,
        status: status({ state: state('Opening serial connection', { operational: false }) }),
      },
      kinds: ['state_text_other'],
      to: { state: { text: 'Offline', host_text: 'Opening serial connection' } },
    },
    {
      name: 'no state at all',
      raw: { current_print_ts: -1, status: { _ts: AT, state: null, currentZ: 1 } },
      kinds: ['state_left_out'],
      to: { state: { text: 'Offline' }, currentZ: 1 },
    },
    {
      name: 'a job without a file name',
      raw: { current_print_ts: -1, status: status({ job: job({ name: null, path: null, display: null }) }) },
      kinds: ['file_unnamed'],
      without: ['job'],
    },
    {
      name: 'nulls',
      raw: { current_print_ts: -1, status: status({ currentZ: null, display_status: { message: null } }) },
      kinds: ['null_value'],
      to: { display_status: {} },
      without: ['currentZ'],
    },
    {
      name: 'nulls where the contract has them too',
      raw: {
        current_print_ts: -1,
        status: status({ progress: { completion: null }, temperatures: { chamber: { actual: 21, target: null } } }),
      },
      kinds: [],
      to: { progress: { completion: null }, temperatures: { chamber: { actual: 21, target: null } } },
    },
    {
      name: 'heaters by other names',
      raw: {
        current_print_ts: -1,
        status: status({ temperatures: { heater_bed: { actual: 60, target: 60, offset: 0 } } }),
      },
      kinds: ['heater_names'],
      to: { temperatures: { heater_bed: { actual: 60, target: 60, offset: 0 } } },
    },
    {
      name: 'a value of another type: the rest counts',
      raw: { current_print_ts: -1, status: status({ currentZ: 'high', currentLayerHeight: 3 }) },
      kinds: ['wrong_type'],
      to: { currentLayerHeight: 3 },
      without: ['currentZ'],
    },
    {
      name: 'an event that nobody knows',
      raw: { current_print_ts: -1, status: status(), event: { event_type: 'PrinterStateChanged' } },
      kinds: ['event_unknown'],
    },
    {
      name: 'the names of old agents',
      raw: {
        current_print_ts: T,
        octoprint_data: status({ job: job() }),
        octoprint_event: { event_type: 'PrintStarted' },
        octoprint_settings: { agent: { name: 'octoprint_obico', version: '2.1.2' } },
        tsd_gcode_file_id: 5,
      },
      kinds: ['legacy_names', 'legacy_file_id'],
      to: { job: { file: { service_g_code_file_id: 5 } } },
    },
  ])('$name', ({ raw, kinds, to = {}, without = [] }) => {
    const { frames, deviations } = read(raw)
    expect(deviations).toEqual(kinds)
    const { status: told } = messageOf(frames)
    expect(told).toMatchObject(to)
    // As JSON shows it: fields are emptied, not taken out.
    for (const key of without) expect(JSON.parse(JSON.stringify(told))).not.toHaveProperty(key)
  })

  test.each([
    { name: 'a text', raw: 'hello' },
    { name: 'a list', raw: [1] },
    { name: 'null', raw: null },
    { name: 'nothing that was ever JSON', raw: undefined },
    { name: 'a passthru that is none', raw: { passthru: 7 } },
  ])('$name cannot be read, and says nothing', ({ raw }) => {
    expect(read(raw)).toEqual({ frames: [], deviations: ['unreadable'], session: NEW_SESSION })
  })

  test.each(['http.tunnelv2', 'ws.tunnel', 'http.tunnel'])('%s is an answer to what was never asked', (key) => {
    expect(read({ [key]: { ref: 'a' } })).toEqual({ frames: [], deviations: [], session: NEW_SESSION })
  })
})

describe('settings', () => {
  test.each([
    { name: 'nothing at all', raw: {}, frame: { type: 'no_status' }, kinds: ['empty_message'] },
    {
      name: 'settings alone',
      raw: { settings: { webcams: null, data_channel_id: null, agent: { name: 'moonraker_obico', version: '2.1.4' } } },
      frame: { type: 'no_status', settings: { agent: { name: 'moonraker_service', version: '2.1.4' } } },
      kinds: ['null_value', 'status_left_out'],
    },
    {
      name: 'one camera of an old agent',
      raw: { settings: { agent: { name: 'a', version: '1' }, webcam: { flipV: true, rotate90: true } } },
      frame: {
        type: 'no_status',
        settings: {
          webcams: [{ name: 'Camera', stream_id: 0, flipV: true, rotate90: true, rotation: 270 }],
          agent: { name: 'a', version: '1' },
        },
      },
      kinds: ['legacy_webcam', 'status_left_out'],
    },
    {
      name: 'an agent that does not say who it is stays who it was',
      raw: { settings: { octoprint_version: '1.9', tsd_plugin_version: '1.8' } },
      frame: {
        type: 'no_status',
        settings: { octoprint_version: '1.9', service_plugin_version: '1.8', agent: { name: 'mine', version: '7' } },
      },
      kinds: ['agent_unnamed', 'status_left_out'],
    },
    {
      name: 'cameras that are none are left out',
      raw: { settings: { agent: { name: 'a', version: '1' }, webcams: [{ name: 3 }] } },
      frame: { type: 'no_status', settings: { agent: { name: 'a', version: '1' } } },
      kinds: ['status_left_out', 'wrong_type'],
    },
  ])('$name', ({ raw, frame, kinds }) => {
    const { frames, deviations } = read(raw, known({ agent: { agent_name: 'mine', agent_version: '7' } }))
    expect(frames).toEqual([frame])
    expect(deviations).toEqual(kinds)
  })
})

describe('which print a message is about', () => {
  const named = (current_print_ts: number | null, name = 'boat.gcode') => ({
    current_print_ts,
    status: status({ job: job({ name }) }),
  })

  test.each([
    { name: 'the running one', told: named(T), is: T },
    { name: 'none', told: named(-1), is: -1 },
    { name: 'unknown: the running one goes on', told: named(null), is: T },
    { name: 'zero is unknown too', told: named(0), is: T },
    { name: '19 s later, same file: the running one', told: named(T + 19), is: T },
    { name: '20 s later, same file: the running one', told: named(T + 20), is: T },
    { name: '21 s later, same file: another', told: named(T + 21), is: T + 21 },
    { name: '19 s earlier, same file: the running one', told: named(T - 19), is: T },
    { name: '20 s earlier, same file: another', told: named(T - 20), is: T - 20 },
    { name: '5 s later, another file: another', told: named(T + 5, 'cube.gcode'), is: T + 5 },
  ])('$name', ({ told, is }) => {
    expect(messageOf(read(told, known({ running: RUNNING })).frames).current_print_ts).toBe(is)
  })

  test('the other start time is remembered after the end of the print', () => {
    const first = read(named(T + 7), known({ running: RUNNING }))
    expect(first.deviations).toEqual(['print_ts_changed'])
    const after = read(named(T + 7), known(), first.session)
    expect(messageOf(after.frames).current_print_ts).toBe(T)
  })

  test('a print whose file is not known yet has not begun; its events count all the same', () => {
    const raw = { current_print_ts: T, status: status() }
    expect(messageOf(read(raw).frames).current_print_ts).toBe(-1)
    const withEvent = { ...raw, event: { event_type: 'PrintDone', data: { name: 'boat.gcode' } } }
    expect(messageOf(read(withEvent).frames)).toMatchObject({ current_print_ts: T, event: { event_type: 'PrintDone' } })
  })

  test('ids and ages of events are of our own protocol', () => {
    const event = { event_type: 'PrintDone', id: 'x', age_ms: -5, data: { name: 'a' } }
    expect(messageOf(read({ current_print_ts: T, status: status(), event }).frames).event).toEqual({
      event_type: 'PrintDone',
      data: { name: 'a' },
    })
  })

  test('an event without a status tells of the print, and the printer is offline', () => {
    const { frames } = read({ current_print_ts: T, event: { event_type: 'PrintFailed' } }, known({ running: RUNNING }))
    expect(frames.map(({ type }) => type)).toEqual(['status', 'no_status'])
    expect(messageOf(frames)).toMatchObject({
      event: { event_type: 'PrintFailed' },
      status: { state: { text: 'Offline' } },
    })
  })

  test('a failure after a cancel is noted', () => {
    const end = (event_type: string) => ({ current_print_ts: T, status: status(), event: { event_type } })
    const cancelled = read(end('PrintCancelled'), known({ running: RUNNING }))
    expect(read(end('PrintFailed'), known({ running: RUNNING }), cancelled.session).deviations).toEqual([
      'failed_after_cancel',
    ])
    expect(read(end('PrintFailed'), known({ running: RUNNING })).deviations).toEqual([])
  })
})

test.each([
  { name: 'with a status', raw: { current_print_ts: T, status: status({ job: job() }) }, types: ['status'] },
  { name: 'alone', raw: { current_print_ts: T }, types: ['no_status'] },
])('a change of filament $name is told, and is no event of the print', ({ raw, types }) => {
  for (const name of ['event', 'octoprint_event']) {
    const { frames, deviations } = read({ ...raw, [name]: { event_type: 'FilamentChange', data: null } })
    expect(frames.map(({ type }) => type)).toEqual([...types, 'filament_change'])
    expect(frames.some((frame) => frame.type === 'status' && frame.message.event !== undefined)).toBe(false)
    expect(deviations).not.toContain('event_unknown')
  }
})

describe('answers to commands', () => {
  const id = 'a1b2c3d4-0000-4000-8000-000000000001'
  const typesOf = (frames: readonly Frame[]) => frames.map(({ type }) => type)

  test.each([
    { cmd: 'pause', flags: { printing: true, pausing: true }, answers: true },
    { cmd: 'pause', flags: { paused: true }, answers: true },
    { cmd: 'pause', flags: { printing: true }, answers: false },
    { cmd: 'resume', flags: { printing: true }, answers: true },
    { cmd: 'resume', flags: { paused: true }, answers: false },
    { cmd: 'resume', flags: { printing: true, pausing: true }, answers: false },
    { cmd: 'cancel', flags: { printing: true, cancelling: true }, answers: true },
    { cmd: 'cancel', flags: {}, answers: true },
    { cmd: 'cancel', flags: { printing: true }, answers: false },
    { cmd: 'cancel', flags: { operational: false }, answers: false },
  ] as const)('$cmd and $flags: $answers', ({ cmd, flags, answers }) => {
    const raw = { current_print_ts: -1, status: status({ state: state('Printing', flags) }) }
    const { frames, session } = read(raw, known(), awaiting(NEW_SESSION, { id, cmd }))
    expect(typesOf(frames)).toEqual(answers ? ['command_ack', 'status'] : ['status'])
    expect(session.awaited).toHaveLength(answers ? 0 : 1)
  })

  test.each([
    { reply: { ret: { target_path: 'a.gcode' } }, ack: { id, result: { target_path: 'a.gcode' } } },
    { reply: { error: 'Printer busy!' }, ack: { id, error: { code: 'rejected', detail: 'Printer busy!' } } },
    { reply: { ret: { error: 'no' } }, ack: { id, error: { code: 'rejected', detail: 'no' } } },
    {
      reply: { error: { deep: 1 } },
      ack: { id, error: { code: 'rejected', detail: 'The agent did not take the file.' } },
    },
  ])('a download is answered by $reply', ({ reply, ack }) => {
    const waiting = awaiting(NEW_SESSION, { id, cmd: 'print', ref: 'r' })
    const { frames, session } = read({ passthru: { ref: 'r', ...reply } }, known(), waiting)
    expect(frames).toEqual([{ type: 'command_ack', ack }])
    expect(session.awaited).toEqual([])
    const another = read({ passthru: { ref: 'other', ...reply } }, known(), waiting)
    expect(typesOf(another.frames)).toEqual(['relay'])
  })

  test('only so many are waited for', () => {
    let session = NEW_SESSION
    for (let count = 0; count < 100; count += 1) session = awaiting(session, { id, cmd: 'pause' })
    expect(session.awaited).toHaveLength(16)
  })
})
