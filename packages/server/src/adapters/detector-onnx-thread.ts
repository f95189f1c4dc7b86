import type { Worker } from 'node:worker_threads'
import { DetectorError, type Findings } from '../detection/detector.js'
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

interface Pending {
  resolve(findings: Findings): void
  reject(error: DetectorError): void
  readonly timer: NodeJS.Timeout
}

export interface DetectorThreadOptions {
  /** Starts the worker; called again when it has died. */
  start(): Worker
  readonly log: Log
  readonly timeoutMs?: number
  readonly firstRestartMs?: number
  readonly stopMs?: number
}

/**
 * The detector's worker thread. When it dies, the pictures it had fail alone, and it is started again, later each time. A model
 * that it calls unusable is not tried again.
 */
export class DetectorThread {
  readonly #options: Required<DetectorThreadOptions>
  readonly #pending = new Map<number, Pending>()
  #worker: Worker | undefined
  #restartTimer: NodeJS.Timeout | undefined
  #isLoaded = false
  #isUnusable = false
  #isClosed = false
  #restartMs: number
  #startedAt = 0
  #nextId = 0

  constructor(options: DetectorThreadOptions) {
    this.#options = {
      timeoutMs: DEFAULT_TIMEOUT_MS,
      firstRestartMs: FIRST_RESTART_MS,
      stopMs: DEFAULT_STOP_MS,
      ...options,
    }
    this.#restartMs = this.#options.firstRestartMs
    this.#start()
  }

  get isReady(): boolean {
    return this.#isLoaded
  }

  detect(picture: Uint8Array): Promise<Findings> {
    const worker = this.#worker
    if (worker === undefined || !this.#isLoaded) {
      return Promise.reject(new DetectorError('unavailable', 'the detector is not ready'))
    }
    const id = this.#nextId++
    // A copy: the bytes given may be a part of a larger buffer, which would travel as a whole.
    const copy = new Uint8Array(picture)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#onStuck(worker), this.#options.timeoutMs)
      this.#pending.set(id, { resolve, reject, timer })
      const message: ToDetectorWorker = { type: 'detect', id, picture: copy }
      worker.postMessage(message, [copy.buffer])
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#isLoaded = false
    clearTimeout(this.#restartTimer)
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

  #start(): void {
    const worker = this.#options.start()
    this.#worker = worker
    this.#startedAt = performance.now()
    worker.on('message', (message: FromDetectorWorker) => this.#onMessage(message))
    worker.on('error', (err) => this.#options.log.error({ err }, 'the detector thread failed'))
    worker.once('exit', () => this.#onExit(worker))
  }

  #onMessage(message: FromDetectorWorker): void {
    switch (message.type) {
      case 'loaded':
        this.#isLoaded = !this.#isClosed
        return this.#options.log.info({ model: message.model }, 'detector ready')
      case 'unusable':
        this.#isUnusable = true
        this.#options.log.error({ detail: message.detail }, 'failure detection is not available')
        return this.#worker?.postMessage({ type: 'stop' } satisfies ToDetectorWorker)
      case 'found':
        return this.#take(message.id)?.resolve(message.findings)
      case 'failed':
        return this.#take(message.id)?.reject(new DetectorError(message.code, message.detail))
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
    for (const id of this.#pending.keys()) {
      this.#take(id)?.reject(new DetectorError('unavailable', 'the detector thread ended'))
    }
    if (this.#isClosed || this.#isUnusable) return
    this.#restartLater()
  }

  #restartLater(): void {
    const { firstRestartMs, log } = this.#options
    if (performance.now() - this.#startedAt > STEADY_MS) this.#restartMs = firstRestartMs
    log.warn({ in_ms: this.#restartMs }, 'the detector thread is started again')
    this.#restartTimer = setTimeout(() => this.#start(), this.#restartMs)
    this.#restartMs = Math.min(this.#restartMs * 2, LAST_RESTART_MS)
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    clearTimeout(pending?.timer)
    return pending
  }
}
