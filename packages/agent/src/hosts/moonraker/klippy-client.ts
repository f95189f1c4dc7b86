import { backoffMs, HOST_BACKOFF } from '../../time/backoff.js'
import type { Clock } from '../../time/clock.js'
import { HostError } from '../../host.js'
import type { MoonrakerConfig } from '../../hosts.js'
import { AGENT_NAME } from '../../reports/status-message.js'
import type { MoonrakerHttp } from './http-client.js'
import { downOf, klippyDown, type KlippyDown } from './klippy.js'
import { readLastJob, readObjectList, readServerInfo, readStateMessage } from './messages.js'
import { mergeObjects, printStatsOf, readPatch, readStatus, subscriptionOf, type Objects } from './objects.js'
import { openRpc, type Rpc } from './rpc-client.js'
import { endedJob, type EndedJob } from './translate.js'

/** Keeps a connection to Moonraker, and through it follows Klippy. */
export interface KlippyClient {
  /** Whether Klippy is ready and its objects are being followed. */
  readonly isFollowing: boolean
  /** Calls a method, see {@link Rpc.call}. */
  call(method: string, params?: object, timeoutMs?: number): Promise<unknown>
  close(): void
}

export interface KlippyListener {
  /** Klippy is ready. `lastJob` is there when it was restarted and shows no job of its own. */
  onReady(objects: Objects, lastJob: EndedJob | undefined): void
  /** All objects, as they are now. */
  onChange(objects: Objects): void
  /** A line of Klipper's answers to G-code. */
  onResponse(line: string): void
  /** Klippy is not ready, now and again until it is. Not `isKnown` for a while after Moonraker itself has started. */
  onDown(down: KlippyDown, isKnown: boolean): void
  /** Moonraker cannot be reached; it is being tried again. */
  onLost(error: HostError, retryInMs: number): void
}

export interface KlippyDeps {
  readonly config: MoonrakerConfig
  readonly http: MoonrakerHttp
  readonly clock: Clock
  readonly listener: KlippyListener
}

/** How long Moonraker may take for an answer that waits for no G-code. */
export const ANSWER_TIMEOUT_MS = 10_000
/** How often Klippy is asked for while it is not ready: Moonraker does not tell when it fails to start. */
export const POLL_MS = 2_000
/**
 * How long a Moonraker that has just started may look for its Klippy. It may have restarted in the middle of a print, which goes
 * on meanwhile; only afterwards is the printer known to be down.
 */
const PATIENCE_MS = 20_000
/**
 * Not as an "agent", of whom Moonraker allows only one by a name: a socket that is lost but not yet given up would keep the next
 * one out.
 */
const IDENTITY = {
  client_name: AGENT_NAME,
  version: '1',
  type: 'other',
  url: 'https://www.npmjs.com/package/printwarden-agent',
}

/** Starts to connect. Nothing is told before the first answer. */
export function openKlippyClient(deps: KlippyDeps): KlippyClient {
  return new Connection(deps)
}

class Connection implements KlippyClient {
  isFollowing = false
  /** Whether Klippy was ready since this connection was made. */
  private hasFollowed = false
  private objects: Objects = {}
  private rpc: Rpc | undefined
  /** Counts the tries; a newer one makes all that is under way for an older one void. */
  private current = 0
  private connectedAtMs = 0
  private attempt = 0
  private isClosed = false
  private cancelTimer: () => void = () => undefined

  constructor(private readonly deps: KlippyDeps) {
    this.connect()
  }

  call(method: string, params?: object, timeoutMs?: number): Promise<unknown> {
    return this.rpc ? this.rpc.call(method, params, timeoutMs) : Promise.reject(this.noAnswer('not connected'))
  }

  close(): void {
    this.isClosed = true
    this.disconnect()
  }

  private connect(): void {
    this.current += 1
    this.run(this.current, (mine) => this.open(mine))
  }

  /** What goes wrong with a connection ends it. */
  private run(mine: number, work: (mine: number) => Promise<void>): void {
    work(mine).catch((error: unknown) => {
      this.lose(mine, error instanceof HostError ? error : this.noAnswer(String(error)))
    })
  }

  private async open(mine: number): Promise<void> {
    const { config, http, clock } = this.deps
    const token = config.api_key === undefined ? undefined : await http.oneShotToken()
    if (!this.isCurrent(mine)) return
    this.rpc = openRpc(config.url, token, clock, {
      onOpen: () => this.run(mine, () => this.welcome(mine)),
      onNotice: (method, params) => {
        if (this.isCurrent(mine)) this.notice(mine, method, params)
      },
      onClosed: (why) => this.lose(mine, this.noAnswer(why)),
    })
  }

  private async welcome(mine: number): Promise<void> {
    await this.call('server.connection.identify', IDENTITY, ANSWER_TIMEOUT_MS)
    this.connectedAtMs = this.deps.clock.monotonicMs()
    if (this.isCurrent(mine)) await this.checkKlippy(mine)
  }

  private async checkKlippy(mine: number): Promise<void> {
    this.cancelTimer()
    const klippy = readServerInfo(await this.call('server.info', undefined, ANSWER_TIMEOUT_MS))
    if (!this.isCurrent(mine)) return
    if (klippy === undefined) throw this.noAnswer('something else answers there')
    this.attempt = 0
    if (klippy === 'ready') return this.subscribe(mine)
    const hasReason = klippy === 'shutdown' || klippy === 'error'
    const info = hasReason ? await this.unlessRefused('printer.info') : undefined
    if (this.isCurrent(mine)) this.noteDown(mine, klippyDown(klippy, readStateMessage(info)))
  }

  private async subscribe(mine: number): Promise<void> {
    const objects = subscriptionOf(readObjectList(await this.unlessRefused('printer.objects.list')))
    const answer = await this.unlessRefused('printer.objects.subscribe', { objects })
    if (!this.isCurrent(mine)) return
    this.objects = readStatus(answer)
    const down = answer === undefined ? klippyDown('startup') : downOf(this.objects)
    if (down) return this.noteDown(mine, down)
    const lastJob = printStatsOf(this.objects).filename ? undefined : await this.findLastJob()
    if (!this.isCurrent(mine)) return
    this.isFollowing = true
    this.hasFollowed = true
    this.deps.listener.onReady(this.objects, lastJob)
  }

  private async findLastJob(): Promise<EndedJob | undefined> {
    return endedJob(readLastJob(await this.unlessRefused('server.history.list', { limit: 1, order: 'desc' })))
  }

  private notice(mine: number, method: string, params: readonly unknown[]): void {
    switch (method) {
      case 'notify_status_update':
        return this.update(mine, readPatch(params[0]))
      case 'notify_gcode_response':
        return this.isFollowing && typeof params[0] === 'string' ? this.deps.listener.onResponse(params[0]) : undefined
      case 'notify_klippy_ready':
        return this.run(mine, () => this.checkKlippy(mine))
      case 'notify_klippy_shutdown':
        // The reason has mostly come with the objects already.
        return this.isFollowing ? this.run(mine, () => this.checkKlippy(mine)) : undefined
      case 'notify_klippy_disconnected':
        return this.noteDown(mine, klippyDown('disconnected'))
    }
  }

  private update(mine: number, patch: Objects): void {
    this.objects = mergeObjects(this.objects, patch)
    if (!this.isFollowing) return
    const down = downOf(this.objects)
    if (down) this.noteDown(mine, down)
    else this.deps.listener.onChange(this.objects)
  }

  private noteDown(mine: number, down: KlippyDown): void {
    const { clock, listener } = this.deps
    this.isFollowing = false
    this.cancelTimer()
    this.cancelTimer = clock.after(POLL_MS, () => this.run(mine, () => this.checkKlippy(mine)))
    const isPatient = !this.hasFollowed && clock.monotonicMs() - this.connectedAtMs < PATIENCE_MS
    const mayPrint = down.klippy === 'startup' || down.klippy === 'disconnected'
    listener.onDown(down, !(isPatient && mayPrint))
  }

  private lose(mine: number, error: HostError): void {
    if (!this.isCurrent(mine)) return
    this.disconnect()
    this.attempt += 1
    const retryInMs = backoffMs(this.attempt, Math.random(), HOST_BACKOFF)
    this.cancelTimer = this.deps.clock.after(retryInMs, () => this.connect())
    this.deps.listener.onLost(error, retryInMs)
  }

  private disconnect(): void {
    this.current += 1
    this.isFollowing = false
    this.hasFollowed = false
    this.objects = {}
    this.cancelTimer()
    this.rpc?.close()
    this.rpc = undefined
  }

  private isCurrent(mine: number): boolean {
    return this.current === mine && !this.isClosed
  }

  /** What Klippy refuses while it starts or stops is no reason to give up the connection. */
  private unlessRefused(method: string, params?: object): Promise<unknown> {
    return this.call(method, params, ANSWER_TIMEOUT_MS).catch((error: unknown) => {
      if (error instanceof HostError && error.code === 'rejected') return undefined
      throw error
    })
  }

  private noAnswer(why: string): HostError {
    return new HostError('unreachable', `Moonraker at ${this.deps.config.url} (${why})`)
  }
}
