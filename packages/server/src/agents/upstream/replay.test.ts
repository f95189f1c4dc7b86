import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RecordedAgent } from './fake-recorded-agent.js'

// The checklists of the wire facts, sections 8.1 and 8.2, row by row, on what two recorded conversations left behind. Moments are
// seconds of the recording; linking is in http/upstream-paths.test.ts and agents/linking-*.test.ts.

type Json = Record<string, unknown>

let agent: RecordedAgent

/** Prints as [file, started, finished, cancelled, failed, stored file], in seconds of the recording. */
async function prints(): Promise<unknown[]> {
  const second = (value: unknown): number | null =>
    typeof value === 'string' ? (Date.parse(value) - agent.at(0)) / 1000 : null
  return (await agent.prints()).map((print) => [
    print['filename'],
    ...['started_at', 'finished_at', 'cancelled_at', 'failed_at'].map((name) => second(print[name])),
    (print['g_code_file'] as Json | null)?.['id'],
  ])
}

const look = (t: number): Json => agent.looks.get(t) ?? {}
const told = (key: string): unknown[] => agent.told.flatMap((frame) => (key in frame ? [frame[key]] : []))
const command = (cmd: string, args: Json): unknown => [{ cmd, args, initiator: 'api' }]
const PAUSE_ARGS = { retract: 6.5, lift_z: 2.5, tools_off: true }

/** What an app is told of what was forgiven, by kind. */
async function deviations(): Promise<Record<string, number>> {
  const { json } = await agent.server.call('GET', `/api/v1/printers/${agent.printerId}/deviations/`)
  const views = json as { kind: string; count: number }[]
  return Object.fromEntries(views.map(({ kind, count }) => [kind, count]))
}

const DOWNLOAD = {
  target: 'file_downloader',
  func: 'download',
  args: [
    {
      id: expect.any(Number),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/media\/.*signature=/),
      filename: 'From Cloud.gcode',
      safe_filename: 'From_Cloud.gcode',
    },
  ],
  ref: expect.any(String),
}

describe('a recorded Moonraker agent (section 8.1)', () => {
  beforeAll(async () => {
    agent = await RecordedAgent.replay(
      'moonraker',
      [0.667, 1.768, 70.47, 84.281, 85.616, 87.819, 102.631, 119.446, 120.58, 132.404, 162.745],
    )
  })
  afterAll(() => agent.close())

  test('validate: its printer has an id and is_pro', () => {
    expect(agent.replies.get('GET /api/v1/octo/printer/')).toMatchObject({
      printer: { id: agent.printerId, is_pro: true },
    })
  })

  test('go online: remote_status has both keys at once; {} and settings alone show no printer; the first status does', () => {
    expect(agent.told[0]).toEqual({ remote_status: { viewing: false, should_watch: false } })
    expect(look(0.667)).toMatchObject({ status: null, agent_name: 'moonraker_service', agent_version: '2.1.4' })
    expect(look(1.768)).toMatchObject({
      status: { state: { text: 'Operational', flags: { resuming: false, finishing: false } } },
    })
  })

  test('show settings: they stay, whatever a later message leaves out; null cameras are none', () => {
    expect((look(0.667)['settings'] as Json)['webcams']).toBeUndefined()
    expect(look(70.47)['settings']).toMatchObject({
      webcams: [{ is_primary_camera: true, stream_mode: 'mjpeg_webrtc' }],
      data_channel_id: '389',
      platform_uname: expect.stringContaining('"Linux"'),
    })
  })

  test('picture: it is shown, and a look at the printer asks for one', () => {
    expect(look(102.631)['pic']).toMatchObject({ img_url: expect.any(String) })
    expect(told('remote_status')).toContainEqual({ viewing: true })
  })

  test('start a print: by the time of its arrival, with the file that the agent registered', () => {
    expect(look(70.47)['current_print']).toMatchObject({
      filename: 'moon.gcode',
      started_at: agent.iso(70.47),
      g_code_file: { filename: 'moon.gcode' },
    })
  })

  test('run: the running print is worth watching', () => {
    expect(told('remote_status')).toContainEqual({ viewing: true, should_watch: true })
  })

  test('pause, resume, cancel: the agent gets only what it understands, and its state is the answer', async () => {
    expect(told('commands')).toEqual([command('pause', PAUSE_ARGS), command('resume', {}), command('cancel', {})])
    expect(look(84.281)).toMatchObject({
      status: { state: { text: 'Pausing', flags: { pausing: true, printing: false } } },
    })
    expect(look(85.616)).toMatchObject({ status: { state: { text: 'Paused' } } })
    expect(look(87.819)).toMatchObject({
      status: { state: { text: 'Printing', host_text: 'Resuming', flags: { resuming: true } } },
    })
    expect(await agent.commands()).toEqual([
      ['pause', 'done', 84_281, 85_616],
      ['resume', 'done', 87_819, 88_828],
      ['cancel', 'done', 111_909, 117_230],
      ['print', 'done', 119_446, 121_076],
    ])
  })

  test('finish, cancel, and a print that was lost with its board: ends and times', async () => {
    const file = agent.replies.get('POST /api/v1/octo/g_code_files/')?.['id']
    expect(await prints()).toEqual([
      ['moon.gcode', 70.47, 102.631, null, null, expect.any(Number)],
      ['moon.gcode', 107.189, null, 116.438, null, expect.any(Number)],
      ['From_Cloud.gcode', 120.58, null, null, null, agent.storedFileId],
    ])
    expect(file).toEqual(expect.any(Number))
  })

  test('the history tells each thing once, with who asked for it', async () => {
    expect(await agent.events()).toEqual([
      'PRINTER_ERROR 1766',
      'STARTED 70470',
      'PAUSED 85563 app',
      'RESUMED 88577 app',
      'PAUSED 97612 printer',
      'RESUMED 99619 printer',
      'ENDED 102631',
      'STARTED 107189',
      'ENDED 116438 app',
      'STARTED 120580',
      'PRINTER_ERROR 123318',
    ])
  })

  test('send G-code: the agent is told where to fetch it without a credential, and its reply is the answer', async () => {
    expect(told('passthru')).toContainEqual(DOWNLOAD)
    const [{ args }] = told('passthru').filter((frame) => (frame as Json)['func'] === 'download') as [
      { args: [{ url: string }] },
    ]
    expect(await (await fetch(args[0].url)).text()).toBe('G28\nG1 X10\n')
    expect(look(119.446)).toMatchObject({ status: { state: { text: 'G-Code Downloading' } } })
  })

  test('printer unplugged: it shows offline, and the print stays open, across a new connection too', () => {
    expect(look(132.404)).toMatchObject({ status: null, current_print: { filename: 'From_Cloud.gcode' } })
    expect(look(162.745)).toMatchObject({
      status: { state: { text: 'Operational' } },
      current_print: { filename: 'From_Cloud.gcode' },
    })
  })

  test('what it passes on reaches whoever listens, as it is', () => {
    expect(agent.heard).toContainEqual({ ref: 'r3', ret: { result: 'ok' } })
    expect(agent.heard).toContainEqual({ ref: 'r2', error: expect.any(String) })
    expect(agent.heard.filter((message) => 'terminal_feed' in message)).toHaveLength(10)
  })

  test('what is forgiven of it is counted, and told with words', async () => {
    expect(await deviations()).toEqual({
      ...{ null_value: 25, 'flags.finishing_left_out': 23, 'flags.resuming_left_out': 23, heater_names: 23 },
      ...{ empty_message: 9, file_unnamed: 5, flag_below_text: 5, state_text_other: 2, status_left_out: 2 },
      ...{ binary_message: 1, failed_after_cancel: 1 },
    })
    const { json } = await agent.server.call('GET', `/api/v1/printers/${agent.printerId}/deviations/`)
    expect(json).toContainEqual({
      kind: 'empty_message',
      detail: 'It sends messages with nothing in them; the printer counts as offline until the next status.',
      count: 9,
      first_seen_at: agent.iso(0.666),
      last_seen_at: agent.iso(132.404),
    })
  })

  test('it is told to the owner alone', async () => {
    const path = `/api/v1/printers/${agent.printerId}/deviations/`
    expect((await agent.server.call('GET', path, { token: agent.server.other.token })).status).toBe(404)
    expect((await agent.server.call('GET', path, { token: null })).status).toBe(401)
  })
})

describe('a recorded OctoPrint agent (section 8.2)', () => {
  beforeAll(async () => {
    agent = await RecordedAgent.replay(
      'octoprint',
      [20.342, 65.129, 72.163, 112.339, 126.783, 126.801, 131.779, 131.8, 148.424],
    )
  })
  afterAll(() => agent.close())

  test('validate: its printer has an id', () => {
    expect(agent.replies.get('GET /api/v1/octo/printer/')).toMatchObject({ printer: { id: agent.printerId } })
  })

  test('go online: a burst of queued statuses leaves the newest, and settings outlive a connection', () => {
    expect(look(20.342)).toMatchObject({
      status: { _ts: 1_795_252_842 },
      agent_name: 'octoprint_service',
      agent_version: '2.6.1',
    })
    expect(look(148.424)['settings']).toMatchObject({
      octoprint_version: '1.11.8',
      temp_profiles: [{ name: 'ABS' }, { name: 'PLA' }],
    })
  })

  test('picture: without camera fields it is the primary one', () => {
    expect(look(65.129)['pic']).toBeNull()
    expect(look(72.163)['pic']).toMatchObject({ img_url: expect.any(String) })
  })

  test('start a print: once, among the noise around it', () => {
    expect(look(65.129)['current_print']).toMatchObject({ filename: 'job40.gcode', started_at: agent.iso(65.129) })
  })

  test('pause: arguments are an object with nothing unknown in it', () => {
    expect(told('commands')[0]).toEqual(command('pause', PAUSE_ARGS))
    expect(look(112.339)).toMatchObject({
      status: { state: { text: 'Printing', host_text: 'Finishing', flags: { finishing: true } } },
    })
  })

  test('a fault of the host is a state of ours, with its own words beside', () => {
    expect(look(126.783)).toMatchObject({
      status: { state: { text: 'Offline', host_text: 'Error', error: expect.stringContaining('Thermal Runaway') } },
    })
    expect(look(131.779)).toMatchObject({
      status: { state: { text: 'Offline', host_text: 'Detecting serial connection' } },
    })
  })

  test('finish, cancel, failure, and cancel at the printer: ends and times', async () => {
    expect(await prints()).toEqual([
      ['job40.gcode', 65.129, 112.345, null, null, expect.any(Number)],
      ['job40.gcode', 116.458, null, 120.479, null, expect.any(Number)],
      ['job40.gcode', 123.714, null, 126.801, 126.801, expect.any(Number)],
      ['From_Cloud.gcode', 134.067, null, 137.242, null, agent.storedFileId],
    ])
  })

  test('the history tells each thing once, with who asked for it', async () => {
    expect(await agent.events()).toEqual([
      'STARTED 65129',
      'PAUSED 72163 app',
      'RESUMED 75190 app',
      'PAUSED 99444 printer',
      'FILAMENT_CHANGE 99448',
      'RESUMED 102224 printer',
      'ENDED 112345',
      'STARTED 116458',
      'ENDED 120479 app',
      'STARTED 123714',
      'PRINTER_ERROR 126797',
      'ENDED 126801',
      'STARTED 134067',
      'ENDED 137242 printer',
    ])
  })

  test('send G-code: as above', async () => {
    expect(told('passthru')).toContainEqual(DOWNLOAD)
    expect((await agent.commands()).at(-1)).toEqual(['print', 'done', 134_013, 134_061])
  })

  test('passthru: replies reach whoever listens, long ones too', () => {
    expect(agent.heard).toContainEqual({ ref: 'r2', ret: null })
    expect(agent.heard).toContainEqual({ ref: 'r3', ret: expect.objectContaining({ axes: expect.anything() }) })
  })

  test('what is forgiven of it is counted', async () => {
    expect(await deviations()).toEqual({
      ...{ null_value: 55, event_unknown: 30, state_text_other: 14, file_unnamed: 11 },
      ...{ binary_message: 4, failed_after_cancel: 2 },
    })
  })
})
