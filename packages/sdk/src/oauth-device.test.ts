import { expect, test } from 'vitest'
import { NetworkError } from './errors.js'
import { type DeviceSignIn, nextInterval, pollForTokens, readDeviceSignIn } from './oauth-device.js'
import { OAuthError } from './oauth-error.js'
import type { Tokens } from './oauth-tokens.js'

const tokens: Tokens = { access_token: 'a', scope: 'read', expires_at: 1 }
const refused = (code: string): OAuthError => new OAuthError(code, code)

test.each([
  { error: refused('authorization_pending'), next: 5 },
  { error: refused('slow_down'), next: 10 },
  { error: new NetworkError('lost'), next: 10 },
  { error: refused('access_denied'), next: undefined },
  { error: refused('expired_token'), next: undefined },
  { error: new Error('given up'), next: undefined },
])('after $error.message the next question comes after $next s', ({ error, next }) => {
  expect(nextInterval(5, error)).toBe(next)
})

const begun: DeviceSignIn = {
  code: { user_code: 'A', verification_uri: 'u', verification_uri_complete: 'u', expires_in: 60 },
  deviceCode: 'd',
  intervalSeconds: 5,
}

/** What became of a sign-in whose questions are answered like this, and how long it waited each time. */
async function pollWith(answers: readonly (Tokens | Error)[]): Promise<{ end: unknown; waits: number[] }> {
  const left = [...answers]
  const waits: number[] = []
  const ask = async (): Promise<Tokens> => {
    const answer = left.shift() ?? refused('authorization_pending')
    if (answer instanceof Error) throw answer
    return answer
  }
  const wait = async (ms: number): Promise<void> => void waits.push(ms / 1000)
  const end = await pollForTokens(begun, ask, wait).catch((error: unknown) => error)
  return { end, waits }
}

test('it waits before each question, and longer once it is told to', async () => {
  const answers = [refused('authorization_pending'), refused('slow_down'), refused('authorization_pending'), tokens]
  expect(await pollWith(answers)).toEqual({ end: tokens, waits: [5, 5, 10, 10] })
})

test('it outlives a network that is gone for a while, asking ever less often', async () => {
  expect(await pollWith([new NetworkError('lost'), new NetworkError('lost'), tokens])).toEqual({
    end: tokens,
    waits: [5, 10, 20],
  })
})

test('a user who says no ends it', async () => {
  expect(await pollWith([refused('access_denied')])).toMatchObject({ end: { code: 'access_denied' }, waits: [5] })
})

test('it ends when the code does, whatever the server says', async () => {
  const { end, waits } = await pollWith([])
  expect(end).toMatchObject({ code: 'expired_token' })
  expect(waits).toHaveLength(12)
})

test.each([
  { name: 'nothing', body: undefined },
  { name: 'another form', body: { code: 'x' } },
  { name: 'no lifetime', body: { device_code: 'd', user_code: 'u', verification_uri: 'v' } },
])('what is no answer of this endpoint is refused: $name', ({ body }) => {
  expect(() => readDeviceSignIn(body)).toThrow(expect.objectContaining({ code: 'unexpected_answer' }))
})

test('the interval and the complete address may be missing', () => {
  const body = { device_code: 'd', user_code: 'u', verification_uri: 'v', expires_in: 900 }
  expect(readDeviceSignIn(body)).toMatchObject({ intervalSeconds: 5, code: { verification_uri_complete: 'v' } })
})
