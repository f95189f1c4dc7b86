import { AgentLink, AgentLinkState, Printer } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { memoryLiveStore } from '../adapters/live-memory.js'
import { startTestServer, type TestAnswer, type TestServer } from '../testing.js'
import { TestAgent } from './testing.js'
import { fakeClock } from './fake-clock.js'

const clock = fakeClock()
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ clock, live: memoryLiveStore(clock) })
})

afterAll(async () => {
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  await server.close()
})

beforeEach(() => clock.advance(3_600_000))

const request = (body: unknown = { device_name: 'pi', agent_version: '1.0.0' }): Promise<TestAnswer> =>
  server.call('POST', '/api/v1/agent/link/', { token: null, body })

async function start(device_name = 'pi'): Promise<AgentLink> {
  const { status, json } = await request({ device_name, agent_version: '1.0.0' })
  expect(status).toBe(201)
  return AgentLink.parse(json)
}

const poll = (secret: string): Promise<TestAnswer> =>
  server.call('POST', '/api/v1/agent/link/poll/', { token: null, body: { secret } })

const enter = (body: object, token = server.owner.token): Promise<TestAnswer> =>
  server.call('POST', '/api/v1/printers/link/', { token, body })

test('from the code on the screen to an agent that is let in', async () => {
  const { code, secret, expires_in } = await start('mk3 in the cellar')
  expect(code).toMatch(/^\d{6}$/)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(expires_in).toBe(900)
  clock.advance(10_000)
  const pending = await poll(secret)
  expect([pending.status, pending.json]).toMatchObject([202, { state: 'pending' }])
  const waiting = AgentLinkState.parse(pending.json)
  expect(waiting.state === 'pending' && waiting.expires_in).toBeLessThanOrEqual(890)

  const entered = await enter({ code })
  expect(entered.status).toBe(200)
  const printer = Printer.parse(entered.json)
  expect(printer.name).toBe('mk3 in the cellar')

  const linked = await poll(secret)
  expect([linked.status, linked.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(linked.json).toEqual({ state: 'linked', printer_id: printer.id, auth_token: printer.auth_token })
  const agent = await server.call('GET', '/api/v1/agent/printer/', { token: printer.auth_token })
  expect(agent.json).toMatchObject({ printer: { id: printer.id } })

  // The token was handed out, once.
  expect(await poll(secret)).toMatchObject({ status: 410, json: { code: 'expired' } })
  expect((await enter({ code })).status).toBe(404)
})

test("a name of the user's own, and one printer for each link", async () => {
  const { code } = await start()
  expect((await enter({ code, name: 'Left' })).json).toMatchObject({ name: 'Left' })
})

test('linking a printer anew keeps it and cuts off the agent before', async () => {
  const { printer, auth_token } = await server.addPrinter(server.owner.id, 'Old faithful')
  const before = await TestAgent.open(server.url, [], { headers: { authorization: `Bearer ${auth_token}` } })
  const { code, secret } = await start()
  expect((await enter({ code, printer_id: printer.id })).json).toMatchObject({ id: printer.id, name: 'Old faithful' })
  expect(await before.closed).toBe(4401)
  const linked = AgentLinkState.parse((await poll(secret)).json)
  if (linked.state !== 'linked') throw new Error('not linked')
  expect(linked.printer_id).toBe(printer.id)
  expect(linked.auth_token).not.toBe(auth_token)
  const after = await TestAgent.open(server.url, [], { headers: { authorization: `Bearer ${linked.auth_token}` } })
  await after.kill()
})

test('of two polls at once one gets the token', async () => {
  const { code, secret } = await start()
  await enter({ code })
  const answers = await Promise.all(Array.from({ length: 10 }, () => poll(secret)))
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array<number>(9).fill(410)])
})

test('of two users who enter the same code one gets the agent', async () => {
  const { code, secret } = await start()
  const [mine, theirs] = await Promise.all([enter({ code }), enter({ code }, server.other.token)])
  const winners = [mine, theirs].filter(({ status }) => status === 200)
  expect([mine.status, theirs.status].sort((a, b) => a - b)).toEqual([200, 404])
  expect((await poll(secret)).json).toMatchObject({ printer_id: Printer.parse(winners[0]?.json).id })
})

test('a printer of another is not linked, and the code is still good', async () => {
  const foreign = (await server.addPrinter(server.other.id)).printer
  const { code, secret } = await start()
  const refused = await enter({ code, printer_id: foreign.id })
  const missing = await enter({ code, printer_id: 999_999 })
  expect([refused.status, refused.text]).toEqual([404, missing.text])
  expect((await enter({ code: 'nobody' })).text).toBe(missing.text)
  expect((await poll(secret)).status).toBe(202)
  expect((await enter({ code })).status).toBe(200)
})

test('a code is good for fifteen minutes; entered at the last moment, its token can still be fetched', async () => {
  const late = await start()
  clock.advance(899_000)
  expect((await enter({ code: late.code })).status).toBe(200)
  const old = await start()
  clock.advance(2000)
  expect((await poll(late.secret)).status).toBe(200)
  clock.advance(900_000)
  expect((await enter({ code: old.code })).status).toBe(404)
  expect(await poll(old.secret)).toMatchObject({ status: 410, json: { code: 'expired' } })
})

test('a token that nobody fetched is not handed out later', async () => {
  const { code, secret } = await start()
  await enter({ code })
  clock.advance(5 * 60_000)
  expect((await poll(secret)).status).toBe(410)
})

test('a printer that was deleted meanwhile takes the link along', async () => {
  const { code, secret } = await start()
  const { id } = Printer.parse((await enter({ code })).json)
  await server.call('DELETE', `/api/v1/printers/${id}/`)
  expect((await poll(secret)).status).toBe(410)
})

test('five wrong tries a minute, for each user', async () => {
  const { code } = await start()
  const wrong = code === '000000' ? '000001' : '000000'
  const tries = await Promise.all(Array.from({ length: 20 }, () => enter({ code: wrong })))
  expect(tries.filter(({ status }) => status === 404)).toHaveLength(5)
  const limited = await enter({ code })
  expect(limited.status).toBe(429)
  expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  // Another user is not held up.
  expect((await enter({ code: wrong }, server.other.token)).status).toBe(404)
  clock.advance(60_000)
  expect((await enter({ code })).status).toBe(200)
})

test('right codes count nothing: a farm is linked at one go', async () => {
  for (let count = 0; count < 8; count += 1) expect((await enter({ code: (await start()).code })).status).toBe(200)
})

test('many accounts at one address do not get further than fifteen', async () => {
  const tokens = [server.owner, server.other, await server.addUser('third'), await server.addUser('fourth')].map(
    ({ token }) => token,
  )
  const tries = await Promise.all(
    tokens.flatMap((token) => Array.from({ length: 5 }, () => enter({ code: 'x' }, token))),
  )
  expect(tries.filter(({ status }) => status === 404)).toHaveLength(15)
})

test('asking for codes is limited per address', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => request()))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(30)
  const limited = await request()
  expect([limited.status, limited.json]).toMatchObject([429, { code: 'rate_limited' }])
  clock.advance(Number(limited.headers.get('retry-after')) * 1000)
  expect((await request()).status).toBe(201)
})

test.each([
  { name: 'no name', body: { agent_version: '1' } },
  { name: 'an empty name', body: { device_name: '  ', agent_version: '1' } },
  { name: 'a long name', body: { device_name: 'x'.repeat(300), agent_version: '1' } },
  { name: 'a name that is no text', body: { device_name: 7, agent_version: '1' } },
  { name: 'NUL', body: { device_name: 'a\0b', agent_version: '1' } },
])('$name is refused', async ({ body }) => {
  expect(await request(body)).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
})

test.each([
  { name: 'no code', body: {}, path: 'code' },
  { name: 'a code that is a number', body: { code: 123_456 }, path: 'code' },
  { name: 'a name and a printer', body: { code: '123456', name: 'a', printer_id: 1 }, path: 'printer_id' },
  { name: 'a printer beyond the numbers', body: { code: '123456', printer_id: 2 ** 53 }, path: 'printer_id' },
])('entering $name is 400', async ({ body, path }) => {
  expect(await enter(body)).toMatchObject({ status: 400, json: { issues: [{ path }] } })
})

test('a secret that nobody has is as good as expired, and reading is not writing', async () => {
  expect(await poll('0'.repeat(64))).toMatchObject({ status: 410, json: { code: 'expired' } })
  const reader = await server.addToken(server.owner.id, 'read')
  expect((await enter({ code: '1' }, reader)).status).toBe(403)
  expect((await server.call('POST', '/api/v1/printers/link/', { token: null, body: { code: '1' } })).status).toBe(401)
})

test('neither secret nor token stands in the database or in the log', async () => {
  const { code, secret } = await start()
  const { auth_token } = Printer.parse((await enter({ code })).json)
  const { db } = server.database
  const kept = JSON.stringify([
    await db.selectFrom('agent_links').selectAll().execute(),
    await db.selectFrom('printers').selectAll().execute(),
  ])
  for (const secretText of [secret, auth_token ?? '']) {
    expect(kept).not.toContain(secretText)
    expect(JSON.stringify(server.log.lines)).not.toContain(secretText)
  }
})
