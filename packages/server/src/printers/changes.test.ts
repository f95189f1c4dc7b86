import { PrinterChanges } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { printerColumns } from './changes.js'

test('truth becomes 0 and 1, the rest stays, and what was not sent is not there', () => {
  const sent = { name: 'Left', watching_enabled: false, bed_off_on_pause: true, retract_on_pause: 0 }
  const columns = printerColumns(PrinterChanges.parse(sent))
  expect(columns).toStrictEqual({ name: 'Left', watching_enabled: 0, bed_off_on_pause: 1, retract_on_pause: 0 })
})

test('nothing sent, nothing set', () => {
  expect(Object.keys(printerColumns({}))).toEqual([])
})
