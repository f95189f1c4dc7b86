import { readFileSync } from 'node:fs'
import { serialize } from 'bson'
import { WebSocket } from 'ws'
import type { Bus, Clock } from '../../ports.js'
import { passthruSubject } from '../../printers/notices.js'
import { until } from '../testing.js'

// Unmodified agents at the wire: their recorded conversations, and a socket that says what they said.

type Json = Record<string, unknown>

/** One line of a recording (test/fixtures/upstream-traffic/README.md). */
export interface Line {
  readonly t: number
  readonly dir?: 'agent->server' | 'server->agent'
  readonly http?: string
  readonly ws_open?: string
  readonly ws_closed?: number
  readonly ws_text?: Json
  readonly ws_bson?: Json
  readonly body?: { readonly json?: Json; readonly form?: Record<string, string>; readonly multipart?: Json } | null
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
  readonly reply?: Json
}

const FOLDER = new URL('../../../../../test/fixtures/upstream-traffic/', import.meta.url)

export const RECORDINGS = { moonraker: 'moonraker-obico-2.1.4', octoprint: 'octoprint-obico-2.6.1' } as const

export function readRecording(name: keyof typeof RECORDINGS): Line[] {
  const text = readFileSync(new URL(`${RECORDINGS[name]}.jsonl`, FOLDER), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
}

/** A clock that stands still until the test moves it. */
export class StandingClock implements Clock {
  ms = Date.now()
  now(): number {
    return this.ms
  }
}

/** An upstream agent's websocket, opened with the headers that such agents send. */
export class UpstreamAgent {
  readonly received: Json[] = []
  readonly closed: Promise<number>
  readonly #socket: WebSocket
  #marks = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = new Promise((resolve) => socket.on('close', resolve))
    socket.on('message', (data: Buffer) => void this.received.push(JSON.parse(data.toString()) as Json))
    socket.on('error', () => {})
  }

  /** @param authorization as the agent writes it */
  static async open(url: string, authorization: string, path = '/ws/dev/'): Promise<UpstreamAgent> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, { headers: { authorization } })
    const agent = new UpstreamAgent(socket)
    await new Promise<void>((resolve, reject) => {
      socket.on('open', resolve)
      socket.on('error', reject)
    })
    return agent
  }

  say(value: unknown): void {
    this.#socket.send(typeof value === 'string' || value instanceof Uint8Array ? value : JSON.stringify(value))
  }

  sayBson(value: Json): void {
    this.#socket.send(serialize(value))
  }

  /** The first frame with this key, taken out of what was received. */
  async next(key: string, isMeant: (value: unknown) => boolean = () => true): Promise<unknown> {
    return until(() => {
      const index = this.received.findIndex((frame) => key in frame && isMeant(frame[key]))
      return index < 0 ? undefined : this.received.splice(index, 1)[0]?.[key]
    }, `a frame with ${key}`)
  }

  /** Resolves once everything said so far is applied: a reply to nobody's question comes through after it. */
  async settled(bus: Bus, printerId: number): Promise<void> {
    this.#marks += 1
    const ref = `mark ${this.#marks}`
    const heard = new Promise<void>((resolve) => {
      const stop = bus.subscribe(passthruSubject(printerId), (message) => {
        if ((message as { passthru: Json }).passthru['ref'] !== ref) return
        stop()
        resolve()
      })
    })
    this.say({ passthru: { ref, ret: null } })
    await heard
  }

  async close(code = 1000): Promise<void> {
    this.#socket.close(code)
    await this.closed
  }
}
