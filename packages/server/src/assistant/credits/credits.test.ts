import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../../adapters/testing.js'
import type { Database } from '../../ports.js'
import { keptLog } from '../../testing.js'
import { insertUser } from '../../users/store.js'
import { type CreditsFlow, creditsFlow } from './credits-flow.js'
import { findCredits, loseAllHolds } from './credits-store.js'

// The book of credits on a real database. The engines suite runs the same on PostgreSQL.

const CALL_MS = 120_000
const log = keptLog()
let folder = ''
let database: Database
let userId = 0
let now = Date.parse('2026-03-10T12:00:00Z')
const clock = { now: () => now }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-credits-'))
  database = await openTestDatabase(folder)
  now = Date.parse('2026-03-10T12:00:00Z')
  userId = (await addUser('maker')).id
})
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

async function addUser(name: string) {
  const user = await insertUser(database.db, {
    ...{ email: `${name}@example.test`, username: null, disabled_at: null, consented_at: null, last_active_at: null },
    ...{ password_hash: 'none', is_admin: 0, date_joined: now, unsub_token: name },
  })
  if (user === undefined) throw new Error('the user was not added')
  return user
}

const flowWith = (defaultQuota: number): CreditsFlow =>
  creditsFlow({ database, clock, log, defaultQuota, longestCallMs: CALL_MS })

/** Calls under way count as used, so the book agrees with the account at any time. */
async function expectBalance(): Promise<void> {
  const account = await findCredits(database.db, userId)
  const sums = await database.db
    .selectFrom('ai_credit_entries')
    .select((eb) => [eb.fn.sum<number | null>('free').as('free'), eb.fn.sum<number | null>('granted').as('granted')])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const free = account === undefined || account.quota === -1 ? 0 : account.quota - account.used
  expect({ free: sums.free ?? 0, granted: sums.granted ?? 0 }).toEqual({ free, granted: account?.granted ?? 0 })
}

const shown = async (credits: CreditsFlow) => {
  const {
    ai_credit_free_monthly_quota: quota,
    ai_credit_used_current_month: used,
    ai_credit_granted: granted,
  } = await credits.read(userId)
  return { quota, used, granted }
}

const code = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { code?: unknown }) => error.code,
  )

test('who was never here has the server’s quota, and nothing is written by looking', async () => {
  expect(await shown(flowWith(5))).toEqual({ quota: 5, used: 0, granted: 0 })
  expect(await findCredits(database.db, userId)).toBeUndefined()
})

test('without a limit nothing is counted', async () => {
  const credits = flowWith(-1)
  await (await credits.take(userId, 'chat')).keep()
  await (await credits.take(userId, 'chat')).giveBack()
  expect(await shown(credits)).toEqual({ quota: -1, used: 0, granted: 0 })
  await expectBalance()
})

test('a credit is gone before the call runs, and back when the call failed', async () => {
  const credits = flowWith(1)
  const taken = await credits.take(userId, 'chat')
  expect(await shown(credits)).toEqual({ quota: 1, used: 1, granted: 0 })
  expect(await code(credits.take(userId, 'chat'))).toBe('credits_exhausted')
  await taken.giveBack()
  // Said twice, it is given back once.
  await taken.giveBack()
  await taken.keep()
  expect(await shown(credits)).toEqual({ quota: 1, used: 0, granted: 0 })
  const again = await credits.take(userId, 'chat')
  await again.keep()
  await again.giveBack()
  expect(await shown(credits)).toEqual({ quota: 1, used: 1, granted: 0 })
  await expectBalance()
})

test('a new month is seen by the clock, and a call over its end gives nothing back twice', async () => {
  const credits = flowWith(2)
  await (await credits.take(userId, 'chat')).keep()
  const late = await credits.take(userId, 'chat')
  now = Date.parse('2026-04-01T00:00:00Z')
  expect(await shown(credits)).toEqual({ quota: 2, used: 0, granted: 0 })
  await late.giveBack()
  expect(await shown(credits)).toEqual({ quota: 2, used: 0, granted: 0 })
  await expectBalance()
  await (await credits.take(userId, 'chat')).keep()
  expect(await shown(credits)).toEqual({ quota: 2, used: 1, granted: 0 })
  await expectBalance()
})

test('granted credits come after the month’s and stay over its end', async () => {
  const credits = flowWith(1)
  await credits.grant(userId, 2, 'for testing')
  for (let i = 0; i < 2; i++) await (await credits.take(userId, 'chat')).keep()
  expect(await shown(credits)).toEqual({ quota: 1, used: 1, granted: 1 })
  now = Date.parse('2026-05-01T00:00:00Z')
  expect(await shown(credits)).toEqual({ quota: 1, used: 0, granted: 1 })
  await expectBalance()
})

test('a quota of one’s own counts before the server’s, and another server’s quota is seen at once', async () => {
  await (await flowWith(5).take(userId, 'chat')).keep()
  expect(await shown(flowWith(3))).toEqual({ quota: 3, used: 1, granted: 0 })
  await flowWith(3).setQuota(userId, 9)
  expect(await shown(flowWith(3))).toEqual({ quota: 9, used: 1, granted: 0 })
  expect((await flowWith(3).quotas())(userId)).toBe(9)
  await flowWith(3).setQuota(userId, -1)
  await expectBalance()
  await flowWith(3).setQuota(userId, 0)
  expect(await code(flowWith(3).take(userId, 'chat'))).toBe('credits_exhausted')
  await expectBalance()
})

test('nobody has no account', async () => {
  expect(await code(flowWith(1).setQuota(987_654, 1))).toBe('not_found')
  expect(await code(flowWith(1).grant(987_654, 1, null))).toBe('not_found')
})

test('what a lost call took is given back: at the next question, or by whoever looks after it', async () => {
  const before = flowWith(1)
  await before.take(userId, 'chat')
  // Its node may still be at it.
  now += CALL_MS
  expect(await before.recover()).toBe(0)
  expect(await code(before.take(userId, 'chat'))).toBe('credits_exhausted')
  now += 60_001
  await (await flowWith(1).take(userId, 'chat')).keep()
  expect(await code(flowWith(1).take(userId, 'chat'))).toBe('credits_exhausted')
  await expectBalance()

  await before.grant(userId, 1, null)
  await before.take(userId, 'chat')
  await loseAllHolds(database.db)
  const nodes = [flowWith(1), flowWith(1), flowWith(1)]
  await Promise.all(nodes.map((node) => node.recover()))
  expect(await shown(before)).toEqual({ quota: 1, used: 1, granted: 1 })
  await expectBalance()
})

/** Numbers that look random and are the same each time. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

test.each([1, 2, 3])(
  'two hundred calls at once, many of which fail: the book balances (seed %i)',
  async (seed) => {
    const next = numbers(seed)
    const quota = Math.floor(next() * 60)
    const granted = 1 + Math.floor(next() * 40)
    // Two nodes on one database.
    const nodes = [flowWith(quota), flowWith(quota)]
    await nodes[0]?.grant(userId, granted, null)
    const ends = { kept: 0, back: 0, lost: 0, refused: 0 }
    const calls = Array.from({ length: 200 }, (_, index) => ({ node: nodes[index % 2], fate: next(), pause: next() }))

    await Promise.all(
      calls.map(async ({ node, fate, pause }) => {
        try {
          const taken = await node?.take(userId, 'chat')
          if (pause < 0.3) await new Promise((resolve) => setImmediate(resolve))
          if (fate < 0.4) await taken?.giveBack()
          else if (fate < 0.8) await taken?.keep()
          ends[fate < 0.4 ? 'back' : fate < 0.8 ? 'kept' : 'lost'] += 1
        } catch (error) {
          expect(error).toMatchObject({ code: 'credits_exhausted' })
          ends.refused += 1
        }
      }),
    )

    await expectBalance()
    expect(ends.kept + ends.lost).toBeLessThanOrEqual(quota + granted)
    expect(ends.kept + ends.back + ends.lost + ends.refused).toBe(200)
    const used = async () => {
      const account = await findCredits(database.db, userId)
      return (account?.used ?? 0) + granted - (account?.granted ?? 0)
    }
    expect(await used()).toBe(ends.kept + ends.lost)
    await loseAllHolds(database.db)
    expect(await nodes[1]?.recover()).toBe(ends.lost)
    expect(await used()).toBe(ends.kept)
    expect(await database.db.selectFrom('ai_credit_holds').selectAll().execute()).toEqual([])
    await expectBalance()
  },
  120_000,
)
