import { describe, expect, test } from 'vitest'
import { MAX_BROWSER_MESSAGE_BYTES, readBrowserMessage } from './browser-message.js'

const read = (value: unknown) => readBrowserMessage(Buffer.from(JSON.stringify(value)), false)

test.each([
  { name: 'a sign of life', message: {}, expected: { type: 'present' } },
  { name: 'something unknown', message: { hello: 1 }, expected: { type: 'present' } },
  {
    name: 'a call',
    message: { passthru: { target: '_printer', func: 'jog', args: [{ x: 10 }], ref: 'r1' } },
    expected: { type: 'passthru', call: { target: '_printer', func: 'jog', args: [{ x: 10 }], ref: 'r1' } },
  },
  {
    name: 'a call without arguments or a wish for a reply; what it should not have is left out',
    message: { passthru: { target: 'webcam_streamer', func: 'shutdown', more: 1 } },
    expected: { type: 'passthru', call: { target: 'webcam_streamer', func: 'shutdown' } },
  },
  {
    name: 'a path of the host',
    message: { passthru: { target: 'moonraker_api', func: 'printer/gcode/script', kwargs: { verb: 'post' } } },
    expected: {
      type: 'passthru',
      call: { target: 'moonraker_api', func: 'printer/gcode/script', kwargs: { verb: 'post' } },
    },
  },
  {
    name: 'an unknown target',
    message: { passthru: { target: '_settings', func: 'get', ref: 'r2' } },
    expected: { type: 'refused', ref: 'r2', detail: expect.stringMatching(/^target /) },
  },
  {
    name: 'no call at all',
    message: { passthru: 'x' },
    expected: { type: 'refused', ref: undefined, detail: expect.any(String) },
  },
])('$name', ({ message, expected }) => {
  expect(read(message)).toEqual(expected)
})

describe('names of functions', () => {
  test.each([
    { target: '_printer', func: 'home', taken: true },
    { target: '_printer', func: '__class__', taken: false },
    { target: '_printer', func: '_comm', taken: false },
    { target: '_printer', func: 'home.__call__', taken: false },
    { target: '_printer', func: 'a/b', taken: false },
    { target: '_printer', func: '', taken: false },
    { target: 'moonraker_api', func: 'server.files.list', taken: true },
    { target: 'moonraker_api', func: 'machine/proc_stats', taken: true },
    { target: 'moonraker_api', func: '/printer/info', taken: false },
    { target: 'moonraker_api', func: '../access/user', taken: false },
    { target: 'moonraker_api', func: 'a/../b', taken: false },
    { target: 'moonraker_api', func: 'a?b=c', taken: false },
    { target: 'moonraker_api', func: 'http://elsewhere', taken: false },
    { target: 'moonraker_api', func: `a${'/a'.repeat(60)}`, taken: false },
    { target: 'constructor', func: 'a', taken: false },
  ])('$target $func: $taken', ({ target, func, taken }) => {
    expect(read({ passthru: { target, func } }).type).toBe(taken ? 'passthru' : 'refused')
  })

  test('a long one costs no time', () => {
    const started = performance.now()
    read({ passthru: { target: 'moonraker_api', func: `${'a'.repeat(199)}!` } })
    expect(performance.now() - started).toBeLessThan(50)
  })
})

test.each([
  { name: 'no JSON', bytes: Buffer.from('{'), code: 4400 },
  { name: 'a list', bytes: Buffer.from('[]'), code: 4400 },
  { name: 'nested without end', bytes: Buffer.from(`{"a":${'['.repeat(500)}${']'.repeat(500)}}`), code: 4400 },
  { name: 'too large', bytes: Buffer.alloc(MAX_BROWSER_MESSAGE_BYTES + 1, ' '), code: 4413 },
])('$name closes with $code', ({ bytes, code }) => {
  expect(readBrowserMessage(bytes, false)).toMatchObject({ type: 'close', code })
})

test('bytes are no message', () => {
  expect(readBrowserMessage(Buffer.from('{}'), true)).toMatchObject({ type: 'close', code: 4400 })
})
