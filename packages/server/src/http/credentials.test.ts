import { expect, test } from 'vitest'
import { findAgentToken, findCredential } from './credentials.js'

const cookies = { printwarden_session: 'plain', '__Host-printwarden_session': 'secure' }

test.each([
  { name: 'a bearer token', headers: { authorization: 'Bearer abc' }, expected: { type: 'token', token: 'abc' } },
  {
    name: 'the scheme in other letters',
    headers: { authorization: 'bearer  abc' },
    expected: { type: 'token', token: 'abc' },
  },
  { name: 'the key header', headers: { 'x-api-key': 'abc' }, expected: { type: 'token', token: 'abc' } },
  {
    name: 'both: the bearer token counts',
    headers: { authorization: 'Bearer a', 'x-api-key': 'b' },
    expected: { type: 'token', token: 'a' },
  },
  {
    name: "a proxy's own scheme beside the key header",
    headers: { authorization: 'Basic eA==', 'x-api-key': 'b' },
    expected: { type: 'token', token: 'b' },
  },
  {
    name: 'a token before a cookie',
    headers: { authorization: 'Bearer a' },
    cookies,
    expected: { type: 'token', token: 'a' },
  },
  { name: 'the cookie on http', cookies, expected: { type: 'session', value: 'plain' } },
  { name: 'the cookie on https', cookies, isHttps: true, expected: { type: 'session', value: 'secure' } },
  { name: 'a plain cookie on https', cookies: { printwarden_session: 'plain' }, isHttps: true, expected: undefined },
  { name: "an agent's scheme", headers: { authorization: 'Token abc' }, expected: undefined },
  { name: 'a scheme without a token', headers: { authorization: 'Bearer ' }, expected: undefined },
  { name: 'nothing', expected: undefined },
])('$name', ({ headers = {}, cookies: sent = {}, isHttps = false, expected }) => {
  expect(findCredential(headers, sent, isHttps)).toEqual(expected)
})

test.each([
  { authorization: 'Bearer abc', expected: 'abc' },
  { authorization: 'Token abc', expected: 'abc' },
  { authorization: 'Basic abc', expected: undefined },
  { authorization: 'abc', expected: undefined },
  { authorization: undefined, expected: undefined },
])('an agent with $authorization', ({ authorization, expected }) => {
  expect(findAgentToken(authorization === undefined ? {} : { authorization })).toBe(expected)
})
