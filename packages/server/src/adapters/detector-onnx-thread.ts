import type { Worker } from 'node:worker_threads'
import { DetectorError, type Findings } from '../detection/detector.js'
import type { LookOptions } from '../detection/cameras/look-options.js'
import type { Log } from '../ports.js'
import type { FromDetectorWorker, ToDetectorWorker } from './detector-onnx-messages.js'

/** How long the worker may take for one picture before it counts as stuck. */
const DEFAULT_TIMEOUT_MS = 30_000
const FIRST_RESTART_MS = 1_000
const LAST_RESTART_MS = 60_000
/** A worker that ran this long had no trouble starting; the next failure is a new one. */
const STEADY_MS = 60_000
/** How long the worker may take to finish when it is told to stop. */
const DEFAULT_STOP_MS = 3_000
/** More than this are not let in: whoever asks then had better ask later. */
const MAX_WAITING = 16

const LOADING = 'The model is being loaded; this takes a moment.'
const RESTARTING = 'The detector has failed and is started again in a moment.'
const CLOSED = 'The server is stopping.'

interface Job {
  readonly id: number
  readonly picture: Uint8Array<ArrayBuffer>
  readonly options: LookOptions
  resolve(findings: Findings): void
  reject(error: DetectorError): void
}

export interface DetectorThreadOptions {
  /** Starts the worker; called again when it has died. */
  start(): Worker
  readonly log: Log
  /** Until then the worker is not started: it would take the processor from what is more urgent. */
  readonly after?: Promise<void> | undefined
  readonly timeoutMs?: number
  readonly firstRestartMs?: number
  readonly stopMs?: number
}

/**
 * The detector's worker thread. It has one picture at a time, so that its death costs that one alone: those that wait stay until it is
 * started again, which it is later each time. A model that it calls unusable is not tried again.
 */
export class DetectorThread {
  readonly #options: Required<Omit<DetectorThreadOptions, 'after'>>
  readonly #waiting: Job[] = []
  #current: { readonly job: Job; readonly timer: NodeJS.Timeout } | undefined
  #worker: Worker | undefined
  #restartTimer: NodeJS.Timeout | undefined
  #isLoaded = false
  /** Whether the worker that is or was there last ever loaded its model. */
  #hasLoaded = false
  #isUnusable = false
  #isClosed = false
  #problem: string | null = LOADING
  #restartMs: number
  #startedAt = 0
  #nextId = 0

  constructor({ after, ...options }: DetectorThreadOptions) {
    this.#options = {
      timeoutMs: DEFAULT_TIMEOUT_MS,
      firstRestartMs: FIRST_RESTART_MS,
      stopMs: DEFAULT_STOP_MS,
      ...options,
    }
    this.#restartMs = this.#options.firstRestartMs
    if (after === undefined) this.#start()
    else void after.then(() => this.#start())
  }

  get isReady(): boolean {
    return this.#isLoaded
  }

  /** Why it is not ready, in plain words; null when it is. */
  get problem(): string | null {
    return this.#isLoaded ? null : this.#problem
  }

  /** How many pictures it has, the one it looks at included. */
  get load(): number {
    return this.#waiting.length + (this.#current === undefined ? 0 : 1)
  }

  detect(picture: Uint8Array, options: LookOptions = {}): Promise<Findings> {
    if (!this.#isLoaded) return Promise.reject(unavailable(this.#problem ?? 'the detector is not ready'))
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(unavailable('too many pictures are waiting'))
    const id = this.#nextId++
    // A copy: the bytes given may be a part of a larger buffer, which would travel as a whole.
    const copy = new Uint8Array(picture)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, picture: copy, options, resolve, reject })
      this.#next()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#isLoaded = false
    this.#problem = CLOSED
    clearTimeout(this.#restartTimer)
    this.#rejectWaiting('the server is stopping')
    const worker = this.#worker
    if (worker === undefined) return
    const exited = new Promise<void>((resolve) => {
      worker.once('exit', () => resolve())
    })
    const message: ToDetectorWorker = { type: 'stop' }
    worker.postMessage(message)
    const timer = setTimeout(() => void worker.terminate(), this.#options.stopMs)
    await exited
    clearTimeout(timer)
  }

  /** Hands the worker the next picture, if it is free. */
  #next(): void {
    const worker = this.#worker
    if (worker === undefined || !this.#isLoaded || this.#current !== undefined) return
    const job = this.#waiting.shift()
    if (job === undefined) return
    const timer = setTimeout(() => this.#onStuck(worker), this.#options.timeoutMs)
    this.#current = { job, timer }
    const { id, picture, options } = job
    const message: ToDetectorWorker = { type: 'detect', id, picture, options }
    worker.postMessage(message, [picture.buffer])
  }

  #start(): void {
    if (this.#isClosed) return
    const worker = this.#options.start()
    this.#worker = worker
    this.#hasLoaded = false
    this.#startedAt = performance.now()
    worker.on('message', (message: FromDetectorWorker) => this.#onMessage(message))
    worker.on('error', (err) => this.#options.log.error({ err }, 'the detector thread failed'))
    worker.once('exit', () => this.#onExit(worker))
  }

  #onMessage(message: FromDetectorWorker): void {
    switch (message.type) {
      case 'loaded':
        this.#hasLoaded = true
        this.#isLoaded = !this.#isClosed
        this.#options.log.info({ model: message.model }, 'detector ready')
        return this.#next()
      case 'unusable':
        this.#isUnusable = true
        this.#problem = message.detail
        this.#options.log.error({ detail: message.detail }, 'failure detection is not available')
        return this.#worker?.postMessage({ type: 'stop' } satisfies ToDetectorWorker)
      case 'found':
        this.#finish(message.id)?.resolve(message.findings)
        return this.#next()
      case 'failed':
        this.#finish(message.id)?.reject(new DetectorError(message.code, message.detail))
        return this.#next()
    }
  }

  #onStuck(worker: Worker): void {
    this.#options.log.error({ timeout_ms: this.#options.timeoutMs }, 'the detector thread is stuck and is stopped')
    void worker.terminate()
  }

  #onExit(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#isLoaded = false
    const id = this.#current?.job.id
    if (id !== undefined) this.#finish(id)?.reject(unavailable('the detector thread ended'))
    // Waiting is worth while only for a worker that is known to start.
    if (!this.#hasLoaded) this.#rejectWaiting('the detector does not start')
    if (this.#isClosed || this.#isUnusable) return
    this.#problem = RESTARTING
    this.#restartLater()
  }

  #restartLater(): void {
    const { firstRestartMs, log } = this.#options
    if (performance.now() - this.#startedAt > STEADY_MS) this.#restartMs = firstRestartMs
    log.warn({ in_ms: this.#restartMs }, 'the detector thread is started again')
    this.#restartTimer = setTimeout(() => this.#start(), this.#restartMs)
    this.#restartMs = Math.min(this.#restartMs * 2, LAST_RESTART_MS)
  }

  #finish(id: number): Job | undefined {
    if (this.#current?.job.id !== id) return undefined
    const { job, timer } = this.#current
    clearTimeout(timer)
    this.#current = undefined
    return job
  }

  #rejectWaiting(why: string): void {
    for (const job of this.#waiting.splice(0)) job.reject(unavailable(why))
  }
}

function unavailable(detail: string): DetectorError {
  return new DetectorError('unavailable', detail)
}
