import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { z } from 'zod'
import { frameText } from '../../uplink/frame-text.js'

const STATES = {
  OFFLINE: { text: 'Offline', flags: ['closedOrError'] },
  OPERATIONAL: { text: 'Operational', flags: ['operational', 'ready', 'sdReady'] },
  STARTING: { text: 'Starting', flags: ['operational', 'printing', 'sdReady'] },
  PRINTING: { text: 'Printing', flags: ['operational', 'printing', 'sdReady'] },
  PAUSING: { text: 'Pausing', flags: ['operational', 'printing', 'pausing', 'sdReady'] },
  PAUSED: { text: 'Paused', flags: ['operational', 'paused', 'sdReady'] },
  RESUMING: { text: 'Resuming', flags: ['operational', 'printing', 'resuming', 'sdReady'] },
  FINISHING: { text: 'Finishing', flags: ['operational', 'printing', 'finishing', 'sdReady'] },
  CANCELLING: { text: 'Cancelling', flags: ['operational', 'printing', 'cancelling', 'sdReady'] },
} as const
type StateId = keyof typeof STATES

const FLAGS = [
  'operational',
  'printing',
  'cancelling',
  'pausing',
  'resuming',
  'finishing',
  'closedOrError',
  'error',
  'paused',
  'ready',
  'sdReady',
]

/** An OctoPrint as its wire shows it: the order of events and frames is that of real recordings. */
export interface FakeOctoPrint {
  readonly url: string
  readonly apiKey: string
  /** What was asked of it, such as `pause`, `resume`, `cancel`, and each G-code command. */
  readonly calls: string[]
  /** What clients sent over the push socket. */
  readonly pushed: unknown[]
  /** What it answers to a wrong key, and to a right one when the test wants it to. */
  refusesKey: boolean
  /** What it answers when it is asked what the printer asks. */
  prompt: object
  /** How many orders to connect to the printer it takes and forgets, as one does that still lets go of the connection before. */
  forgetsConnects: number
  /** Starts, ends or breaks a print as somebody at the printer would. */
  startPrint(path: string): void
  finishPrint(): void
  breakPrint(error: string): void
  /** Shows how far the print is. */
  progress(completion: number): void
  heat(temperatures: Record<string, { actual: number | null; target: number | null }>): void
  terminal(line: string): void
  /** Sends anything over the push socket. */
  push(frame: unknown): void
  /** Ends all sessions: clients have to log in again. */
  expireSessions(): void
  /** Cuts the connections. */
  dropAll(): void
  /** Stops, and starts again on the same port with nothing loaded. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const Body = z.looseObject({
  command: z.string().optional(),
  action: z.string().optional(),
  commands: z.array(z.string()).optional(),
})
/** How long pausing and cancelling take. */
const STEP_MS = 15

export async function startFakeOctoPrint(): Promise<FakeOctoPrint> {
  const apiKey = 'FAKE-KEY-0123456789'
  const calls: string[] = []
  const pushed: unknown[] = []
  let state: StateId = 'OPERATIONAL'
  let path: string | null = null
  let completion: number | null = null
  let error = ''
  let temps: unknown[] = []
  let logs: string[] = []
  let session = 1
  let port = 0
  const clients = new Map<WebSocket, boolean>()
  let http = createServer()

  const file = () => ({
    name: path,
    path,
    display: path,
    origin: path && 'local',
    size: path && 1000,
    date: path && 1_795_000_000,
  })
  const current = () => {
    const { text, flags } = STATES[state]
    const isOn = (flag: string) => flags.some((on) => on === flag)
    const frame = {
      state: { text, error, flags: Object.fromEntries(FLAGS.map((flag) => [flag, isOn(flag)])) },
      job: {
        file: file(),
        estimatedPrintTime: null,
        averagePrintTime: null,
        lastPrintTime: null,
        filament: null,
        user: path && 'agent',
      },
      currentZ: null,
      progress: {
        completion,
        filepos: completion,
        printTime: completion,
        printTimeLeft: null,
        printTimeLeftOrigin: null,
      },
      offsets: {},
      resends: { count: 0, transmitted: 8, ratio: 0 },
      serverTime: 1_795_000_000,
      temps,
      logs,
    }
    temps = []
    logs = []
    return frame
  }

  function send(frame: unknown): void {
    for (const [socket, isLoggedIn] of clients) if (isLoggedIn) socket.send(JSON.stringify(frame))
  }
  const event = (type: string, payload: object | null = null) => send({ event: { type, payload } })
  const tell = () => send({ current: current() })
  function enter(next: StateId): void {
    state = next
    event('PrinterStateChanged', { state_id: next, state_string: STATES[next].text })
  }
  const later = (work: () => void) => setTimeout(work, STEP_MS)

  function startPrint(name: string): void {
    path = name
    completion = 0
    event('FileSelected', file())
    enter('STARTING')
    event('PrintStarted', { name, path: name, origin: 'local', size: 1000 })
    enter('PRINTING')
    tell()
  }

  function pause(): void {
    enter('PAUSING')
    later(() => {
      event('PrintPaused', file())
      enter('PAUSED')
      tell()
    })
  }

  function resume(): void {
    enter('RESUMING')
    event('PrintResumed', file())
    enter('PRINTING')
    tell()
  }

  /** The events come at once, the state follows when the last moves are done; and a frame that lags behind comes between. */
  function cancel(): void {
    event('PrintCancelling', file())
    const stale = current()
    enter('CANCELLING')
    event('PrintCancelled', { ...file(), time: 3, progress: 8 })
    event('PrintFailed', { ...file(), time: 3, reason: 'cancelled' })
    send({ current: stale })
    completion = null
    tell()
    later(() => {
      enter('OPERATIONAL')
      tell()
    })
  }

  function handleJob({ command, action }: z.infer<typeof Body>): number {
    const wish = command === 'pause' ? (action ?? '') : (command ?? '')
    calls.push(wish)
    if (wish === 'pause' && state === 'PRINTING') pause()
    else if (wish === 'resume' && state === 'PAUSED') resume()
    else if (wish === 'cancel' && (state === 'PRINTING' || state === 'PAUSED')) cancel()
    else return 409
    return 204
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const reply = (status: number, body?: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(body === undefined ? '' : JSON.stringify(body))

    if (request.headers['x-api-key'] !== apiKey || fake.refusesKey) {
      return void reply(403, { error: "You don't have the permission to access the requested resource." })
    }
    const target = `${request.method} ${request.url}`
    if (target === 'POST /api/files/local') {
      const name = /filename="([^"]+)"/.exec(text)?.[1] ?? ''
      calls.push(`upload ${name}`)
      startPrint(name)
      return void reply(201, {
        done: true,
        effectivePrint: true,
        files: { local: { name, path: name, origin: 'local' } },
      })
    }
    if (target.startsWith('GET /downloads/files/local/')) {
      return void response
        .writeHead(206, { 'content-type': 'application/octet-stream' })
        .end('; made up\nG90\nM83\nG1 X1\n')
    }
    if (target === 'GET /api/settings')
      return void reply(200, { temperature: { profiles: [{ name: 'PLA', extruder: 210, bed: 60 }] } })
    if (target === 'GET /api/plugin/action_command_prompt') return void reply(200, fake.prompt)
    if (target === 'POST /api/plugin/action_command_prompt') {
      calls.push(`answer ${text}`)
      return void reply(204)
    }
    if (target === 'GET /api/files?recursive=true') {
      const card = { type: 'machinecode', name: 'CARD.GCO', path: 'card.gco', origin: 'sdcard' }
      const cube = {
        type: 'machinecode',
        name: 'cube.gcode',
        path: 'parts/cube.gcode',
        origin: 'local',
        size: 9,
        date: 5,
      }
      const parts = { type: 'folder', name: 'parts', path: 'parts', origin: 'local', children: [cube] }
      return void reply(200, { files: [parts, card], free: 1, total: 2 })
    }
    if (target === 'POST /api/files/local/parts/cube.gcode') {
      calls.push(`own ${text}`)
      startPrint('cube.gcode')
      return void reply(204)
    }
    if (target.startsWith('GET /api/files/')) {
      return void reply(200, { path, hash: 'abc', gcodeAnalysis: { estimatedPrintTime: 15.8 }, statistics: {} })
    }
    const body = Body.parse(text === '' ? {} : JSON.parse(text))
    if (target === 'POST /api/login') return void reply(200, { name: 'agent', session: `s${session}`, apikey: apiKey })
    if (target === 'POST /api/printer/command') {
      calls.push(...(body.commands ?? []))
      return void reply(204)
    }
    if (target === 'POST /api/connection') {
      calls.push('connect')
      if (fake.forgetsConnects === 0) {
        error = ''
        enter('OPERATIONAL')
        tell()
      } else fake.forgetsConnects -= 1
      return void reply(204)
    }
    if (target !== 'POST /api/job') return void reply(404, { error: 'not found' })
    const status = handleJob(body)
    reply(status, status === 409 ? { error: 'Printer is neither printing nor paused' } : undefined)
  }

  function accept(socket: WebSocket): void {
    clients.set(socket, false)
    socket.on('close', () => clients.delete(socket))
    socket.on('error', () => undefined)
    socket.send(JSON.stringify({ connected: { version: '1.11.8', display_version: '1.11.8', permissions: [] } }))
    socket.on('message', (data) => {
      const message: unknown = JSON.parse(frameText(data))
      pushed.push(message)
      const auth = z.object({ auth: z.string() }).safeParse(message).data?.auth
      if (auth === undefined) return
      if (auth !== `agent:s${session}`) return socket.send(JSON.stringify({ reauthRequired: { reason: 'stale' } }))
      clients.set(socket, true)
      socket.send(JSON.stringify({ history: current() }))
      socket.send(JSON.stringify({ timelapse: null }))
    })
  }

  async function listen(): Promise<void> {
    http = createServer((request, response) => void answer(request, response))
    const webSockets = new WebSocketServer({ noServer: true })
    http.on('upgrade', (request, socket, head) => {
      if (request.url !== '/sockjs/websocket') return socket.destroy()
      webSockets.handleUpgrade(request, socket, head, accept)
    })
    http.listen(port, '127.0.0.1')
    await once(http, 'listening')
    port = (http.address() as AddressInfo).port
  }

  async function stop(): Promise<void> {
    if (!http.listening) return
    for (const socket of clients.keys()) socket.terminate()
    http.closeAllConnections()
    http.close()
    await once(http, 'close')
  }

  await listen()
  const fake: FakeOctoPrint = {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    calls,
    pushed,
    refusesKey: false,
    prompt: {},
    forgetsConnects: 0,
    startPrint,
    finishPrint: () => {
      enter('FINISHING')
      event('PrintDone', { ...file(), time: 1.35 })
      const stale = current()
      completion = 100
      enter('OPERATIONAL')
      send({ current: stale })
      tell()
    },
    breakPrint: (text) => {
      error = text
      event('Error', { error: text })
      event('Disconnected')
      const failed = { ...file(), reason: 'error', error: text }
      path = null
      completion = null
      enter('OFFLINE')
      event('PrintFailed', failed)
      tell()
    },
    progress: (value) => {
      completion = value
      tell()
    },
    heat: (temperatures) => {
      temps = [{ time: 1, ...temperatures }]
      tell()
    },
    terminal: (line) => {
      logs = [line]
      tell()
    },
    push: send,
    expireSessions: () => {
      session += 1
      for (const socket of clients.keys()) {
        clients.set(socket, false)
        socket.send(JSON.stringify({ reauthRequired: { reason: 'stale' } }))
      }
    },
    dropAll: () => {
      for (const socket of clients.keys()) socket.terminate()
    },
    restart: async () => {
      await stop()
      state = 'OPERATIONAL'
      path = null
      completion = null
      error = ''
      session += 1
      await listen()
    },
    stop,
  }
  return fake
}
