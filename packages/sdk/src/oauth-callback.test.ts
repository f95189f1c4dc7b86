import { expect, test } from 'vitest'
import { isCallback, parsePending, readCallback, withPending } from './oauth-callback.js'
import { OAuthError } from './oauth-error.js'

const ISSUER = 'http://127.0.0.1:3334'
const begun = [
  { state: 'first', verifier: 'v1', begun_at: 1000 },
  { state: 'second', verifier: 'v2', begun_at: 2000 },
]
const iss = encodeURIComponent(ISSUER)

function outcomeOf(query: string): object {
  try {
    const outcome = readCallback(new URL(`http://app.test/?${query}`), begun, ISSUER)
    if ('code' in outcome) return { code: outcome.code, verifier: outcome.pending.verifier }
    return { error: outcome.error.code, text: outcome.error.message, state: outcome.pending.state }
  } catch (error) {
    return { thrown: error instanceof OAuthError ? error.code : error }
  }
}

test.each([
  { name: 'a code', query: `code=c&state=second&iss=${iss}`, to: { code: 'c', verifier: 'v2' } },
  { name: 'nothing', query: '', to: { thrown: 'state_mismatch' } },
  { name: 'no state', query: `code=c&iss=${iss}`, to: { thrown: 'state_mismatch' } },
  { name: 'an empty state', query: `code=c&state=&iss=${iss}`, to: { thrown: 'state_mismatch' } },
  { name: "another's state", query: `code=c&state=third&iss=${iss}`, to: { thrown: 'state_mismatch' } },
  {
    name: 'two states, one of them ours',
    query: `code=c&state=x&state=first&iss=${iss}`,
    to: { thrown: 'state_mismatch' },
  },
  {
    name: 'an error with a foreign state',
    query: `error=access_denied&state=x&iss=${iss}`,
    to: { thrown: 'state_mismatch' },
  },
  { name: 'no issuer', query: 'code=c&state=first', to: { thrown: 'issuer_mismatch' } },
  { name: 'another issuer', query: 'code=c&state=first&iss=http://evil.test', to: { thrown: 'issuer_mismatch' } },
  {
    name: 'an issuer that only begins alike',
    query: `code=c&state=first&iss=${iss}0`,
    to: { thrown: 'issuer_mismatch' },
  },
  { name: 'two issuers', query: `code=c&state=first&iss=${iss}&iss=x`, to: { thrown: 'issuer_mismatch' } },
  {
    name: 'an error',
    query: `error=access_denied&error_description=No.&state=first&iss=${iss}`,
    to: { error: 'access_denied', text: 'No.', state: 'first' },
  },
  {
    name: 'an error without words',
    query: `error=server_error&state=first&iss=${iss}`,
    to: { error: 'server_error', text: 'server_error', state: 'first' },
  },
  {
    name: 'an error beside a code',
    query: `code=c&error=x&state=first&iss=${iss}`,
    to: { error: 'x', text: 'x', state: 'first' },
  },
  { name: 'two codes', query: `code=a&code=b&state=first&iss=${iss}`, to: { error: 'unexpected_answer' } },
])('$name', ({ query, to }) => {
  expect(outcomeOf(query)).toMatchObject(to)
})

const HOUR_MS = 3_600_000

test.each([
  { name: 'what was stored', text: JSON.stringify(begun), now: 2000, states: ['first', 'second'] },
  { name: 'not after an hour', text: JSON.stringify(begun), now: 1000 + HOUR_MS, states: ['second'] },
  { name: 'nothing stored', text: undefined, now: 0, states: [] },
  { name: 'something else stored', text: '{"state":"x"}', now: 0, states: [] },
  {
    name: 'broken entries',
    text: '[null,1,{"state":"x"},{"state":1,"verifier":"v","begun_at":5}]',
    now: 5,
    states: [],
  },
  { name: 'broken text', text: '[{', now: 0, states: [] },
])('sign-ins under way: $name', ({ text, now, states }) => {
  expect(parsePending(text, now).map(({ state }) => state)).toEqual(states)
})

test('only the last few sign-ins are remembered', () => {
  const many = Array.from({ length: 20 }, (_, i) => ({ state: `s${i}`, verifier: 'v', begun_at: i }))
  const kept = many.reduce<typeof many>((sum, one) => withPending(sum, one), [])
  expect(kept.map(({ state }) => state)).toEqual(many.slice(-8).map(({ state }) => state))
})

test.each([
  { url: 'http://app.test/back?code=c&state=s', is: true },
  { url: 'http://app.test/back?error=e&state=s#part', is: true },
  { url: 'http://app.test/back?code=c', is: false },
  { url: 'http://app.test/back?state=s', is: false },
  { url: 'http://app.test/back', is: false },
  { url: 'http://app.test/?code=c&state=s', is: false },
  { url: 'http://app.test:81/back?code=c&state=s', is: false },
  { url: 'https://app.test/back?code=c&state=s', is: false },
])('$url is a callback: $is', ({ url, is }) => {
  expect(isCallback(new URL(url), 'http://app.test/back?tab=1')).toBe(is)
})
