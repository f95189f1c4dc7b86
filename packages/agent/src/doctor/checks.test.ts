import { expect, test } from 'vitest'
import { makeStyle } from '../cli/style.js'
import { clockFinding, findBad, findGood, findingLines, tokenFinding, hostMend } from './checks.js'

const plain = makeStyle(false)

test.each([
  { offsetS: 0.4, ok: true, text: 'agrees with the server' },
  { offsetS: -12.3, ok: true, text: 'is 12 s behind the server' },
  { offsetS: 61, ok: false, text: 'is 61 s ahead of the server' },
  { offsetS: -3600, ok: false, text: 'is 3600 s behind the server' },
])('a clock $offsetS s off', ({ offsetS, ok, text }) => {
  expect(clockFinding(offsetS)).toMatchObject({ ok, text })
})

test.each([
  { status: 200, ok: true, text: 'accepted, for the printer "MK3"' },
  { status: 401, ok: false, text: 'refused' },
  { status: 404, ok: false, text: 'the server answers 404' },
])('a token answered with $status', ({ status, ok, text }) => {
  expect(tokenFinding('token', status, status === 200 ? 'MK3' : undefined)).toMatchObject({ ok, text })
})

test('what fails says how to mend it, on a line of its own', () => {
  expect(findingLines(findGood('server', 'answers'), plain)).toEqual(['ok    server: answers'])
  expect(findingLines(findBad('server', 'does not answer', 'start it'), plain)).toEqual([
    'FAIL  server: does not answer',
    '      → start it',
  ])
})

test('every failure has its remedy', () => {
  for (const finding of [clockFinding(900), tokenFinding('t', 401, undefined), tokenFinding('t', 500, undefined)]) {
    expect(finding.mend).toMatch(/\w/)
  }
})

test.each([
  { host: 'serial', code: 'unreachable', says: 'its device' },
  { host: 'octoprint', code: 'unreachable', says: 'start the host' },
  { host: 'octoprint', code: 'unauthorized', says: 'API key' },
  { host: 'moonraker', code: undefined, says: '[printer mk3]' },
] as const)('what to do about $host that is $code', ({ host, code, says }) => {
  expect(hostMend({ name: 'mk3', host: { host } }, code)).toContain(says)
})
