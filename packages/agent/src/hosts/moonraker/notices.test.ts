import { expect, test } from 'vitest'
import { klippyDown } from './klippy.js'
import { noticeOfDown, noticesOf } from './notices.js'

const SENSOR = 'filament_switch_sensor runout'
const look = (state: string, detected: boolean, change: object = {}) => ({
  print_stats: { state, message: state === 'error' ? 'Move out of range' : '', filename: 'a.gcode' },
  [SENSOR]: { filament_detected: detected, enabled: true, ...change },
})

test.each([
  {
    name: 'filament that runs out',
    from: look('printing', true),
    to: look('printing', false),
    titles: ['Filament ran out'],
  },
  {
    name: 'together with its pause',
    from: look('printing', true),
    to: look('paused', false),
    titles: ['Filament ran out'],
  },
  { name: 'once', from: look('paused', false), to: look('paused', false), titles: [] },
  { name: 'not at rest', from: look('standby', true), to: look('standby', false), titles: [] },
  {
    name: 'not of a sensor that is switched off',
    from: look('printing', true),
    to: look('printing', false, { enabled: false }),
    titles: [],
  },
  { name: 'an error', from: look('printing', true), to: look('error', true), titles: ['The print failed'] },
  { name: 'an error, once', from: look('error', true), to: look('error', true), titles: [] },
])('$name', ({ from, to, titles }) => {
  expect(noticesOf(from, to).map(({ title }) => title)).toEqual(titles)
})

test('a shutdown is told with its reason, a restart is not', () => {
  expect(noticeOfDown(klippyDown('shutdown', 'ADC out of range\nand more'))).toEqual({
    about: 'error',
    title: 'Klipper has shut down',
    text: 'ADC out of range',
  })
  expect(noticeOfDown(klippyDown('disconnected'))).toBeUndefined()
})
