import type { Printer } from '@printwarden/sdk'
import { expect, test } from 'vitest'
import { canPausePrints, machineOrders, offers } from './printer-commands.js'

const ALL = ['pause', 'emergency_stop', 'restart_firmware', 'list_files', 'print_file']

const printer = (text: string | null, fields: object = {}, commands: unknown = ALL): Printer =>
  ({
    status: text === null ? null : { _ts: 1, state: { text, flags: {} } },
    current_print: null,
    settings: { commands },
    ...fields,
  }) as unknown as Printer

const NOTHING = { canStop: false, canRestart: false, canShowFiles: false, canPrint: false }

test.each([
  ['idle', printer('Operational'), { canStop: true, canRestart: true, canShowFiles: true, canPrint: true }],
  ['printing', printer('Printing', { current_print: {} }), { ...NOTHING, canStop: true, canShowFiles: true }],
  ['down', printer('Offline'), { ...NOTHING, canRestart: true }],
  ['away', printer(null), NOTHING],
  ['behind an agent that can nothing of it', printer('Operational', {}, ['pause']), NOTHING],
  ['behind an agent that says nothing', printer('Operational', {}, null), NOTHING],
  ['behind an agent that says nonsense', printer('Operational', {}, 'emergency_stop'), NOTHING],
])('a printer that is %s', (_, of, orders) => {
  expect(machineOrders(of)).toEqual(orders)
})

test('prints can be paused unless it is known that they cannot', () => {
  expect(canPausePrints(printer('Printing'))).toBe(true)
  expect(canPausePrints(printer(null, {}, null))).toBe(true)
  expect(canPausePrints(printer(null, {}, ['snapshot', 'start_watching']))).toBe(false)
  expect(canPausePrints(printer('Printing', { status: { watched_by: 'picture' } }, null))).toBe(false)
})

test('only what was told is offered', () => {
  expect(offers(printer('Operational'), 'exclude_object')).toBe(false)
})
