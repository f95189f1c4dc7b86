import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError, RefusedError } from '../command-error.js'
import { download } from './download.js'
import { MAX_TRIES, waitMs } from './pace.js'
import type { SourceClient } from './source-client.js'
import { SourceError } from './source-error.js'
import { noteMissing, noteOutcome, type Summary } from './summary.js'
import { type ImportTarget, mayPass } from './target.js'

/** Bytes to be brought over. */
export interface Transfer {
  readonly itemId: number
  readonly kind: string
  readonly source_id: number
  readonly name: string
  readonly url: string
  /** Asks for the address once more: addresses expire. */
  readonly renew: () => Promise<string | undefined>
}

export interface TransferDeps {
  readonly source: SourceClient
  readonly target: Pick<ImportTarget, 'upload'>
  readonly summary: Summary
  readonly onBytes: (count: number) => void
}

/** Brings bytes over, or notes why not. @throws {CommandError} when it makes no sense to go on */
export async function transfer(deps: TransferDeps, wanted: Transfer): Promise<void> {
  const { summary } = deps
  const { kind, source_id, name } = wanted
  let { url } = wanted
  let isRenewed = false
  for (let tries = 1; ; tries++) {
    const problem = await attempt(deps, wanted, url)
    if (problem === undefined) return
    if (problem instanceof SourceError && problem.code === 'gone' && !isRenewed) {
      isRenewed = true
      const fresh = await wanted.renew().catch(() => undefined)
      if (fresh !== undefined && fresh !== url) {
        url = fresh
        continue
      }
    }
    if (mayPass(problem)) {
      if (tries >= MAX_TRIES) throw problem
      await sleep(waitMs(tries, undefined, Date.now()))
      continue
    }
    if (stopsAll(problem)) throw problem
    const isFailed = problem instanceof SourceError && ['unreachable', 'broken', 'unauthorized'].includes(problem.code)
    const reason = problem.message
    noteMissing(summary, { kind, source_id, name, what: isFailed ? 'failed' : 'left_out', reason })
    return
  }
}

/** What no other thing would fare better with: no place, no permission, and what is a defect. */
function stopsAll(problem: unknown): boolean {
  if (problem instanceof SourceError) return false
  if (!(problem instanceof RefusedError)) return true
  return [401, 403, 507].includes(problem.status)
}

async function attempt(
  { source, target, summary, onBytes }: TransferDeps,
  wanted: Transfer,
  url: string,
): Promise<Error | undefined> {
  let failure: Error | undefined
  async function* counted(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of download(source, url)) {
        onBytes(chunk.length)
        summary.bytes += chunk.length
        yield chunk
      }
    } catch (error) {
      failure = asError(error)
      throw error
    }
  }
  try {
    noteOutcome(summary, await target.upload(wanted.itemId, counted()), wanted.name)
    return undefined
  } catch (error) {
    if (failure !== undefined) return failure
    if (error instanceof RefusedError && error.status === 507) {
      return new CommandError('the disk of the server is full; make room, then give the same command again', {
        cause: error,
      })
    }
    return asError(error)
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** Does the work for each of them, so many at a time. The first error ends it, once what is under way has ended. */
export async function eachAtOnce<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const open = items.values()
  let failure: { readonly error: unknown } | undefined
  async function run(): Promise<void> {
    for (const item of open) {
      if (failure !== undefined) return
      await work(item).catch((error: unknown) => {
        failure ??= { error }
      })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, run))
  if (failure !== undefined) throw failure.error
}
