import { readFileSync } from 'node:fs'
import { memoryBus } from '../../adapters/bus-memory.js'
import { memoryLiveStore } from '../../adapters/live-memory.js'
import { connectLive, type LiveClient } from '../../live/testing.js'
import { agentSubject, passthruSubject } from '../../printers/notices.js'
import { keptLog, startTestServer, type TestServer } from '../../testing.js'
import { until } from '../testing.js'
import { type Line, readRecording, type RECORDINGS, StandingClock, UpstreamAgent } from './testing.js'

// Recorded conversations of unmodified agents against the whole server, over real sockets and real HTTP: what the agent said is said
// again word by word and in order, at the time of the recording by the server's clock; what it was told comes from the server itself,
// asked by an app. Tokens and the ids that a server hands out are put in.

const PICTURE = readFileSync(new URL('../../../models/self-test.jpg', import.meta.url))

type Json = Record<string, unknown>

/** One recorded agent, connected to a server of its own. */
export class RecordedAgent {
  readonly clock = new StandingClock()
  server!: TestServer
  agent: UpstreamAgent | undefined
  /** The printer as the API shows it, by the moment of the recording after which it was looked at. */
  readonly looks = new Map<number, Json>()
  /** What the server told the agent, in order. */
  readonly told: Json[] = []
  /** What the agent had passed on to whoever listens. */
  readonly heard: Json[] = []
  /** The replies to its HTTP requests, by method and path. */
  readonly replies = new Map<string, Json>()
  printerId = 0
  storedFileId = 0
  #token = ''
  #fileId = 77
  #live: LiveClient | undefined
  #downloadRef = ''
  #base = 0

  /** Plays the whole recording; the printer is looked at after the lines at these moments. */
  static async replay(name: keyof typeof RECORDINGS, moments: readonly number[]): Promise<RecordedAgent> {
    const lines = readRecording(name)
    const agent = new RecordedAgent()
    await agent.#start(lines)
    for (const line of lines) {
      await agent.#play(line)
      if (moments.includes(line.t)) agent.looks.set(line.t, await agent.printer())
    }
    return agent
  }

  async #start(lines: readonly Line[]): Promise<void> {
    const first = lines.find((line) => typeof statusOf(line)?.['_ts'] === 'number')
    this.#base = Number(statusOf(first)?.['_ts']) - (first?.t ?? 0)
    this.clock.ms = this.at(0)
    const bus = memoryBus(keptLog())
    this.server = await startTestServer({ clock: this.clock, live: memoryLiveStore(this.clock), bus })
    const { printer, auth_token } = await this.server.addPrinter(this.server.owner.id)
    this.printerId = printer.id
    this.#token = auth_token
    bus.subscribe(passthruSubject(printer.id), (message) => {
      const { passthru } = message as { passthru: Json }
      if (!String(passthru['ref']).startsWith('mark ')) this.heard.push(passthru)
    })
    await this.#upload()
  }

  /** The server's time of a moment of the recording, in whole milliseconds. */
  at(t: number): number {
    return Math.round((this.#base + t) * 1000)
  }

  /** A moment of the recording as the API writes it. */
  iso(t: number): string {
    return new Date(this.at(t)).toISOString()
  }

  async #play(line: Line): Promise<void> {
    this.clock.ms = this.at(line.t)
    await this.#playLine(line)
    await this.agent?.settled(this.server.bus, this.printerId)
  }

  async #playLine(line: Line): Promise<void> {
    if (line.ws_open !== undefined) return this.#open(line)
    if (line.ws_closed !== undefined) return this.#close()
    if (line.http !== undefined) return this.#request(line)
    if (line.dir === 'agent->server') return this.#say(line)
    if (line.ws_text !== undefined) return this.#ask(line.ws_text)
  }

  async #open({ ws_open, headers }: Line): Promise<void> {
    const authorization = String(headers?.['Authorization']).replace('<TOKEN>', this.#token)
    this.agent = await UpstreamAgent.open(this.server.url, authorization, ws_open)
    this.told.push({ remote_status: await this.agent.next('remote_status') })
  }

  async #close(): Promise<void> {
    await this.agent?.close()
    this.agent = undefined
    await until(async () => (await this.printer()).status === null, 'the printer to be offline')
  }

  #say({ ws_text, ws_bson }: Line): void {
    if (ws_bson !== undefined) return this.agent?.sayBson(ws_bson)
    const text = JSON.stringify(ws_text).replaceAll(
      '"obico_g_code_file_id":77',
      `"obico_g_code_file_id":${this.#fileId}`,
    )
    this.agent?.say(text.replace('"ref":"r4"', `"ref":"${this.#downloadRef}"`))
  }

  /** What the recording's server told comes from ours, asked by an app. */
  async #ask(frame: Json): Promise<void> {
    if ('commands' in frame) return this.#command((frame['commands'] as { cmd: string }[])[0]?.cmd)
    if ('remote_status' in frame) return this.#look((frame['remote_status'] as { viewing: boolean }).viewing)
    if (!('passthru' in frame)) return
    const passthru = frame['passthru'] as Json
    if (passthru['target'] === 'file_downloader') return this.#print()
    const isTaken = await this.server.bus.request(agentSubject(this.printerId), { type: 'passthru', passthru }, 1000)
    if (isTaken !== true) throw new Error('nobody took the passthru')
    this.told.push({ passthru: await this.agent?.next('passthru') })
  }

  async #ordered(path: string, body?: Json): Promise<void> {
    const { text, json } = await this.server.call('POST', path, { body })
    if ((json as Json)['succeeded'] !== true) throw new Error(`${path} was answered by ${text}`)
  }

  async #command(cmd: string | undefined): Promise<void> {
    await this.#ordered(`/api/v1/printers/${this.printerId}/${cmd}_print/`)
    this.told.push({ commands: await this.agent?.next('commands') })
  }

  /** On connecting the agent was told already. */
  async #look(viewing: boolean): Promise<void> {
    if (viewing === (this.#live !== undefined)) return
    if (viewing) {
      this.#live = connectLive(this.server)
      await this.#live.subscribe()
    } else {
      this.#live?.socket.close()
      this.#live = undefined
    }
    this.told.push({ remote_status: await this.agent?.next('remote_status', (told) => 'viewing' in (told as Json)) })
  }

  async #print(): Promise<void> {
    await this.#ordered(`/api/v1/g_code_files/${this.storedFileId}/print/`, { printer_id: this.printerId })
    const passthru = (await this.agent?.next('passthru')) as Json
    this.#downloadRef = String(passthru['ref'])
    this.told.push({ passthru })
  }

  async #upload(): Promise<void> {
    const form = new FormData()
    form.set('filename', 'From Cloud.gcode')
    form.set('file', new Blob(['G28\nG1 X10\n']), 'From Cloud.gcode')
    const headers = { authorization: `Bearer ${this.server.owner.token}` }
    const response = await fetch(`${this.server.url}/api/v1/g_code_files/`, { method: 'POST', headers, body: form })
    this.storedFileId = ((await response.json()) as { id: number }).id
  }

  async #request({ http, body, status, headers: recorded }: Line): Promise<void> {
    const [method = '', path = ''] = (http ?? '')
      .replace('/g_code_files/88/', `/g_code_files/${this.storedFileId}/`)
      .split(' ')
    if (path.includes('/unlinked/') || path.includes('/verify/') || path.startsWith('/media/')) return
    const authorization = String(recorded?.['Authorization']).replace('<TOKEN>', this.#token)
    const form = body?.form && new URLSearchParams(body.form)
    const response = await fetch(`${this.server.url}${path}`, {
      method,
      headers: { authorization },
      ...(form ? { body: form } : body?.multipart ? { body: multipartOf(body.multipart) } : {}),
    })
    const answer = await response.text()
    // Its closed part is answered by 404, which agents take for an answer.
    const expected = path.startsWith('/ent/') ? 4 : Math.floor((status ?? 0) / 100)
    if (Math.floor(response.status / 100) !== expected)
      throw new Error(`${http} was answered by ${response.status} ${answer}`)
    this.replies.set(`${method} ${path}`, JSON.parse(answer) as Json)
    if (method === 'POST' && path.includes('g_code_files')) this.#fileId = (JSON.parse(answer) as { id: number }).id
  }

  async printer(): Promise<Json> {
    return (await this.server.call('GET', `/api/v1/printers/${this.printerId}/`)).json as Json
  }

  async prints(): Promise<Json[]> {
    const { json } = await this.server.call('GET', '/api/v1/prints/?sorting=date_asc&start=0&limit=50')
    return json as Json[]
  }

  /** The printer's history, the oldest first: what, when by the recording's time in milliseconds, and who asked for it. */
  async events(): Promise<string[]> {
    const query = this.server.database.db.selectFrom('printer_events').selectAll().orderBy('id')
    const rows = await query.where('printer_id', '=', this.printerId).execute()
    const whenOf = (ms: number): number => ms - this.at(0)
    return rows.map((row) => [row.event_type, whenOf(row.created_at), row.initiator ?? ''].join(' ').trim())
  }

  /** What became of each command, with when it was acknowledged and done. */
  async commands(): Promise<unknown[]> {
    const rows = await this.server.database.db.selectFrom('commands').selectAll().orderBy('created_at').execute()
    const whenOf = (ms: number | null): number | null => ms && ms - this.at(0)
    return rows.map(({ cmd, status, acked_at, done_at }) => [cmd, status, whenOf(acked_at), whenOf(done_at)])
  }

  async close(): Promise<void> {
    this.#live?.socket.terminate()
    await this.agent?.close()
    await this.server.close()
  }
}

function statusOf(line: Line | undefined): Json | undefined {
  return line?.ws_text?.['status'] as Json | undefined
}

function multipartOf(fields: Json): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.set(name, value)
    else form.set(name, new Blob([PICTURE]), name)
  }
  return form
}
