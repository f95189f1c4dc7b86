import { createHash, type Hash } from 'node:crypto'
import { mkdir, mkdtemp, open, rm, statfs, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { PrintArgs } from '@printwarden/protocol'
import { create, isAxiosError } from 'axios'
import { backoffMs } from '../time/backoff.js'
import type { Clock } from '../time/clock.js'
import { reasonOf } from '../uplink/connection-reason.js'
import { resumeHeaders, startOf } from './g-code-range.js'
import type { Log } from '../log/log.js'

/** A G-code file could not be fetched, or is not the one that was announced. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
}

/** A fetched file. */
export interface Download {
  readonly path: string
  remove(): Promise<void>
}

export interface DownloadDeps {
  /** Where the file is kept while it comes; made when it is not there. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

/** A connection over which nothing comes for this long is given up. */
const IDLE_TIMEOUT_MS = 30_000
/** So many tries one after the other may bring nothing before the file is given up. One that brings something begins the count anew. */
const MAX_VAIN_TRIES = 8
const BACKOFF = { baseMs: 1_000, maxMs: 30_000 }
/** The printer's host needs some room of its own: what prints must not stop because a file has filled the card. */
const SPARE_BYTES = 50 * 1024 * 1024

const http = create({
  proxy: false,
  maxRedirects: 3,
  timeout: IDLE_TIMEOUT_MS,
  responseType: 'stream',
  decompress: false,
})

/**
 * Fetches the file to a folder of its own, and makes sure that size and hash are the announced ones. When the connection breaks, the
 * rest is fetched and what is there stays.
 *
 * @throws {DownloadError}
 */
export async function downloadGCode(args: PrintArgs, deps: DownloadDeps): Promise<Download> {
  await mkdir(deps.folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new DownloadError(`there is no place for the file (${reasonOf(error)})`, { cause: error })
  })
  checkAddress(args.url)
  await checkRoom(deps.folder, args.num_bytes)
  const folder = await mkdtemp(join(deps.folder, 'file-'))
  const download = { path: join(folder, 'file'), remove: () => rm(folder, { recursive: true, force: true }) }
  try {
    await new Fetching(args, deps).run(download.path)
    return download
  } catch (error) {
    await download.remove()
    if (error instanceof DownloadError) throw error
    throw new DownloadError(`the file cannot be fetched (${reasonOf(error)})`, { cause: error })
  }
}

/** The library behind it also reads addresses that hold the file themselves. */
function checkAddress(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : 'nothing'
  if (protocol === 'http:' || protocol === 'https:') return
  throw new DownloadError(`the file is at an address that is not of the web (${protocol})`)
}

async function checkRoom(folder: string, numBytes: number): Promise<void> {
  // Where it cannot be asked, writing tells.
  const room = await statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Number.POSITIVE_INFINITY,
  )
  if (numBytes + SPARE_BYTES <= room) return
  const mib = (bytes: number): number => Math.floor(bytes / 1024 / 1024)
  throw new DownloadError(`the file has no room here: it has ${mib(numBytes)} MiB, and ${mib(room)} MiB are free`)
}

/** One file on its way: what has come of it, and the next try. */
class Fetching {
  private hash: Hash = createHash('sha256')
  private size = 0
  private tag: string | undefined
  private wasResumed = false

  constructor(
    private readonly args: PrintArgs,
    private readonly deps: DownloadDeps,
  ) {}

  async run(path: string): Promise<void> {
    const file = await open(path, 'w', 0o600)
    try {
      await this.fetchAll(file)
      if (this.isRight()) return
      // A part that was put to the wrong beginning is as likely as a file that is damaged: once more, in one piece.
      if (!this.wasResumed) throw new DownloadError('the file is damaged: its hash is another')
      await this.startAnew(file)
      await this.fetchAll(file)
      if (!this.isRight()) throw new DownloadError('the file is damaged: its hash is another')
    } finally {
      await file.close()
    }
  }

  private async fetchAll(file: FileHandle): Promise<void> {
    const { clock, random, signal, log } = this.deps
    for (let vainTries = 0; this.size < this.args.num_bytes || this.size === 0; ) {
      const before = this.size
      try {
        await this.fetchRest(file)
        if (this.size === this.args.num_bytes) return
        throw new Error(`it ended after ${this.size} of ${this.args.num_bytes} bytes`)
      } catch (error) {
        if (signal.aborted || error instanceof DownloadError) throw error
        vainTries = this.size > before ? 1 : vainTries + 1
        const why = answerOf(error) ?? reasonOf(error)
        if (vainTries >= MAX_VAIN_TRIES)
          throw new DownloadError(`the file cannot be fetched (${why})`, { cause: error })
        const retryInMs = backoffMs(vainTries, random(), BACKOFF)
        log.info({ bytes: this.size, of: this.args.num_bytes, why, retry_ms: retryInMs }, 'the download goes on later')
        await pause(clock, retryInMs, signal)
      }
    }
  }

  /** One request for what is missing. */
  private async fetchRest(file: FileHandle): Promise<void> {
    const { clock, signal } = this.deps
    signal.throwIfAborted()
    const trying = new AbortController()
    const stop = (): void => trying.abort()
    signal.addEventListener('abort', stop)
    let cancelIdle = clock.after(IDLE_TIMEOUT_MS, stop)
    try {
      const { status, headers, data } = await http.get<Readable>(this.args.url, {
        headers: resumeHeaders(this.size, this.tag),
        signal: trying.signal,
        validateStatus: (code) => code === 200 || code === 206 || code === 416,
      })
      data.on('error', () => undefined)
      const start = startOf(status, String(headers['content-range'] ?? ''))
      if (start !== this.size) {
        await this.startAnew(file)
        if (start !== 0) return void data.destroy()
      }
      this.wasResumed ||= this.size > 0
      this.checkLength(this.size + Number(headers['content-length'] ?? Number.NaN))
      this.tag = typeof headers['etag'] === 'string' ? headers['etag'] : undefined
      for await (const chunk of data) {
        cancelIdle()
        cancelIdle = clock.after(IDLE_TIMEOUT_MS, stop)
        await this.keep(file, chunk as Buffer)
      }
    } catch (error) {
      throw isForGood(error)
        ? new DownloadError(`the file cannot be fetched (${answerOf(error) ?? reasonOf(error)})`, { cause: error })
        : error
    } finally {
      cancelIdle()
      signal.removeEventListener('abort', stop)
    }
  }

  /** What is too short now stays too short, however often it is asked for. An unknown length is found out. */
  private checkLength(bytes: number): void {
    if (bytes >= this.args.num_bytes || Number.isNaN(bytes)) return
    throw new DownloadError(`the file has ${bytes} bytes instead of ${this.args.num_bytes}`)
  }

  private async keep(file: FileHandle, chunk: Buffer): Promise<void> {
    if (this.size + chunk.length > this.args.num_bytes) throw new DownloadError('the file is larger than announced')
    try {
      for (let at = 0; at < chunk.length; ) {
        const { bytesWritten } = await file.write(chunk, at, chunk.length - at, this.size + at)
        at += bytesWritten
      }
    } catch (error) {
      throw new DownloadError(`the file cannot be kept (${reasonOf(error)})`, { cause: error })
    }
    this.size += chunk.length
    this.hash.update(chunk)
  }

  private async startAnew(file: FileHandle): Promise<void> {
    await file.truncate(0)
    this.hash = createHash('sha256')
    this.size = 0
    this.tag = undefined
    this.wasResumed = false
  }

  private isRight(): boolean {
    return this.hash.copy().digest('hex') === this.args.sha256.toLowerCase()
  }
}

/** What the server said instead of the file, if it said anything. */
function answerOf(error: unknown): string | undefined {
  return isAxiosError(error) && error.response ? `the server answers ${error.response.status}` : undefined
}

/** Whether another try would bring the same answer. */
function isForGood(error: unknown): boolean {
  if (!isAxiosError(error)) return false
  // It is sent to where nothing is to be fetched, or from one address to the next.
  if (error.code?.startsWith('ERR_FR_')) return true
  const status = error.response?.status
  return status !== undefined && status < 500 && status !== 408 && status !== 429
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    const stop = (): void => {
      cancel()
      reject(new DownloadError('the agent stops'))
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}
