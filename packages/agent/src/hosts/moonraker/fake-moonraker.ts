import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import { z } from 'zod'
import { frameText } from '../../uplink/frame-text.js'
import type { KlippyState } from './klippy.js'

type Fields = Record<string, unknown>

/** A Moonraker with its Klippy as their wire shows them: answers, refusals and the order of notices are those of real recordings. */
export interface FakeMoonraker {
  readonly url: string
  readonly apiKey: string
  /** The methods that were called, G-code scripts line by line, and uploads. */
  readonly calls: string[]
  /** The parameters of the last call of a method. */
  paramsOf(method: string): unknown
  /** Whether nobody is trusted without a key. */
  wantsKey: boolean
  /** Keeps the answer to what runs G-code until {@link FakeMoonraker.finishGCode}: a macro or a heat-up takes its time. */
  isBusy: boolean
  finishGCode(): void
  /** Makes the next G-code fail. */
  failNext(message: string): void
  startPrint(filename: string): void
  finishPrint(): void
  /** Ends the print by an error in its G-code. */
  breakPrint(message: string): void
  /** Changes fields of objects and tells those that follow them. */
  set(objects: Record<string, Fields>): void
  /** Klippy goes into another state, with its notices. */
  klippy(state: KlippyState, message?: string): void
  /** Answers of `server.history.list`, `server.files.metadata`, and other methods. */
  answers: Record<string, unknown>
  /** Sends any text to all. */
  push(text: string): void
  dropAll(): void
  stop(): Promise<void>
  /** Comes back on the same port; Klippy has gone on meanwhile. */
  start(): Promise<void>
}

const Call = z.object({ id: z.number(), method: z.string(), params: z.record(z.string(), z.unknown()).default({}) })
const IDLE: Fields = {
  filename: '',
  total_duration: 0,
  print_duration: 0,
  state: 'standby',
  message: '',
  info: { total_layer: null, current_layer: null },
}

class Refusal extends Error {
  constructor(
    message: string,
    readonly code = 400,
  ) {
    super(message)
  }
}

export async function startFakeMoonraker(): Promise<FakeMoonraker> {
  const apiKey = 'fake0123456789abcdef'
  const calls: string[] = []
  const params = new Map<string, unknown>()
  const tokens = new Set<string>()
  const clients = new Map<WebSocket, { trusted: boolean; follows: Record<string, string[] | null> }>()
  let objects = newObjects()
  let klippyState: KlippyState = 'ready'
  let reason = 'Printer is ready'
  let refusal: string | undefined
  let waiting: (() => void)[] = []
  let port = 0
  let http = createServer()

  function newObjects(): Record<string, Fields> {
    return {
      webhooks: { state: 'ready', state_message: 'Printer is ready' },
      print_stats: { ...IDLE },
      virtual_sdcard: { progress: 0, file_position: 0, is_active: false },
      display_status: { progress: 0, message: null },
      pause_resume: { is_paused: false },
      gcode_move: { gcode_position: [0, 0, 0, 0], speed_factor: 1, extrude_factor: 1 },
      toolhead: { extruder: 'extruder', position: [10, 10, 5, 0], axis_maximum: [200, 200, 200, 0], homed_axes: 'xyz' },
      fan: { speed: 0 },
      extruder: { temperature: 22, target: 0, can_extrude: true },
      heater_bed: { temperature: 22, target: 0 },
      'temperature_sensor board': { temperature: 35 },
      'gcode_macro PAUSE': {},
    }
  }

  const send = (socket: WebSocket, message: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const notify = (method: string, ...list: unknown[]) => {
    for (const [socket, { trusted }] of clients) {
      if (trusted) send(socket, list.length > 0 ? { method, params: list } : { method })
    }
  }

  function set(changes: Record<string, Fields>): void {
    for (const [name, fields] of Object.entries(changes)) objects[name] = { ...objects[name], ...fields }
    for (const [socket, { follows }] of clients) {
      const wanted = Object.entries(changes).flatMap(([name, fields]) => {
        const names = follows[name]
        if (names === undefined) return []
        const kept = Object.entries(fields).filter(([field]) => names === null || names.includes(field))
        return kept.length > 0 ? [[name, Object.fromEntries(kept)]] : []
      })
      if (wanted.length > 0) send(socket, { method: 'notify_status_update', params: [Object.fromEntries(wanted), 1] })
    }
  }

  const stats = () => objects['print_stats'] ?? IDLE
  const isPrinting = () => stats()['state'] === 'printing' || stats()['state'] === 'paused'

  function startPrint(filename: string): void {
    set({
      print_stats: { ...IDLE, filename, total_duration: 0.2, state: 'printing' },
      virtual_sdcard: { progress: 0.06, file_position: 96, is_active: true },
      display_status: { progress: 0.06 },
    })
  }

  function end(state: string, message = ''): void {
    set({ print_stats: { state, message }, virtual_sdcard: { is_active: false }, pause_resume: { is_paused: false } })
  }

  /** Runs now, or when the G-code before it is through. */
  function runGCode(work: () => void): Promise<string> {
    const message = refusal
    refusal = undefined
    if (message !== undefined) throw new Refusal(message)
    if (!fake.isBusy) {
      work()
      return Promise.resolve('ok')
    }
    return new Promise((resolve) => {
      waiting.push(() => {
        work()
        resolve('ok')
      })
    })
  }

  function pause(): void {
    if (!isPrinting()) return
    set({ print_stats: { state: 'paused' }, virtual_sdcard: { is_active: false } })
    // Told with the next look, a quarter of a second later.
    setTimeout(() => set({ pause_resume: { is_paused: true } }), 15)
  }

  function resume(): void {
    if (objects['pause_resume']?.['is_paused'] !== true) return
    set({ print_stats: { state: 'printing' }, pause_resume: { is_paused: false }, virtual_sdcard: { is_active: true } })
  }

  function runScript(script: string): void {
    calls.push(...script.split('\n'))
    for (const [, heater = '', target = ''] of script.matchAll(/SET_HEATER_TEMPERATURE HEATER=(\S+) TARGET=(\S+)/g)) {
      set({ [heater]: { target: Number(target) } })
    }
    if (script === 'M24') set({ print_stats: { state: 'printing' }, virtual_sdcard: { is_active: true } })
  }

  function printerCall(method: string, args: Fields): unknown {
    // Before Klippy has connected these methods do not even exist.
    if (klippyState === 'disconnected') throw new Refusal('Method not found', -32601)
    switch (method) {
      case 'printer.info':
        return { app: 'Klipper', state: klippyState, state_message: reason }
      case 'printer.firmware_restart':
        fake.klippy('disconnected')
        fake.klippy('ready')
        return 'ok'
      case 'printer.emergency_stop':
        fake.klippy('shutdown', 'Shutdown due to webhooks request')
        return 'ok'
      case 'printer.objects.list':
        return { objects: Object.keys(objects) }
    }
    if (klippyState !== 'ready') throw new Refusal('Printer is not ready')
    switch (method) {
      case 'printer.objects.query':
        return { status: statusOf(args) }
      case 'printer.print.pause':
        return runGCode(pause)
      case 'printer.print.resume':
        return runGCode(resume)
      case 'printer.print.cancel':
        return runGCode(() => {
          if (isPrinting()) end('cancelled')
        })
      case 'printer.print.start':
        if (isPrinting()) throw new Refusal('SD busy')
        return runGCode(() => startPrint(String(args['filename'])))
      case 'printer.gcode.script':
        return runGCode(() => runScript(String(args['script'])))
    }
    throw new Refusal('Method not found', -32601)
  }

  function statusOf(args: Fields): Record<string, Fields> {
    const wanted = z.record(z.string(), z.array(z.string()).nullable()).parse(args['objects'])
    return Object.fromEntries(
      Object.entries(wanted).map(([name, fields]) => {
        const all = objects[name] ?? {}
        return [name, Object.fromEntries(Object.entries(all).filter(([field]) => fields?.includes(field) ?? true))]
      }),
    )
  }

  async function answer(socket: WebSocket, method: string, args: Fields): Promise<unknown> {
    const client = clients.get(socket)
    if (!client?.trusted) throw new Refusal('Unauthorized', -32602)
    if (method === 'server.connection.identify') return { connection_id: 1 }
    if (method === 'server.info') return { klippy_connected: klippyState !== 'disconnected', klippy_state: klippyState }
    if (method in fake.answers) return fake.answers[method]
    if (method === 'server.history.list') return { count: 0, jobs: [] }
    if (method === 'printer.objects.subscribe') {
      if (klippyState !== 'ready') throw new Refusal('Printer is not ready')
      client.follows = z.record(z.string(), z.array(z.string()).nullable()).parse(args['objects'])
      return { eventtime: 1, status: statusOf(args) }
    }
    if (method.startsWith('printer.')) return printerCall(method, args)
    throw new Refusal(`Method ${method} not found`, -32601)
  }

  function accept(socket: WebSocket, request: IncomingMessage): void {
    const token = new URL(request.url ?? '', 'http://fake').searchParams.get('token')
    clients.set(socket, { trusted: !fake.wantsKey || tokens.delete(token ?? ''), follows: {} })
    socket.on('close', () => clients.delete(socket))
    socket.on('error', () => undefined)
    socket.on('message', (data) => {
      const { id, method, params: args } = Call.parse(JSON.parse(frameText(data)))
      if (method !== 'printer.gcode.script') calls.push(method)
      params.set(method, args)
      answer(socket, method, args).then(
        (result) => send(socket, { result, id }),
        (error: unknown) => {
          const { code, message } = error instanceof Refusal ? error : new Refusal(String(error), 500)
          send(socket, { error: { code, message }, id })
        },
      )
    })
  }

  async function answerHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const reply = (status: number, body: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const isTrusted = !fake.wantsKey || request.headers['x-api-key'] === apiKey
    if (!isTrusted) return reply(401, { error: { code: 401, message: 'Unauthorized' } })
    if (request.url === '/access/oneshot_token') {
      const token = `T${calls.length}`
      tokens.add(token)
      return reply(200, { result: token })
    }
    if (request.url === '/server/files/upload') {
      const path = /filename="([^"]+)"/.exec(Buffer.concat(chunks).toString('utf8'))?.[1] ?? ''
      calls.push(`upload ${path}`)
      return reply(201, { action: 'create_file', item: { path, root: 'gcodes' }, print_started: false })
    }
    reply(404, { error: { code: 404, message: 'Not Found' } })
  }

  async function start(): Promise<void> {
    http = createServer((request, response) => void answerHttp(request, response))
    const webSockets = new WebSocketServer({ noServer: true })
    http.on('upgrade', (request, socket, head) => {
      if (!request.url?.startsWith('/websocket')) return socket.destroy()
      webSockets.handleUpgrade(request, socket, head, (client) => accept(client, request))
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

  const fake: FakeMoonraker = {
    url: '',
    apiKey,
    calls,
    paramsOf: (method) => params.get(method),
    wantsKey: false,
    isBusy: false,
    finishGCode: () => {
      fake.isBusy = false
      for (const work of waiting.splice(0)) work()
    },
    failNext: (message) => {
      refusal = message
    },
    startPrint,
    finishPrint: () => {
      set({ virtual_sdcard: { progress: 1 }, display_status: { progress: 1 } })
      end('complete')
    },
    breakPrint: (message) => end('error', message),
    set,
    klippy: (state, message) => {
      klippyState = state
      reason = message ?? reason
      if (state === 'shutdown') {
        set({ webhooks: { state, state_message: reason } })
        notify('notify_klippy_shutdown')
      } else if (state === 'disconnected') {
        for (const client of clients.values()) client.follows = {}
        objects = newObjects()
        notify('notify_klippy_disconnected')
      } else if (state === 'ready') {
        objects = { ...objects, webhooks: { state: 'ready', state_message: 'Printer is ready' } }
        notify('notify_klippy_ready')
      }
    },
    answers: {},
    push: (text) => {
      for (const socket of clients.keys()) socket.send(text)
    },
    dropAll: () => {
      for (const socket of clients.keys()) socket.terminate()
    },
    stop,
    start,
  }
  await start()
  return Object.assign(fake, { url: `http://127.0.0.1:${port}` })
}
