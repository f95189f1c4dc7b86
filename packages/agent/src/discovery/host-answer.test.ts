import { expect, test } from 'vitest'
import { moonrakerOf, octoPrintOf, withLoopback } from './host-answer.js'

const URL = 'http://127.0.0.1:7125'
const nothing = { status: 404, data: '<html>' }

test.each([
  {
    name: 'Moonraker',
    answer: { status: 200, data: { result: { klippy_state: 'ready', moonraker_version: '0.11.0' } } },
    text: `Moonraker 0.11.0 at ${URL}`,
  },
  {
    name: 'Moonraker with a key',
    answer: { status: 401, data: { error: { code: 401, message: 'Unauthorized' } } },
    text: `Moonraker at ${URL}, with a key`,
  },
  {
    name: 'Moonraker with a version that is made for the terminal',
    answer: { status: 200, data: { result: { klippy_state: 'ready', moonraker_version: '1\u001b[2J\n✓' } } },
    text: `Moonraker 1 [2J ✓ at ${URL}`,
  },
  { name: 'another program', answer: { status: 200, data: { result: 1 } }, text: undefined },
  { name: 'a page', answer: { status: 200, data: '<html>' }, text: undefined },
  { name: 'a closed door of another program', answer: { status: 401, data: 'no' }, text: undefined },
])('$name by its answer', ({ answer, text }) => {
  expect(moonrakerOf(URL, answer)?.text).toBe(text)
})

test.each([
  { name: 'OctoPrint without a word', probe: { status: 204, data: '' }, version: nothing, text: `OctoPrint at ${URL}` },
  {
    name: 'OctoPrint that tells its version',
    probe: nothing,
    version: { status: 200, data: { text: 'OctoPrint 1.11.8' } },
    text: `OctoPrint 1.11.8 at ${URL}`,
  },
  {
    name: 'a program that only speaks its language',
    probe: nothing,
    version: { status: 200, data: { text: 'OctoPrint (Moonraker v0.11.0)' } },
    text: undefined,
  },
  { name: 'a page', probe: { status: 200, data: '<html>' }, version: nothing, text: undefined },
])('$name by its answers', ({ probe, version, text }) => {
  expect(octoPrintOf(URL, probe, version)?.text).toBe(text)
})

test.each([
  ['http://192.168.1.5:7125', 'http://127.0.0.1:7125'],
  ['http://[fd00::5]:7125', 'http://127.0.0.1:7125'],
  ['http://192.168.1.5/octo', 'http://127.0.0.1/octo'],
  ['http://192.168.1.6:7125', 'http://192.168.1.6:7125'],
])('%s is reached as %s', (url, local) => {
  expect(withLoopback(url, ['192.168.1.5', '[fd00::5]'])).toBe(local)
})
