import { setTimeout as sleep } from 'node:timers/promises'
import {
  endpoints,
  type ImportOutcome,
  type ImportRecord,
  type ImportSource,
  MAX_IMPORT_RECORDS,
} from '@printwarden/protocol'
import { RefusedError, UnansweredError } from '../command-error.js'
import type { Connection } from '../connection.js'
import { isPassing, MAX_TRIES, waitMs } from './pace.js'

/** A request has room for this, and for what surrounds it. */
const MAX_REQUEST_CHARACTERS = 200_000

export interface TargetOptions {
  readonly email: string | undefined
  readonly source: ImportSource
  readonly isDryRun: boolean
}

export type ImportTarget = ReturnType<typeof importTarget>

/** This project's server, as it takes things over. A server that is restarted meanwhile is waited for. */
export function importTarget(server: Connection, { email, source, isDryRun }: TargetOptions) {
  let account = email ?? ''

  async function takeSome(records: readonly ImportRecord[]): Promise<ImportOutcome[]> {
    const body = { ...(email === undefined ? {} : { email }), source, dry_run: isDryRun, records: [...records] }
    const answer = await patiently(() => server.ask(endpoints.importRecords, { body }))
    account = answer.email
    return answer.outcomes
  }

  return {
    /** Whose account it is; known once something was sent. */
    account: () => account,
    isDryRun,
    async take(records: readonly ImportRecord[]): Promise<ImportOutcome[]> {
      const outcomes: ImportOutcome[] = []
      for (const some of batchesOf(records)) outcomes.push(...(await takeSome(some)))
      return outcomes
    },
    upload: (itemId: number, bytes: AsyncIterable<Uint8Array>): Promise<ImportOutcome> =>
      server.upload(endpoints.importBytes, { id: itemId }, bytes),
  }
}

/** Whether another try may help. */
export const mayPass = (error: unknown): boolean =>
  error instanceof UnansweredError || (error instanceof RefusedError && isPassing(error.status) && error.status !== 507)

async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if (!mayPass(error) || tries >= MAX_TRIES) throw error
      await sleep(waitMs(tries, undefined, Date.now()))
    }
  }
}

/** Records in pieces that one request has room for. */
export function batchesOf(records: readonly ImportRecord[]): ImportRecord[][] {
  const batches: ImportRecord[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const record of records) {
    const length = JSON.stringify(record).length
    const last = batches.at(-1)
    if (last === undefined || last.length >= MAX_IMPORT_RECORDS || size + length > MAX_REQUEST_CHARACTERS) {
      batches.push([record])
      size = length
    } else {
      last.push(record)
      size += length
    }
  }
  return batches
}
