import { expect, test } from 'vitest'
import { type AccountChange, accountColumns, cutsOff, endsSessions, losesAdministrator } from './account.js'

const NOW = 1_800_000_000_000
const administrator = { is_admin: 1, disabled_at: null }
const user = { is_admin: 0, disabled_at: null }
const disabled = { is_admin: 1, disabled_at: 5 }

test.each<{
  name: string
  before: typeof user | typeof disabled
  change: AccountChange
  loses: boolean
  ends: boolean
  cuts: boolean
}>([
  { name: 'a new password', before: user, change: { password: 'x' }, loses: false, ends: true, cuts: true },
  { name: 'disabling a user', before: user, change: { disabled: true }, loses: false, ends: true, cuts: true },
  {
    name: 'disabling an administrator',
    before: administrator,
    change: { disabled: true },
    loses: true,
    ends: true,
    cuts: true,
  },
  {
    name: 'taking the rights',
    before: administrator,
    change: { is_admin: false },
    loses: true,
    ends: false,
    cuts: true,
  },
  {
    name: 'taking the rights of one who is disabled',
    before: disabled,
    change: { is_admin: false },
    loses: false,
    ends: false,
    cuts: false,
  },
  {
    name: 'taking rights nobody had',
    before: user,
    change: { is_admin: false },
    loses: false,
    ends: false,
    cuts: false,
  },
  { name: 'giving rights', before: user, change: { is_admin: true }, loses: false, ends: false, cuts: false },
  { name: 'letting in again', before: disabled, change: { disabled: false }, loses: false, ends: false, cuts: false },
  { name: 'nothing', before: administrator, change: {}, loses: false, ends: false, cuts: false },
])('$name', ({ before, change, loses, ends, cuts }) => {
  expect(losesAdministrator(before, change)).toBe(loses)
  expect(endsSessions(change)).toBe(ends)
  expect(cutsOff(before, change)).toBe(cuts)
})

test.each<{
  name: string
  before: typeof user | typeof disabled
  change: AccountChange
  hash?: string
  columns: object
}>([
  { name: 'nothing', before: user, change: {}, columns: {} },
  { name: 'disabling', before: user, change: { disabled: true }, columns: { disabled_at: NOW } },
  {
    name: 'disabling twice keeps the first time',
    before: disabled,
    change: { disabled: true },
    columns: { disabled_at: 5 },
  },
  { name: 'letting in again', before: disabled, change: { disabled: false }, columns: { disabled_at: null } },
  {
    name: 'rights and password',
    before: user,
    change: { is_admin: true },
    hash: 'h',
    columns: { is_admin: 1, password_hash: 'h' },
  },
])('columns of $name', ({ before, change, hash, columns }) => {
  expect(accountColumns(before, change, hash, NOW)).toEqual(columns)
})
