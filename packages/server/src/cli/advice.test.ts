import { expect, test } from 'vitest'
import { adviceOf } from './advice.js'
import { aliveFinding, findingLine, readyFindings, versionFinding } from './diagnosis.js'

const problem = (status: number, code: string, detail: string, issues?: object[]): string =>
  JSON.stringify({ status, code, title: 'T', detail, issues })

test.each([
  { status: 409, text: problem(409, 'conflict', 'There is one already.'), advice: 'there is one already' },
  {
    status: 400,
    text: problem(400, 'invalid_request', 'D', [
      { path: 'email', message: 'is no address' },
      { path: '', message: 'odd' },
    ]),
    advice: 'email is no address; odd',
  },
  {
    status: 401,
    text: problem(401, 'unauthorized', 'Wrong.'),
    advice: 'wrong; check PRINTWARDEN_ADMIN_EMAIL and PRINTWARDEN_ADMIN_PASSWORD, or --token',
  },
  {
    status: 429,
    retryAfter: '30',
    text: problem(429, 'rate_limited', 'Too many.'),
    advice: 'too many; try again in 30 seconds',
  },
  {
    status: 502,
    text: '<h1>Bad gateway</h1>',
    advice: 'the server answered 502 and no reason; does --url name a Printwarden server?',
  },
])('$status is told as: $advice', ({ status, retryAfter = null, text, advice }) => {
  expect(adviceOf({ status, retryAfter, text })).toBe(advice)
})

test('doctor: a server that is ready', () => {
  const text = JSON.stringify({ status: 'ready', parts: { database: true, blobs: true } })
  expect(readyFindings({ status: 200, text }).map(findingLine)).toEqual(['ok    database: ready', 'ok    blobs: ready'])
})

test('doctor: a part that is not ready comes with advice', () => {
  const text = JSON.stringify({
    status: 'not_ready',
    parts: { database: true, detector: false },
    missing: ['detector'],
  })
  const [, detector] = readyFindings({ status: 503, text })
  expect(detector).toMatchObject({
    check: 'detector',
    ok: false,
    advice: expect.stringContaining('PRINTWARDEN_DETECTOR'),
  })
})

test('doctor: what the server says about a part comes first', () => {
  const text = JSON.stringify({ parts: { detector: false }, reasons: { detector: 'There is no model file x.onnx.' } })
  expect(readyFindings({ status: 503, text })[0]?.advice).toBe('There is no model file x.onnx.')
})

test('doctor: something that is no Printwarden', () => {
  expect(aliveFinding('http://x', { status: 404, text: 'no' })).toMatchObject({ ok: false })
  expect(readyFindings({ status: 200, text: 'welcome' })).toMatchObject([{ ok: false }])
})

test('doctor: versions', () => {
  expect(versionFinding('1.2.0', '1.2.0')).toMatchObject({ ok: true })
  expect(versionFinding('1.3.0', '1.2.0')).toMatchObject({
    ok: false,
    detail: 'the server is 1.3.0, this command 1.2.0',
  })
})
