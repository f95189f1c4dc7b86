import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { ApiError } from '../errors.js'
import { isRetried, isStandby, refusalOf } from './database-postgres-errors.js'

const raised = (message: string, fields: object = {}): Error => Object.assign(new Error(message), fields)

test.each([
  { name: 'a full disk', error: raised('could not extend file', { code: '53100' }), code: 'storage_full' },
  { name: 'a server that stops', error: raised('terminating connection', { code: '57P01' }), code: 'unavailable' },
  { name: 'a server that is full', error: raised('too many clients already', { code: '53300' }), code: 'unavailable' },
  { name: 'nobody there', error: raised('connect ECONNREFUSED', { code: 'ECONNREFUSED' }), code: 'unavailable' },
  { name: 'a lost connection', error: raised('Connection terminated unexpectedly'), code: 'unavailable' },
  {
    name: 'a statement that took too long',
    error: raised('canceling statement', { code: '57014' }),
    code: 'unavailable',
  },
  { name: 'U+0000', error: raised('invalid byte sequence', { code: '22021' }), code: 'invalid_request' },
])('$name is $code', ({ error, code }) => {
  expect(refusalOf(error)).toBeInstanceOf(ApiError)
  expect(refusalOf(error)).toMatchObject({ code, cause: error })
})

test.each([
  { code: '23505', said: 'UNIQUE constraint failed: users users_email_key' },
  { code: '23503', said: 'FOREIGN KEY constraint failed: users users_email_key' },
  { code: '42703', said: 'as PostgreSQL says it' },
])('$code is told as "$said"', ({ code, said }) => {
  const error = raised('as PostgreSQL says it', { code, table: 'users', constraint: 'users_email_key' })
  expect(refusalOf(error)).toMatchObject({ name: 'StatementError', message: said, code })
})

test.each([
  { code: '40001', expected: true },
  { code: '40P01', expected: true },
  { code: '23505', expected: false },
])('a transaction that ended by $code is tried again: $expected', ({ code, expected }) => {
  expect(isRetried(refusalOf(raised('x', { code })))).toBe(expected)
})

test.each([
  { code: '25006', message: 'cannot execute INSERT in a read-only transaction', expected: true },
  { code: '0A000', message: 'cannot use serializable mode in a hot standby', expected: true },
  { code: '0A000', message: 'cached plan must not change result type', expected: false },
  { code: '23505', message: 'duplicate key', expected: false },
])('"$message" is said by a standby: $expected', ({ code, message, expected }) => {
  const error = Object.assign(new DatabaseError(message, message.length, 'error'), { code })
  expect(isStandby(error)).toBe(expected)
})

test('a defect stays what it is', () => {
  const error = new RangeError('more than a number can')
  expect(refusalOf(error)).toBe(error)
  expect(isRetried(error)).toBe(false)
})
