import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../adapters/testing.js'
import type { Database } from '../ports.js'
import { keptLog } from '../testing.js'
import { insertUser } from '../users/store.js'
import { type CreditsFlow, creditsFlow } from './credits/credits-flow.js'
import { type PaidCall, type PaidCallFlow, type PaidWork, paidCallFlow } from './paid-call-flow.js'
import { wordsOf } from './words.js'

// What calls cost that end before their time, on a real book of credits.

const CALL_MS = 120_000
const log = keptLog()
let folder = ''
let database: Database
let credits: CreditsFlow
let calls: PaidCallFlow
let userId = 0
let now = 0

beforeEach(async () => {
  now = Date.parse('2026-03-10T12:00:00Z')
  folder = await mkdtemp(join(tmpdir(), 'printwarden-paid-'))
  database = await openTestDatabase(folder)
  const clock = { now: () => now }
  credits = creditsFlow({ database, clock, log, defaultQuota: 1, longestCallMs: CALL_MS })
  calls = paidCallFlow({ credits, log })
  const user = await insertUser(database.db, {
    ...{ email: 'a@example.test', username: null, disabled_at: null, consented_at: null, last_active_at: null },
    ...{ password_hash: 'none', is_admin: 0, date_joined: now, unsub_token: 'a' },
  })
  userId = user?.id ?? 0
})
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

const call = (more: Partial<PaidCall> = {}): PaidCall => ({
  ...{ userId, about: 'general.v2', words: wordsOf('en'), signal: new AbortController().signal },
  ...more,
})

const used = async (): Promise<number> => (await credits.read(userId)).ai_credit_used_current_month

/** Says a word, and then nothing until it is ended. */
const sayAndHang = (work: PaidWork): Promise<never> => {
  work.delivered()
  return new Promise((_, reject) => work.signal.addEventListener('abort', () => reject(work.signal.reason as Error)))
}

test('who hangs up after the first word has had it', async () => {
  const caller = new AbortController()
  const running = calls.run(call({ signal: caller.signal }), (work) => {
    setImmediate(() => caller.abort(new Error('gone')))
    return sayAndHang(work)
  })
  await expect(running).rejects.toMatchObject({ code: 'unavailable' })
  expect(await used()).toBe(1)
})

test('whose connection is cut since the server stops has not', async () => {
  const caller = new AbortController()
  let isBegun: () => void
  const begun = new Promise<void>((resolve) => (isBegun = resolve))
  const running = calls.run(call({ signal: caller.signal }), async (work) => {
    isBegun()
    return sayAndHang(work).finally(() => caller.abort(new Error('gone')))
  })
  const refused = expect(running).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('The server stops') as string,
  })
  await begun
  await calls.close()
  await refused
  expect(await used()).toBe(0)
})

test('nothing is looked at for who has no credit left', async () => {
  await (await credits.take(userId, 'general.v2')).keep()
  let isChecked = false
  const check = async (): Promise<void> => void (isChecked = true)
  const running = calls.run(call({ check }), async () => 'an answer')
  await expect(running).rejects.toMatchObject({ code: 'credits_exhausted', message: wordsOf('en').creditsExhausted })
  expect(isChecked).toBe(false)
})

test('what a lost call took counts as left', async () => {
  await credits.take(userId, 'general.v2')
  now += 2 * CALL_MS
  expect(await calls.run(call({ check: async () => undefined }), async () => 'an answer')).toBe('an answer')
})

test('what the check refuses costs nothing', async () => {
  const check = () => Promise.reject(new RangeError('too large'))
  await expect(calls.run(call({ check }), async () => 'an answer')).rejects.toThrow(RangeError)
  expect(await used()).toBe(0)
})

test('who hangs up while it is checked pays nothing, and is no defect', async () => {
  const caller = new AbortController()
  const check = async (): Promise<void> => {
    caller.abort(new Error('gone'))
    caller.signal.throwIfAborted()
  }
  const running = calls.run(call({ check, signal: caller.signal }), async () => 'an answer')
  await expect(running).rejects.toMatchObject({ code: 'unavailable' })
  expect(await used()).toBe(0)
})
