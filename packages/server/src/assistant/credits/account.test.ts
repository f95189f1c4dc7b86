import { describe, expect, test } from 'vitest'
import {
  broughtUpToDate,
  type CreditAccount,
  type CreditChange,
  debited,
  monthOf,
  newAccount,
  refunded,
  UNLIMITED,
  withGrant,
  withQuota,
} from './account.js'

const MARCH = monthOf(Date.parse('2026-03-31T23:59:59.999Z'))
const APRIL = monthOf(Date.parse('2026-04-01T00:00:00.000Z'))

const account = (changes: Partial<CreditAccount> = {}): CreditAccount => ({
  ...{ quota: 10, used: 3, granted: 0, month: MARCH },
  ...changes,
})

test('months follow each other by the clock in UTC, over the end of a year too', () => {
  expect(APRIL - MARCH).toBe(1)
  expect(monthOf(Date.parse('2027-01-01T00:00:00Z')) - monthOf(Date.parse('2026-12-31T23:00:00Z'))).toBe(1)
})

describe('a change', () => {
  test.each([
    { name: 'a new account', change: newAccount(10, MARCH), to: account({ used: 0 }), free: [10], granted: [0] },
    {
      name: 'a new account without a limit',
      change: newAccount(UNLIMITED, MARCH),
      to: account({ quota: UNLIMITED, used: 0 }),
    },
    { name: 'the same month', change: broughtUpToDate(account(), 10, MARCH), to: account() },
    {
      name: 'a new month',
      change: broughtUpToDate(account(), 10, APRIL),
      to: account({ used: 0, month: APRIL }),
      free: [3],
      granted: [0],
    },
    {
      name: 'a clock that goes back',
      change: broughtUpToDate(account({ month: APRIL }), 10, MARCH),
      to: account({ month: APRIL }),
    },
    {
      name: 'a new month and a new quota',
      change: broughtUpToDate(account(), 4, APRIL),
      to: account({ quota: 4, used: 0, month: APRIL }),
      free: [3, -6],
      granted: [0, 0],
    },
    {
      name: 'a lower quota than was used',
      change: withQuota(account(), 1),
      to: account({ quota: 1 }),
      free: [-9],
      granted: [0],
    },
    {
      name: 'no limit any more',
      change: withQuota(account(), UNLIMITED),
      to: account({ quota: UNLIMITED }),
      free: [-7],
      granted: [0],
    },
    {
      name: 'a limit again',
      change: withQuota(account({ quota: UNLIMITED }), 10),
      to: account(),
      free: [7],
      granted: [0],
    },
    { name: 'a grant', change: withGrant(account(), 5), to: account({ granted: 5 }), free: [0], granted: [5] },
    {
      name: 'a debit of the month',
      change: debited(account({ granted: 5 })),
      to: account({ used: 4, granted: 5 }),
      free: [-1],
      granted: [0],
    },
    {
      name: 'a debit of what was granted',
      change: debited(account({ used: 10, granted: 5 })),
      to: account({ used: 10, granted: 4 }),
      free: [0],
      granted: [-1],
    },
    {
      name: 'a debit without a limit',
      change: debited(account({ quota: UNLIMITED })),
      to: account({ quota: UNLIMITED }),
    },
    {
      name: 'a refund',
      change: refunded(account(), { free: -1, granted: 0, month: MARCH }),
      to: account({ used: 2 }),
      free: [1],
      granted: [0],
    },
    {
      name: 'a refund of what was granted',
      change: refunded(account(), { free: 0, granted: -1, month: MARCH }),
      to: account({ granted: 1 }),
      free: [0],
      granted: [1],
    },
    {
      name: 'a refund after the month has ended',
      change: refunded(account({ month: APRIL }), { free: -1, granted: 0, month: MARCH }),
      to: account({ month: APRIL }),
      free: [0],
      granted: [0],
    },
    {
      name: 'a refund when there is no limit any more',
      change: refunded(account({ quota: UNLIMITED }), { free: -1, granted: 0, month: MARCH }),
      to: account({ quota: UNLIMITED, used: 2 }),
      free: [0],
      granted: [0],
    },
  ] as { name: string; change: CreditChange; to: CreditAccount; free?: number[]; granted?: number[] }[])(
    '$name',
    ({ change, to, free = [], granted = [] }) => {
      expect(change.account).toEqual(to)
      expect(change.lines.map((line) => line.free)).toEqual(free)
      expect(change.lines.map((line) => line.granted)).toEqual(granted)
    },
  )

  test.each([
    { name: 'the month is used up', from: account({ used: 10 }) },
    { name: 'more than a lowered quota was used', from: account({ quota: 1 }) },
    { name: 'the quota is nought', from: account({ quota: 0, used: 0 }) },
  ])('no debit when $name', ({ from }) => {
    expect(debited(from)).toBeUndefined()
  })
})
