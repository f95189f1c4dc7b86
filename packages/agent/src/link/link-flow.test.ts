import { afterEach, expect, test } from 'vitest'
import { startFakeLinkServer, type FakeAnswer } from './fake-link-server.js'
import { checkServer } from './link-client.js'
import { LinkError, mendOf } from './link-error.js'
import { linkByCode } from './link-flow.js'

let server: Awaited<ReturnType<typeof startFakeLinkServer>> | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})

const problem = (status: number, code: string): FakeAnswer => ({
  status,
  body: { status, code, title: code, detail: code },
})
const started = (expires_in = 900): FakeAnswer => ({ status: 201, body: { code: '012345', secret: 's', expires_in } })
const pending: FakeAnswer = { status: 202, body: { state: 'pending', expires_in: 890 } }
const linked: FakeAnswer = { status: 200, body: { state: 'linked', printer_id: 7, auth_token: 'a'.repeat(40) } }

async function link(answers: readonly FakeAnswer[], signal: AbortSignal = new AbortController().signal) {
  server = await startFakeLinkServer(answers)
  const shown: (string | undefined)[] = []
  const result = await linkByCode({
    server: server.url,
    device: { device_name: 'pi', agent_version: '1.0.0' },
    display: { code: (code) => shown.push(code), waiting: (_left, trouble) => shown.push(trouble) },
    signal,
  }).catch((error: unknown) => (error instanceof LinkError ? error.code : error))
  return { result, shown }
}

test('the code is shown, and the token comes once somebody has entered it', async () => {
  const { result, shown } = await link([started(), pending, linked])
  expect(result).toEqual({ printerId: 7, authToken: 'a'.repeat(40) })
  expect(shown[0]).toBe('012345')
})

test('a server that is away for a moment is asked again, and that is told', async () => {
  const { result, shown } = await link([started(), { status: 0 }, problem(503, 'unavailable'), linked])
  expect(result).toMatchObject({ printerId: 7 })
  expect(shown.some((words) => words?.includes('does not answer'))).toBe(true)
})

test.each([
  { name: 'a code that is too old', answers: [started(1), pending, problem(410, 'expired')], code: 'expired' },
  { name: 'a token that was lost on its way', answers: [started(), problem(410, 'expired')], code: 'lost' },
  { name: 'a server that stays away', answers: [started(1), { status: 0 }], code: 'unreachable' },
  { name: 'an old server', answers: [problem(404, 'not_found')], code: 'old_server' },
  { name: 'too many agents', answers: [problem(429, 'rate_limited')], code: 'busy' },
  { name: 'no place left', answers: [problem(503, 'unavailable')], code: 'busy' },
  { name: 'an answer of another shape', answers: [{ status: 201, body: { code: 5 } }], code: 'refused' },
  { name: 'a token of another shape', answers: [started(), { status: 200, body: { state: 'x' } }], code: 'refused' },
  { name: 'an answer without end', answers: [{ status: 201, body: 'x'.repeat(200_000) }], code: 'unreachable' },
])('$name ends it with the reason', async ({ answers, code }) => {
  expect((await link(answers)).result).toBe(code)
})

test('whoever stops it stops it at once', async () => {
  const aborter = new AbortController()
  setTimeout(() => aborter.abort(), 100)
  expect((await link([started(), pending], aborter.signal)).result).toBe('stopped')
})

test.each([
  { name: 'a server that links agents', answer: problem(410, 'expired'), code: undefined },
  { name: 'a busy one', answer: problem(429, 'rate_limited'), code: undefined },
  { name: 'an old one', answer: problem(404, 'not_found'), code: 'old_server' },
  { name: 'another program', answer: { status: 404, body: '<html>' }, code: 'other_program' },
  { name: 'a program that takes anything', answer: { status: 200, body: {} }, code: 'other_program' },
  { name: 'one that moved', answer: { status: 308, headers: { location: 'https://b/' } }, code: 'moved' },
] as const)('$name is told by its answer', async ({ answer, code }) => {
  server = await startFakeLinkServer([answer])
  const found = await checkServer(server.url, new AbortController().signal).catch((error: unknown) => error)
  expect(found instanceof LinkError ? found.code : found).toBe(code)
  if (code !== undefined) expect(mendOf(code)).toMatch(/\w/)
})
