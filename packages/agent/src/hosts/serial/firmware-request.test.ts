import { expect, test } from 'vitest'
import { requestOf } from './firmware-request.js'

test.each([
  ['pause', 'printing', false, 'pause'],
  ['pause', 'paused', false, undefined],
  ['pause', 'idle', false, undefined],
  ['out_of_filament', 'printing', false, 'pause'],
  ['paused', 'printing', false, 'paused'],
  ['resume', 'paused', false, 'resume'],
  ['resume', 'printing', false, undefined],
  ['resumed', 'paused', true, 'resumed'],
  ['resumed', 'paused', false, undefined],
  ['resumed', 'printing', true, undefined],
  ['cancel', 'printing', false, 'cancel'],
  ['cancel', 'paused', true, 'cancel'],
  ['cancel', 'idle', false, undefined],
  ['disconnect', 'idle', false, 'disconnect'],
  ['start', 'idle', false, undefined],
  ['prompt_show', 'printing', false, undefined],
] as const)('%s while %s (paused by the firmware: %s) → %s', (action, phase, hasFirmwarePaused, request) => {
  expect(requestOf(action, phase, hasFirmwarePaused)).toBe(request)
})
