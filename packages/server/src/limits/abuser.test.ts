import { afterEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'

// What a bad client takes from others while its allowance lasts, told by counts and by shares of processor time: those hold on a busy machine
// too. `npm run bench -- abuser` measures what 200 good agents notice.

const servers: TestServer[] = []

async function start(): Promise<TestServer> {
  const server = await startTestServer()
  servers.push(server)
  return server
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** Milliseconds of processor time that the work takes, in all threads. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

test('a body of very many small values is refused before it is read, which takes most of the time', async () => {
  const server = await start()
  const body = `{"first_name":[${'[0],'.repeat(250_000).slice(0, -1)}]}`
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${server.owner.token}` }
  const send = () => server.app.inject({ method: 'PATCH', url: '/api/v1/users/me/', headers, payload: body })
  const answer = await send()
  expect(answer.statusCode).toBe(413)
  expect(answer.json()).toMatchObject({ code: 'too_large', detail: 'The body holds more than 20000 values.' })
  const reading = await cpuOf(() => {
    for (let count = 0; count < 4; count += 1) JSON.parse(body)
  })
  const refusing = await cpuOf(async () => {
    for (let count = 0; count < 4; count += 1) await send()
  })
  expect(refusing).toBeLessThan(reading / 2)
})

test('statistics of one user are added up one after another, and those of others in between', async () => {
  const server = await start()
  const ask = (token: string) =>
    server.call('GET', '/api/v1/prints/stats/?from_date=2026-01-01&to_date=2026-12-31&timezone=UTC&group_by=month', {
      token,
    })
  let answered = 0
  const asked = Array.from({ length: 80 }, async () => {
    const { status } = await ask(server.owner.token)
    answered += 1
    return status
  })
  await Promise.race(asked)
  const { status } = await ask(server.other.token)
  expect(status).toBe(200)
  expect(answered).toBeLessThan(75)
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
})
