import { LinkCode } from '@printwarden/protocol'
import { z } from 'zod'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memoryLiveStore } from '../adapters/live-memory.js'
import { setPrinterAgent } from '../printers/store.js'
import { startTestServer, type TestAnswer, type TestServer } from '../testing.js'
import { drawPasscode, drawUntil } from './linking-digits-flow.js'
import { insertLinkCode } from './linking-store.js'
import { TestAgent } from './testing.js'
import { fakeClock } from './fake-clock.js'

const CODES = '/api/v1/onetimeverificationcodes/'
const HOUR = 3_600_000

const clock = fakeClock()
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ clock, live: memoryLiveStore(clock) })
})

afterAll(async () => {
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  await server.close()
})

// Codes of the test before have expired, and its wrong tries are over.
beforeEach(() => clock.advance(3 * HOUR))

/** What a token with `write` sees. */
const WholeCode = LinkCode.extend({ code: z.string() })

async function liveCode(query = '', token = server.owner.token): Promise<z.infer<typeof WholeCode>> {
  const { status, json } = await server.call('GET', `${CODES}${query}`, { token })
  expect(status).toBe(200)
  return WholeCode.parse(json)
}

const verify = (code: string, method = 'POST'): Promise<TestAnswer> =>
  server.call(method, `/api/v1/agent/verify/?code=${code}`, { token: null })

/** The answer of the agent's own endpoint to this token. */
const agentStatus = async (token: string | null | undefined): Promise<number> =>
  (await server.call('GET', '/api/v1/agent/printer/', { token: token ?? '' })).status

const printerCount = async (): Promise<number> => {
  const { json } = await server.call('GET', '/api/v1/printers/')
  return (json as unknown[]).length
}

describe('a code', () => {
  test('has six digits, lives two hours, and stays the same while it is good', async () => {
    const code = await liveCode()
    expect(code).toMatchObject({ printer: null, verified_at: null })
    expect(code.code).toMatch(/^\d{6}$/)
    const left = Date.parse(code.expired_at) - clock.now()
    expect(left).toBeGreaterThan(2 * HOUR - 10_000)
    expect(left).toBeLessThanOrEqual(2 * HOUR)
    expect(await liveCode()).toEqual(code)
    expect((await server.call('GET', `${CODES}${code.id}/`)).json).toEqual(code)
  })

  test('each printer has its own, and each user', async () => {
    const { printer } = await server.addPrinter(server.owner.id)
    const forNew = await liveCode()
    const forPrinter = await liveCode(`?printer_id=${printer.id}`)
    const forOther = await liveCode('', server.other.token)
    expect(forPrinter.printer?.id).toBe(printer.id)
    expect(new Set([forNew.code, forPrinter.code, forOther.code]).size).toBe(3)
    expect(await liveCode(`?printer_id=${printer.id}`)).toMatchObject({ id: forPrinter.id })
  })

  test('asked for many times at once it is one', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, () => liveCode()))
    expect(new Set(codes.map(({ id }) => id)).size).toBe(1)
  })

  test('is another one when its time is over, and the old one can still be read, for a day', async () => {
    const old = await liveCode()
    clock.advance(2 * HOUR)
    expect((await verify(old.code)).status).toBe(404)
    const fresh = await liveCode()
    expect(fresh.id).not.toBe(old.id)
    expect((await server.call('GET', `${CODES}${old.id}/`)).json).toEqual(old)
    clock.advance(26 * HOUR)
    await liveCode()
    expect((await server.call('GET', `${CODES}${old.id}/`)).status).toBe(404)
  })

  test('is never given twice while it is good', async () => {
    const { code } = await liveCode()
    const { db } = server.database
    const now = clock.now()
    const row = {
      user_id: server.other.id,
      printer_id: null,
      created_at: now,
      expired_at: now + HOUR,
      verified_at: null,
    }
    expect(await insertLinkCode(db, { ...row, code, live_code: code })).toBeUndefined()
  })

  test.each([
    { path: '/api/v1/agent/verify/', name: 'moonraker_service' },
    { path: '/api/v1/octo/verify/', name: 'moonraker_obico' },
  ])('used at $path by the agent of a known printer tells of $name', async ({ path, name }) => {
    const { printer } = await server.addPrinter(server.owner.id)
    const settings = JSON.stringify({ agent: { name: 'moonraker_service', version: '2.1.4' } })
    const agent = { agent_name: 'moonraker_service', agent_version: '2.1.4', settings }
    await setPrinterAgent(server.database.db, printer.id, agent)
    const { code } = await liveCode(`?printer_id=${printer.id}`)
    const { json } = await server.call('POST', `${path}?code=${code}`, { token: null })
    expect(json).toMatchObject({ printer: { id: printer.id, agent_name: name, settings: { agent: { name } } } })
  })

  test('is drawn anew when it is in use, but not for ever', async () => {
    const drawn = ['1', '2', '3']
    const draw = () => drawn.shift() ?? '9'
    expect(await drawUntil(draw, async (code) => (code === '3' ? code : undefined))).toBe('3')
    await expect(drawUntil(draw, async () => undefined)).rejects.toMatchObject({ code: 'unavailable' })
    expect(drawPasscode()).toMatch(/^[a-z0-9]{5}$/)
  })

  test('is shown to tokens with write alone, and never to others', async () => {
    const reader = await server.addToken(server.owner.id, 'read')
    const writer = await server.addToken(server.owner.id, 'write')
    const foreign = await liveCode('', server.other.token)
    const foreignPrinter = (await server.addPrinter(server.other.id)).printer.id
    for (const path of [CODES, `${CODES}${foreign.id}/`]) {
      expect((await server.call('GET', path, { token: null })).status).toBe(401)
      expect((await server.call('GET', path, { token: writer })).status).toBe(403)
    }
    const unread = await server.call('GET', CODES, { token: reader })
    expect(unread).toMatchObject({ status: 200, json: { code: null } })
    const both = await server.addToken(server.owner.id, 'read write')
    const missing = await server.call('GET', `${CODES}999999/`, { token: both })
    expect(missing.status).toBe(404)
    for (const path of [
      `${CODES}${foreign.id}/`,
      `${CODES}x/`,
      `${CODES}?printer_id=${foreignPrinter}`,
      `${CODES}?printer_id=999999`,
    ]) {
      expect(await server.call('GET', path, { token: both })).toMatchObject({ status: 404, text: missing.text })
    }
    expect((await server.call('GET', `${CODES}?printer_id=x`)).status).toBe(400)
  })
})

describe('using a code', () => {
  test.each(['GET', 'POST'])('by %s makes a printer, whose auth_token lets the agent in', async (method) => {
    const before = await printerCount()
    const { id, code } = await liveCode()
    const answer = await verify(code, method)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const used = LinkCode.parse(answer.json)
    expect(used).toMatchObject({ id, code, printer: { name: 'New printer' } })
    expect(used.printer?.auth_token).toMatch(/^[0-9a-f]{40}$/)
    expect(await agentStatus(used.printer?.auth_token)).toBe(200)
    expect(await printerCount()).toBe(before + 1)
    // What the browser is waiting for.
    const seen = LinkCode.parse((await server.call('GET', `${CODES}${id}/`)).json)
    expect(seen).toMatchObject({ verified_at: expect.any(String), printer: { id: used.printer?.id } })
    expect(seen.expired_at).toBe(seen.verified_at)
    // It is used up, and the next one is another.
    expect((await verify(code, method)).status).toBe(404)
    expect((await liveCode()).id).not.toBe(id)
  })

  test('for a printer gives it a new auth_token, cuts its agent off, and keeps what it has', async () => {
    const { printer, auth_token } = await server.addPrinter(server.owner.id, 'Old faithful')
    const agent = await TestAgent.open(server.url, [], { headers: { authorization: `Bearer ${auth_token}` } })
    // So that the old token is remembered as good when it ends.
    expect(await agentStatus(auth_token)).toBe(200)
    const before = await printerCount()
    const { code } = await liveCode(`?printer_id=${printer.id}`)
    const used = LinkCode.parse((await verify(code)).json)
    expect(used.printer).toMatchObject({ id: printer.id, name: 'Old faithful' })
    expect(used.printer?.auth_token).not.toBe(auth_token)
    expect(await agent.closed).toBe(4401)
    expect(await agentStatus(auth_token)).toBe(401)
    expect(await agentStatus(used.printer?.auth_token)).toBe(200)
    expect(await printerCount()).toBe(before)
  })

  test('many times at once makes one printer', async () => {
    const before = await printerCount()
    const { code } = await liveCode()
    const answers = await Promise.all(Array.from({ length: 8 }, () => verify(code)))
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, ...Array<number>(7).fill(404)])
    expect(await printerCount()).toBe(before + 1)
  })

  test('that is wrong, badly formed or absent', async () => {
    await liveCode()
    const missing = await verify('x')
    expect([missing.status, missing.json]).toMatchObject([404, { code: 'not_found' }])
    expect((await verify('%00')).status).toBe(400)
    const absent = await server.call('POST', '/api/v1/agent/verify/', { token: null })
    expect([absent.status, absent.json]).toMatchObject([400, { issues: [{ path: 'code' }] }])
  })

  test('after ten wrong ones waits, also with the right one, and only so long', async () => {
    const { code } = await liveCode()
    const wrong = code === '000000' ? '000001' : '000000'
    const answers = await Promise.all(Array.from({ length: 30 }, () => verify(wrong)))
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(10)
    const limited = await verify(code)
    expect([limited.status, limited.json]).toMatchObject([429, { code: 'rate_limited' }])
    const seconds = Number(limited.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    clock.advance(seconds * 1000)
    expect((await verify(code)).status).toBe(200)
  })

  test('of a disabled user is of no use', async () => {
    const user = await server.addUser('leaver')
    const { code } = await liveCode('', user.token)
    await server.call('PATCH', `/api/v1/admin/users/${user.id}/`, { body: { disabled: true } })
    expect((await verify(code)).status).toBe(404)
  })

  test('of a deleted printer, or a deleted user, is of no use, and is gone', async () => {
    const user = await server.addUser('gone')
    const { printer } = await server.addPrinter(user.id)
    const forPrinter = await liveCode(`?printer_id=${printer.id}`, user.token)
    const forNew = await liveCode('', user.token)
    await server.call('DELETE', `/api/v1/printers/${printer.id}/`, { token: user.token })
    expect((await verify(forPrinter.code)).status).toBe(404)
    expect((await server.call('GET', `${CODES}${forPrinter.id}/`, { token: user.token })).status).toBe(404)
    await server.database.db.deleteFrom('users').where('id', '=', user.id).execute()
    expect((await verify(forNew.code)).status).toBe(404)
    const rows = await server.database.db.selectFrom('link_codes').select('id').where('user_id', '=', user.id).execute()
    expect(rows).toEqual([])
  })
})
