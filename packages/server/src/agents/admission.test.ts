import { expect, test } from 'vitest'
import { ApiError } from '../errors.js'
import { checkSubprotocol, mayConcern } from './admission.js'
import { isNewer } from './opening.js'
import { toAgentFrame } from './to-agent.js'

test.each([undefined, 'agent.v1', 'agent.v2, agent.v1', 'agent.v1,other'])(
  'the subprotocols "%s" are fine',
  (offered) => {
    expect(() => checkSubprotocol(offered)).not.toThrow()
  },
)

test.each(['', 'agent.v2', 'live.v1', 'agent.v1x'])('the subprotocols "%s" are refused', (offered) => {
  expect(() => checkSubprotocol(offered)).toThrow(ApiError)
})

test.each([
  { notice: { type: 'printer', printer_id: 7 }, expected: true },
  { notice: { type: 'printer', printer_id: 8 }, expected: false },
  { notice: { type: 'user', user_id: 3 }, expected: true },
  { notice: { type: 'user', user_id: 7 }, expected: false },
  { notice: { type: 'token', token_id: 7 }, expected: false },
  { notice: { type: 'session', session_id: 3 }, expected: false },
  { notice: 'nonsense', expected: false },
])('$notice concerns the agent: $expected', ({ notice, expected }) => {
  expect(mayConcern(notice, { printer_id: 7, user_id: 3 })).toBe(expected)
})

test.each([
  { other: { id: 'a', opened_at: 2 }, expected: true },
  { other: { id: 'z', opened_at: 0 }, expected: false },
  { other: { id: 'z', opened_at: 1 }, expected: true },
  { other: { id: 'a', opened_at: 1 }, expected: false },
  { other: { id: 'm', opened_at: 1 }, expected: false },
])('$other is newer: $expected', ({ other, expected }) => {
  expect(isNewer(other, { id: 'm', opened_at: 1 })).toBe(expected)
})

const command = {
  id: 'a1b2c3d4-0000-4000-8000-000000000001',
  cmd: 'pause',
  args: { retract: 6.5 },
  initiator: 'api',
  expires_in_ms: 30_000,
}

test('a command becomes a frame', () => {
  expect(toAgentFrame({ type: 'command', ...command })).toEqual({ commands: [command] })
})

test('a remote status becomes a frame, and stays partial', () => {
  expect(toAgentFrame({ type: 'remote_status', viewing: true })).toEqual({ remote_status: { viewing: true } })
})

test.each([null, 'x', { type: 'other' }, { type: 'command', ...command, cmd: 'explode' }])(
  '%j is no frame',
  (payload) => {
    expect(toAgentFrame(payload)).toBeUndefined()
  },
)
