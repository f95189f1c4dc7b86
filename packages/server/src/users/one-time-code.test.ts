import { expect, test } from 'vitest'
import { codeAt, enrolment, plainRecoveryCode, shownRecoveryCode, stepOfCode } from './one-time-code.js'

// The vectors of RFC 6238, appendix B (SHA-1), by their last six digits.
const RFC_SECRET = Buffer.from('12345678901234567890').toString('hex')

test.each([
  { seconds: 59, code: '287082', step: 1 },
  { seconds: 1_111_111_109, code: '081804', step: 37_037_036 },
  { seconds: 1_111_111_111, code: '050471', step: 37_037_037 },
  { seconds: 1_234_567_890, code: '005924', step: 41_152_263 },
  { seconds: 2_000_000_000, code: '279037', step: 66_666_666 },
])('RFC 6238 at $seconds s', ({ seconds, code, step }) => {
  expect(codeAt(RFC_SECRET, seconds * 1000)).toBe(code)
  expect(stepOfCode(RFC_SECRET, code, seconds * 1000)).toBe(step)
  expect(stepOfCode(RFC_SECRET, code, (seconds + 30) * 1000)).toBe(step)
  expect(stepOfCode(RFC_SECRET, code, (seconds + 90) * 1000)).toBeUndefined()
})

test.each(['', '12345', '1234567', 'abcdef', '28708２', '-87082', '287082\n1'])('%j is no code', (code) => {
  expect(stepOfCode(RFC_SECRET, code, 59_000)).toBeUndefined()
})

test('a code may be typed in groups', () => {
  expect(stepOfCode(RFC_SECRET, ' 287 082 ', 59_000)).toBe(1)
})

test('the secret goes over to an authenticator', () => {
  const { uri, typed } = enrolment(RFC_SECRET, 'me+x@farm.example')
  expect(uri).toMatch(/^otpauth:\/\/totp\/Printwarden:me%2Bx%40farm\.example\?/)
  expect(uri).toContain('secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  expect(typed.replaceAll(' ', '')).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
})

test('recovery codes are read as people type them', () => {
  expect(shownRecoveryCode('0123456789ab')).toBe('0123-4567-89ab')
  expect(plainRecoveryCode(' 0123-4567 89AB ')).toBe('0123456789ab')
  expect(plainRecoveryCode('0123-4567-89')).toBeUndefined()
  expect(plainRecoveryCode('287082')).toBeUndefined()
})
