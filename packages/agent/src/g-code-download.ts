import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PrintArgs } from '@printwarden/protocol'
import { create, isAxiosError } from 'axios'
import { reasonOf } from './connection-reason.js'

/** A G-code file could not be fetched, or is not the one that was announced. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
}

/** A fetched file. */
export interface Download {
  readonly path: string
  remove(): Promise<void>
}

const IDLE_TIMEOUT_MS = 30_000

const http = create({ proxy: false, maxRedirects: 3, timeout: IDLE_TIMEOUT_MS, responseType: 'stream' })

/**
 * Fetches the file to a folder of its own, and makes sure that size and hash are the announced ones.
 *
 * @throws {DownloadError}
 */
export async function downloadGCode(args: PrintArgs, signal: AbortSignal): Promise<Download> {
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-g-code-'))
  const download = { path: join(folder, 'file'), remove: () => rm(folder, { recursive: true, force: true }) }
  try {
    const { data } = await http.get<Readable>(args.url, { signal })
    const check = new Check(args.num_bytes)
    await pipeline(data, check, createWriteStream(download.path), { signal })
    check.finish(args)
    return download
  } catch (error) {
    await download.remove()
    if (error instanceof DownloadError) throw error
    throw new DownloadError(`the file cannot be fetched (${answerOf(error) ?? reasonOf(error)})`, { cause: error })
  }
}

/** What the server said instead of the file, if it said anything. */
function answerOf(error: unknown): string | undefined {
  return isAxiosError(error) && error.response ? `the server answers ${error.response.status}` : undefined
}

/** Counts and hashes what passes, and stops a file that grows beyond its announced size. */
class Check extends Transform {
  private readonly hash = createHash('sha256')
  private size = 0

  constructor(private readonly announced: number) {
    super()
  }

  override _transform(chunk: Buffer, _encoding: string, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.size += chunk.length
    this.hash.update(chunk)
    if (this.size > this.announced) done(new DownloadError('the file is larger than announced'))
    else done(null, chunk)
  }

  finish({ num_bytes, sha256 }: PrintArgs): void {
    if (this.size !== num_bytes) throw new DownloadError(`the file has ${this.size} bytes instead of ${num_bytes}`)
    if (this.hash.digest('hex') !== sha256.toLowerCase())
      throw new DownloadError('the file is damaged: its hash is another')
  }
}
