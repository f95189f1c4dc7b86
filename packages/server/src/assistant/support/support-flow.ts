import { ApiError } from '../../errors.js'
import { type JobKind, JOBS_SUBJECT } from '../../jobs/flow.js'
import { enqueueJob } from '../../jobs/store.js'
import type { Bus, Clock, Database, LiveStore, Log, Outbound } from '../../ports.js'
import { statusKey } from '../../printers/live-keys.js'
import type { Mailer } from '../../users/mailer.js'
import { VERSION } from '../../version.js'
import { z } from 'zod'
import { diagnosticsOf } from './diagnostics.js'
import { supportJson, supportMail } from './letter.js'
import {
  findSupportRequest,
  insertSupportRequest,
  listDeviationCounts,
  listLastEvents,
  listPrinterDiagnoses,
  listTimesSince,
  listUnsent,
  type SupportRow,
  updateSupportRequest,
} from './support-store.js'

export const SUPPORT_JOB = 'support_request'

const HOUR_MS = 3_600_000
const MAX_AN_HOUR = 5
const LAST_EVENTS = 50
const POST_TIMEOUT_MS = 20_000

/** What could not be sent is tried again with every start, for as long as it may still matter. */
const GIVEN_UP_AFTER_MS = 14 * 24 * HOUR_MS

export interface SupportFlowDeps {
  readonly database: Database
  readonly live: LiveStore
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly outbound: Outbound
  readonly mailer: Mailer | undefined
  /** An e-mail address, or an http(s) URL that takes JSON; undefined when requests are only kept. */
  readonly address: string | undefined
}

/** What a user writes. */
export interface SupportMessage {
  readonly userId: number
  readonly email: string
  readonly message: string
  readonly withDiagnostics: boolean
}

export type SupportFlow = ReturnType<typeof supportFlow>

/** Requests to whoever runs the server. Each is a row before anything is sent, so that none is lost when mail is down. */
export function supportFlow({ database, live, bus, clock, log, outbound, mailer, address }: SupportFlowDeps) {
  const { db } = database

  async function diagnostics(userId: number): Promise<string> {
    const [printers, deviations, events] = await Promise.all([
      listPrinterDiagnoses(db, userId),
      listDeviationCounts(db, userId),
      listLastEvents(db, userId, LAST_EVENTS),
    ])
    const statuses = await live.getMany(printers.map(({ id }) => statusKey(id)))
    const states = printers.flatMap(({ id }, index) => {
      const text = Status.safeParse(statuses[index]).data?.state.text
      return text === undefined ? [] : [[id, text] as const]
    })
    const { version: node, platform, arch } = process
    return diagnosticsOf({
      ...{ version: VERSION, node, platform: `${platform} ${arch}`, printers, deviations, events },
      states: new Map(states),
    })
  }

  async function send(request: SupportRow): Promise<void> {
    if (address === undefined) return
    if (!/^https?:/i.test(address)) {
      if (mailer === undefined) throw new Error('no mail server is configured')
      return mailer.send(supportMail(address, request))
    }
    const answer = await outbound.request({
      ...{ url: address, method: 'POST', maxBytes: 64 * 1024, timeoutMs: POST_TIMEOUT_MS },
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(supportJson(request)),
    })
    if (answer.status >= 300) throw new Error(`the support address answered ${answer.status}`)
  }

  const enqueue = (trx: typeof db, id: number): Promise<void> =>
    enqueueJob(trx, { kind: SUPPORT_JOB, key: `support/${id}`, payload: { id }, runAt: clock.now() }, clock.now())

  /** Sends one request. It may be sent twice when the server dies in between; its number stays the same. */
  const job: JobKind = {
    async run({ payload }) {
      const { id } = Payload.parse(payload)
      const request = await findSupportRequest(db, id)
      if (request === undefined || request.state === 'sent') return
      try {
        await send(request)
      } catch (err) {
        const error = (err instanceof Error ? err.message : String(err)).slice(0, 500)
        await updateSupportRequest(db, id, { error })
        throw err
      }
      const state = address === undefined ? 'kept' : 'sent'
      await updateSupportRequest(db, id, { state, error: null, sent_at: address === undefined ? null : clock.now() })
    },
    async gaveUp(payload, trx) {
      await updateSupportRequest(trx, Payload.parse(payload).id, { state: 'failed' })
      return undefined
    },
  }

  return {
    job,
    /** Keeps a request, to be sent by whoever does jobs. @throws {ApiError} rate_limited */
    async take({ userId, email, message, withDiagnostics }: SupportMessage): Promise<void> {
      const told = withDiagnostics ? await diagnostics(userId) : null
      const now = clock.now()
      await database.transaction(async (trx) => {
        const times = await listTimesSince(trx, userId, now - HOUR_MS)
        const oldest = times.at(-MAX_AN_HOUR)
        if (oldest !== undefined) {
          const retryAfterSeconds = Math.max(1, Math.ceil((oldest + HOUR_MS - now) / 1000))
          throw new ApiError('rate_limited', 'You wrote often within the last hour; try again later.', {
            retryAfterSeconds,
          })
        }
        const state = address === undefined ? 'kept' : 'waiting'
        const row = {
          user_id: userId,
          email,
          message,
          diagnostics: told,
          state,
          error: null,
          created_at: now,
          sent_at: null,
        }
        const { id } = await insertSupportRequest(trx, row)
        if (address !== undefined) await enqueue(trx, id)
      })
      bus.publish(JOBS_SUBJECT, {})
    },
    /** Tries again what could not be sent before. */
    async retry(): Promise<void> {
      if (address === undefined) return
      const ids = await listUnsent(db, clock.now() - GIVEN_UP_AFTER_MS)
      for (const id of ids) await database.transaction((trx) => enqueue(trx, id))
      if (ids.length > 0) log.info({ count: ids.length }, 'support requests are sent again')
    },
  }
}

const Payload = z.object({ id: z.int() })
const Status = z.looseObject({ state: z.looseObject({ text: z.string() }) })
