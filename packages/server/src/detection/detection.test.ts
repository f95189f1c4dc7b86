import { flagsOf, Printer, type StateText } from '@printwarden/protocol'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { startTestServer, type TestServer } from '../testing.js'
import type { Detector, Findings } from './detector.js'

// The main job through the doors that agents and apps use: a picture is uploaded, and in the end the agent is told to pause.
// Only the detector is ours: it finds what the test says.

let score = 0
let looked = 0
const tagged = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'green' } })
  .jpeg()
  .toBuffer()
const snapshot = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'grey' } })
  .jpeg()
  .toBuffer()

const detector: Detector = {
  async detect(): Promise<Findings> {
    looked++
    return {
      score,
      detections: [['failure', score, [32, 24, 10, 10]]],
      model: 'test/1',
      tagged: score > 0.2 ? tagged : null,
      times: { decodeMs: 0, inferenceMs: 0, drawMs: 0 },
    }
  },
  ready: () => true,
  close: async () => {},
}

let server: TestServer
let analysed: number
let printer: { id: number; auth_token: string }
let agent: TestAgent

/** An agent that is connected, prints, and does as it is told. */
class TestAgent {
  readonly commands: { cmd: string; initiator: string; args: object }[] = []
  readonly #socket: WebSocket

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data: Buffer) => {
      const { commands = [] } = JSON.parse(data.toString()) as {
        commands?: { id: string; cmd: string; initiator: string; args: object }[]
      }
      for (const command of commands) {
        this.commands.push(command)
        socket.send(JSON.stringify({ ack: { id: command.id, result: 'ok' } }))
      }
    })
  }

  static async connect(): Promise<TestAgent> {
    const headers = { authorization: `Bearer ${printer.auth_token}` }
    const socket = new WebSocket(`${server.wsUrl}/ws/agent/`, 'agent.v1', { headers })
    const connected = new TestAgent(socket)
    await new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    return connected
  }

  async report(text: StateText, event?: string): Promise<void> {
    const file = { name: 'cube.gcode', path: 'cube.gcode', display: 'cube.gcode' }
    const status = { _ts: server.clock.now() / 1000, state: { text, flags: flagsOf(text) }, job: { file } }
    const message = { current_print_ts: 1_795_000_000, status, ...(event && { event: { event_type: event } }) }
    this.#socket.send(JSON.stringify(message))
    await vi.waitFor(async () => expect((await shown()).status).toMatchObject({ _ts: status._ts, state: { text } }))
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#socket.once('close', resolve))
    this.#socket.close()
    await closed
  }

  pauses(): object[] {
    return this.commands.filter(({ cmd }) => cmd === 'pause')
  }
}

async function shown(): Promise<Printer> {
  const { json } = await server.call('GET', `/api/v1/printers/${printer.id}/`)
  return Printer.parse(json)
}

async function act(action: string, query = ''): Promise<void> {
  const { json } = await server.call('POST', `/api/v1/printers/${printer.id}/${action}/${query}`)
  expect(json).toMatchObject({ succeeded: true })
}

async function upload(): Promise<number> {
  const form = new FormData()
  form.append('pic', new Blob([new Uint8Array(snapshot)], { type: 'image/jpeg' }), 'pic.jpg')
  const headers = { authorization: `Token ${printer.auth_token}` }
  return (await fetch(`${server.url}/api/v1/agent/pic/`, { method: 'POST', headers, body: form })).status
}

/** Ten seconds of printing, `count` times, each with a picture that is analysed. */
async function prints(count: number, looks: number): Promise<void> {
  score = looks
  for (let i = 0; i < count; i++) {
    server.clock.advance(10_000)
    await agent.report('Printing')
    const before = analysed
    expect(await upload()).toBe(200)
    await vi.waitFor(() => expect(analysed).toBe(before + 1), { timeout: 5000, interval: 2 })
  }
}

beforeEach(async () => {
  analysed = 0
  looked = 0
  server = await startTestServer({ detector, frames: { observe: () => analysed++ } })
  const added = await server.addPrinter(server.owner.id)
  printer = { id: added.printer.id, auth_token: added.auth_token }
  agent = await TestAgent.connect()
  await agent.report('Printing', 'PrintStarted')
})

afterEach(async () => {
  await agent.close()
  await server.close()
})

test('a print that fails is told about and paused; resumed, it is paused again only when allowed', async () => {
  expect(await shown()).toMatchObject({ not_watching_code: 'no_picture', normalized_p: 0 })
  await prints(4, 0.05)
  expect(await shown()).toMatchObject({ not_watching_code: null })
  expect((await shown()).normalized_p).toBeLessThan(0.1)

  await prints(7, 0.9)
  const failing = await shown()
  expect(failing.normalized_p).toBeGreaterThan(2 / 3)
  expect(failing.pic?.img_url).toContain('/tagged/')
  expect(failing.current_print?.alerted_at).not.toBeNull()
  expect(failing.current_print?.paused_at).not.toBeNull()
  expect(agent.pauses()).toMatchObject([{ initiator: 'system', args: { retract: 6.5, lift_z: 2.5, tools_off: true } }])

  await agent.report('Paused', 'PrintPaused')
  expect(await shown()).toMatchObject({ not_watching_code: 'not_printing' })
  const before = looked
  expect(await upload()).toBe(200)
  await act('resume_print')
  await agent.report('Printing', 'PrintResumed')
  expect(looked).toBe(before)
  const resumed = await shown()
  expect(resumed.normalized_p).toBe(0)
  expect(resumed.current_print).toMatchObject({ alert_overwrite: 'NOT_FAILED' })

  await prints(15, 0.9)
  expect(agent.pauses()).toHaveLength(1)
  await act('acknowledge_alert')
  await act('rearm')
  await prints(8, 0.9)
  expect(agent.pauses()).toHaveLength(1)
  await prints(4, 0.9)
  expect(agent.pauses()).toHaveLength(2)
})

test("the alert stands in the printer's history with the tagged picture, which can be fetched", async () => {
  await prints(8, 0.95)
  const { json } = await server.call('GET', `/api/v1/printer_events/?printer_id=${printer.id}`)
  const events = json as { event_type: string; event_class: string; image_url: string | null }[]
  const alert = events.find(
    ({ event_type, event_class }) => event_type === 'FAILURE_ALERTED' && event_class === 'ERROR',
  )
  const picture = await fetch(alert?.image_url ?? '')
  expect(picture.headers.get('content-type')).toBe('image/jpeg')
  expect(Buffer.from(await picture.arrayBuffer()).equals(tagged)).toBe(true)
})

test('a muted print is left alone until that is taken back', async () => {
  await act('mute_current_print')
  expect(await shown()).toMatchObject({ not_watching_code: 'muted' })
  score = 0.95
  for (let i = 0; i < 3; i++) {
    server.clock.advance(10_000)
    await agent.report('Printing')
    expect(await upload()).toBe(200)
  }
  expect(looked).toBe(0)
  await act('mute_current_print', '?mute_alert=false')
  await prints(8, 0.95)
  expect(agent.pauses()).toHaveLength(1)
})

test('each analysed frame is in the prediction JSON', async () => {
  await prints(5, 0.5)
  const { current_print } = await shown()
  await vi.waitFor(async () => {
    const { json } = await server.call('GET', `/api/v1/prints/${current_print?.id}/prediction_json/`)
    expect(json).toHaveLength(5)
    expect(json).toMatchObject([
      { fields: { current_frame_num: 1, current_p: 0.5 }, detector: 'test/1' },
      {},
      {},
      {},
      {},
    ])
  })
})
