import { ApiError } from '@printwarden/sdk'
import { expect, test } from 'vitest'
import {
  groupedCode,
  isWholePasscode,
  kindOf,
  passcodeOf,
  passcodeProblem,
  placeOf,
  sendProblem,
} from './existing-words.js'

test.each([
  ['ab3de', 'ab3de', true],
  [' AB-3D E\n', 'ab3de', true],
  ['ab3defg', 'ab3de', true],
  ['ab3', 'ab3', false],
  ['', '', false],
])('%j is the passcode %j', (typed, passcode, isWhole) => {
  expect(passcodeOf(typed)).toBe(passcode)
  expect(isWholePasscode(passcode)).toBe(isWhole)
})

test('digits are read in threes', () => {
  expect(groupedCode('012345')).toBe('012 345')
})

test.each([
  [{ agent: 'A plugin for OctoPrint', machine_type: '' }, 'OctoPrint'],
  [{ agent: 'moonraker_x', machine_type: null }, 'Klipper'],
  [{ agent: 'something', machine_type: 'Klipper' }, 'Klipper'],
  [{ agent: 'Something else', machine_type: '' }, 'Something else'],
  [{ agent: null, machine_type: null }, 'An agent'],
])('%j is called %s', (agent, kind) => {
  expect(kindOf(agent)).toBe(kind)
})

test.each([
  [{ hostname: 'octopi', host_or_ip: '192.168.1.9' }, 'octopi, 192.168.1.9'],
  [{ hostname: '', host_or_ip: '192.168.1.9' }, '192.168.1.9'],
  [{ hostname: null, host_or_ip: null }, ''],
])('%j is at %j', (agent, place) => {
  expect(placeOf(agent)).toBe(place)
})

const answered = (status: number): ApiError =>
  Object.assign(Object.create(ApiError.prototype) as ApiError, { status, code: 'x', title: 'x', detail: 'x' })

test.each([
  [404, /No agent shows this code/, /not heard of/],
  [429, /Wait a minute/, undefined],
  [409, undefined, /Type the code below/],
])('an answer %d is explained', (status, passcode, send) => {
  const problems = [passcodeProblem(answered(status)), sendProblem(answered(status))]
  const expected = [passcode, send].map((words) => (words === undefined ? undefined : expect.stringMatching(words)))
  expect(problems).toEqual(expected)
})

test('what is no answer of the server is left to others', () => {
  expect([passcodeProblem(new Error('x')), sendProblem(new Error('x'))]).toEqual([undefined, undefined])
})
