import { LinkCode, UnlinkedAnswer } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { memoryLiveStore } from '../adapters/live-memory.js'
import { startTestServer, type TestAnswer, type TestServer, type TestUser } from '../testing.js'
import { insertSession } from '../users/store.js'
import { fakeClock } from './fake-clock.js'

const clock = fakeClock()
let server: TestServer
/** The cookies of signed-in browsers. */
let owner: string
let other: string

const HOUR = 3_600_000

/** What the agents of the network would tell the server, and what it asked. */
let secret: string | undefined
const asked: object[] = []
async function secretOf(agent: object): Promise<string | undefined> {
  asked.push(agent)
  return secret
}

beforeAll(async () => {
  const plain = await startTestServer()
  const { config } = plain
  await plain.close()
  // Everybody comes through a proxy that is trusted, so that a test can say from where.
  server = await startTestServer({
    ...{ clock, live: memoryLiveStore(clock), discoverySecrets: { secretOf } },
    config: { ...config, trustedProxies: ['127.0.0.1'] },
  })
  owner = await signIn(server.owner)
  other = await signIn(server.other)
})

afterAll(async () => {
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  await server.close()
})

beforeEach(() => {
  clock.advance(3 * HOUR)
  secret = undefined
  asked.length = 0
})

async function signIn({ id }: TestUser): Promise<string> {
  const value = server.secrets.newToken(16)
  const now = clock.now()
  await insertSession(server.database.db, {
    ...{ user_id: id, token_hash: server.secrets.hash(value), created_at: now, user_agent: null },
    expires_at: now + 1000 * HOUR,
  })
  return `printwarden_session=${value}`
}

interface Sender {
  readonly cookie?: string
  readonly from?: string
}

/** An agent, and browsers of its network, of another network, and of the internet. */
const AGENT = '192.168.1.9'
const BROWSER = '192.168.1.20'
const ELSEWHERE = '192.168.2.20'
const INTERNET = '203.0.113.7'

async function call(
  method: string,
  path: string,
  { cookie, from = cookie === undefined ? AGENT : BROWSER }: Sender,
  body?: unknown,
): Promise<TestAnswer> {
  const headers = new Headers({ 'x-forwarded-for': from })
  if (cookie !== undefined) headers.set('cookie', cookie)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const response = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text === '' ? undefined : JSON.parse(text) }
}

const device = (name: string, changes: object = {}) => ({
  device_id: name.padEnd(32, '0'),
  hostname: name,
  host_or_ip: '192.168.1.9',
  port: 46_793,
  os: 'Linux',
  arch: 'aarch64',
  rpi_model: 'Raspberry Pi 4',
  plugin_version: '2.1.4',
  agent: 'an agent',
  printerprofile: 'Unknown',
  machine_type: 'Klipper',
  meta: {},
  ...changes,
})

async function announce(body: object, from?: string): Promise<UnlinkedAnswer> {
  const { status, json } = await call('POST', '/api/v1/agent/unlinked/', from === undefined ? {} : { from }, body)
  expect(status).toBe(200)
  return UnlinkedAnswer.parse(json)
}

async function listed(sender: Sender): Promise<string[]> {
  const { status, json } = await call('GET', '/api/v1/printer_discovery/', sender)
  expect(status).toBe(200)
  return (json as { hostname: string }[]).map(({ hostname }) => hostname)
}

async function liveCode(cookie: string): Promise<string> {
  return LinkCode.parse((await call('GET', '/api/v1/onetimeverificationcodes/', { cookie })).json).code ?? ''
}

describe('discovery', () => {
  const send = (body: object, sender: Sender) => call('POST', '/api/v1/printer_discovery/', sender, body)

  test('shows an agent to browsers of the same private network, as long as it speaks', async () => {
    expect(await announce(device('alpha'))).toEqual({ messages: [] })
    const { json, headers } = await call('GET', '/api/v1/printer_discovery/', { cookie: owner })
    expect(json).toEqual([device('alpha')])
    expect(headers.get('x-total-count')).toBe('1')
    expect(await listed({ cookie: owner, from: ELSEWHERE })).toEqual([])
    expect(await listed({ cookie: owner, from: INTERNET })).toEqual([])
    // Longer than the five seconds between two words of an agent.
    clock.advance(12_000)
    expect(await listed({ cookie: other })).toEqual(['alpha'])
    clock.advance(4000)
    expect(await listed({ cookie: owner })).toEqual([])
  })

  test('shows every agent of a network, at the address that it came from', async () => {
    const names = ['alpha', 'beta', 'gamma']
    await Promise.all(names.map((name, index) => announce(device(name), `192.168.1.${index + 1}`)))
    await announce(device('alpha', { host_or_ip: '192.168.1.250' }), '192.168.1.1')
    expect((await listed({ cookie: owner })).sort()).toEqual(names)
    const { json } = await call('GET', '/api/v1/printer_discovery/', { cookie: owner })
    const addresses = (json as { host_or_ip: string }[]).map(({ host_or_ip }) => host_or_ip)
    expect(addresses.sort()).toEqual(['192.168.1.1', '192.168.1.2', '192.168.1.3'])
  })

  test('takes none of two that claim to be the same for it', async () => {
    await announce(device('alpha'))
    await announce(device('alpha'), '192.168.1.66')
    expect(await listed({ cookie: owner })).toEqual([])
  })

  test('never by a public address that both share, whatever the agent says of itself', async () => {
    await announce(device('alpha'), INTERNET)
    for (const from of [INTERNET, BROWSER]) expect(await listed({ cookie: owner, from })).toEqual([])
  })

  test.each(['', '8.8.8.8', 'evil.example', '10.0.0.1/evil', '172.17.0.2', '127.0.0.1', '192.168.2.9'])(
    'never shows an agent of this network that says it is at "%s"',
    async (host) => {
      await announce(device('alpha', { host_or_ip: host }))
      expect(await listed({ cookie: owner })).toEqual([])
    },
  )

  test('is for signed-in browsers', async () => {
    for (const method of ['GET', 'POST']) {
      expect((await call(method, '/api/v1/printer_discovery/', {})).status).toBe(401)
      const token = await server.call(method, '/api/v1/printer_discovery/')
      expect(token.status).toBe(403)
    }
  })

  test('a code reaches the agent, once, and links it', async () => {
    await announce(device('alpha'))
    const code = await liveCode(owner)
    const { device_id } = device('alpha')
    const sent = await send({ code, device_id, device_secret: 's'.repeat(64) }, { cookie: owner })
    expect([sent.status, sent.json]).toEqual([200, { queued: true }])
    // Not to whoever says the same from elsewhere.
    for (const from of [INTERNET, ELSEWHERE]) expect(await announce(device('alpha'), from)).toEqual({ messages: [] })
    expect(await announce(device('alpha'))).toEqual({
      messages: [{ device_id, type: 'verify_code', data: { code, secret: 's'.repeat(64) } }],
    })
    expect(await announce(device('alpha'))).toEqual({ messages: [] })
    expect((await call('POST', `/api/v1/agent/verify/?code=${code}`, {})).status).toBe(200)
  })

  test('the server asks the agent for its secret when the browser has none', async () => {
    secret = 'a'.repeat(64)
    await announce(device('alpha', { host_or_ip: '192.168.1.250' }))
    const { device_id } = device('alpha')
    const code = await liveCode(owner)
    expect((await send({ code, device_id }, { cookie: owner })).status).toBe(200)
    expect(asked).toEqual([{ address: AGENT, port: 46_793, device_id }])
    expect((await announce(device('alpha'))).messages).toMatchObject([{ data: { code, secret } }])
  })

  test.each([
    { name: 'an agent that does not answer', port: 46_793, questions: 1 },
    { name: 'an agent without a port', port: null, questions: 0 },
    { name: 'an agent with a port that is none', port: '80; x', questions: 0 },
  ])('$name is sent nothing, which is told', async ({ port, questions }) => {
    await announce(device('alpha', { port }))
    const { device_id } = device('alpha')
    const refused = await send({ code: await liveCode(owner), device_id }, { cookie: owner })
    expect([refused.status, refused.json]).toMatchObject([409, { code: 'conflict' }])
    expect(asked).toHaveLength(questions)
    expect(await announce(device('alpha'))).toEqual({ messages: [] })
  })

  test('nobody is asked for somebody who may not send', async () => {
    await announce(device('alpha'))
    const body = { code: await liveCode(owner), device_id: device('alpha').device_id }
    await send(body, { cookie: owner, from: ELSEWHERE })
    await send(body, { cookie: other })
    expect(asked).toEqual([])
  })

  test('of two codes the agent gets the newer one alone: some take none of two', async () => {
    await announce(device('alpha'))
    const { device_id } = device('alpha')
    for (const cookie of [owner, other]) {
      const sent = await send({ code: await liveCode(cookie), device_id, device_secret: 's' }, { cookie })
      expect(sent.status).toBe(200)
    }
    const { messages } = await announce(device('alpha'))
    expect(messages.map(({ data }) => data.code)).toEqual([await liveCode(other)])
  })

  test('a code waits for a minute', async () => {
    await announce(device('alpha'))
    const { device_id } = device('alpha')
    await send({ code: await liveCode(owner), device_id, device_secret: 's' }, { cookie: owner })
    clock.advance(60_000)
    expect(await announce(device('alpha'))).toEqual({ messages: [] })
  })

  test('nothing is sent from another address, to an agent that is not there, or with a code of another', async () => {
    await announce(device('alpha'))
    const code = await liveCode(owner)
    const { device_id } = device('alpha')
    const good = { code, device_id, device_secret: 's' }
    const refused = [
      await send(good, { cookie: owner, from: ELSEWHERE }),
      await send(good, { cookie: owner, from: INTERNET }),
      await send({ ...good, device_id: 'f'.repeat(32) }, { cookie: owner }),
      await send(good, { cookie: other }),
      await send({ ...good, code: '000000' === code ? '000001' : '000000' }, { cookie: owner }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect(new Set(refused.map(({ text }) => text)).size).toBe(1)
    const short = await send({ ...good, device_id: 'short' }, { cookie: owner })
    expect([short.status, short.json]).toMatchObject([400, { issues: [{ path: 'device_id' }] }])
    expect(await announce(device('alpha'))).toEqual({ messages: [] })
  })
})

describe('what an agent says about itself', () => {
  test('may be too much, or of the wrong kind: it is shown as far as it goes', async () => {
    await announce(
      device('alpha', { hostname: 'h'.repeat(5000), os: 7, meta: { x: 'y'.repeat(5000) }, port: '80', extra: 1 }),
    )
    const { json } = await call('GET', '/api/v1/printer_discovery/', { cookie: owner })
    expect(json).toEqual([device('alpha', { hostname: 'h'.repeat(255), os: null, meta: null, port: '80' })])
  })

  // A refusal ends the search of some agents for good.
  test.each([
    {},
    { device_id: 'x' },
    { device_id: '../'.padEnd(32, 'a') },
    { device_id: 7 },
    { device_id: null, host_or_ip: ['x'], port: {}, meta: 'x', hostname: 7 },
    { ...device('alpha'), host_or_ip: undefined },
    { ...device('alpha'), host_or_ip: '\u0000', meta: { x: '\u0000' } },
    { ...device('alpha'), port: 1e99 },
  ])('%j is answered, and shown to nobody if it names nothing', async (body) => {
    expect(await announce(body)).toEqual({ messages: [] })
    for (const path of ['/api/v1/agent/unlinked/', '/api/v1/octo/unlinked']) {
      const { status, json } = await call('POST', path, {}, body)
      expect([status, json]).toEqual([200, { messages: [] }])
    }
  })

  test.each([null, 7, 'x'.repeat(100), {}, '\u0000'])(
    'a passcode %j is as good as none: there is a new one',
    async (sent) => {
      const { one_time_passcode, verification_code } = await announce({ ...device('alpha'), one_time_passcode: sent })
      expect(one_time_passcode).toMatch(/^[a-z0-9]{5}$/)
      expect(verification_code).toBe('')
    },
  )

  test('agents of one network may ask often, and a flood waits, without being told to go away', async () => {
    const flood = await Promise.all(
      Array.from({ length: 130 }, () => call('POST', '/api/v1/agent/unlinked/', {}, device('alpha'))),
    )
    const refused = flood.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(flood.filter(({ status }) => status === 200)).toHaveLength(flood.length - refused.length)
    expect(flood.length - refused.length).toBeGreaterThanOrEqual(120)
    // Another address is not held up.
    expect(await announce(device('beta'), '192.168.1.10')).toEqual({ messages: [] })
  })
})

describe('a passcode', () => {
  const claim = (one_time_passcode: string, verification_code: string, cookie = owner) =>
    call('POST', '/api/v1/one_time_passcodes/', { cookie }, { one_time_passcode, verification_code })

  async function passcode(sent = ''): Promise<UnlinkedAnswer & { one_time_passcode: string }> {
    const answer = await announce({ ...device('alpha', { host_or_ip: '' }), one_time_passcode: sent })
    return { ...answer, one_time_passcode: answer.one_time_passcode ?? '' }
  }

  test('is given, stays, and brings the code of the user who claims it', async () => {
    const first = await passcode()
    expect(first.one_time_passcode).toMatch(/^[a-z0-9]{5}$/)
    expect(first.one_time_passlink).toBe(`${server.url}/printers/new?one_time_passcode=${first.one_time_passcode}`)
    expect(first.verification_code).toBe('')
    expect(await passcode(first.one_time_passcode)).toEqual(first)
    const code = await liveCode(owner)
    const claimed = await claim(` ${first.one_time_passcode.toUpperCase()} `, code)
    expect([claimed.status, claimed.json]).toEqual([200, { detail: 'OK' }])
    expect(await passcode(first.one_time_passcode)).toEqual({ ...first, verification_code: code })
    const linked = LinkCode.parse((await call('POST', `/api/v1/agent/verify/?code=${code}`, {})).json)
    expect(linked.printer?.auth_token).toMatch(/^[0-9a-f]{40}$/)
    // The code is used up, so it is told no longer.
    expect((await passcode(first.one_time_passcode)).verification_code).toBe('')
  })

  test('lives two hours, and a minute more once it is claimed', async () => {
    const { one_time_passcode } = await passcode()
    clock.advance(2 * HOUR - 30_000)
    await claim(one_time_passcode, await liveCode(owner))
    clock.advance(59_000)
    expect((await passcode(one_time_passcode)).one_time_passcode).toBe(one_time_passcode)
    clock.advance(1000)
    const fresh = await passcode(one_time_passcode)
    expect(fresh.one_time_passcode).not.toBe(one_time_passcode)
    expect(fresh.verification_code).toBe('')
  })

  test('is claimed by one user, of two who try at once', async () => {
    const { one_time_passcode } = await passcode()
    const codes = await Promise.all([liveCode(owner), liveCode(other)])
    const answers = await Promise.all([claim(one_time_passcode, codes[0]), claim(one_time_passcode, codes[1], other)])
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 404])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await passcode(one_time_passcode)).verification_code).toBe(codes[winner])
  })

  test("is claimed with a code of one's own alone, and wrong tries are limited", async () => {
    const { one_time_passcode } = await passcode()
    const foreign = await liveCode(other)
    expect((await claim(one_time_passcode, foreign)).status).toBe(404)
    const code = await liveCode(owner)
    const wrong = await Promise.all(Array.from({ length: 10 }, () => claim('zzzzz', code)))
    expect(wrong.map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      404,
      404,
      404,
      404,
      ...Array<number>(6).fill(429),
    ])
    expect((await claim(one_time_passcode, code)).status).toBe(429)
    clock.advance(60_000)
    expect((await claim(one_time_passcode, code)).status).toBe(200)
    expect((await call('POST', '/api/v1/one_time_passcodes/', {}, {})).status).toBe(401)
    expect((await server.call('POST', '/api/v1/one_time_passcodes/', { body: {} })).status).toBe(403)
  })

  test('new ones are limited per address; asking for an old one is not', async () => {
    const { one_time_passcode } = await passcode()
    const body = { ...device('alpha'), one_time_passcode: '' }
    const many = await Promise.all(Array.from({ length: 40 }, () => call('POST', '/api/v1/agent/unlinked/', {}, body)))
    const refused = many.filter(({ status }) => status === 503)
    expect(many.filter(({ status }) => status === 200)).toHaveLength(29)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await passcode(one_time_passcode)).one_time_passcode).toBe(one_time_passcode)
  })
})

test('a code is not lost where no passcode can be given', async () => {
  const body = { ...device('alpha'), one_time_passcode: '' }
  while ((await call('POST', '/api/v1/agent/unlinked/', {}, body)).status === 200);
  const code = await liveCode(owner)
  const message = { code, device_id: body.device_id, device_secret: 'its secret' }
  expect((await call('POST', '/api/v1/printer_discovery/', { cookie: owner }, message)).status).toBe(200)
  expect(await announce(body)).toMatchObject({ messages: [{ data: { code, secret: 'its secret' } }] })
  expect((await call('POST', '/api/v1/agent/unlinked/', {}, body)).status).toBe(503)
})

test('behind a proxy that is not trusted, and from this machine, nobody is shown to anybody', async () => {
  const plain = await startTestServer()
  try {
    const value = plain.secrets.newToken(16)
    const now = plain.clock.now()
    await insertSession(plain.database.db, {
      ...{ user_id: plain.owner.id, token_hash: plain.secrets.hash(value), created_at: now, user_agent: null },
      expires_at: now + HOUR,
    })
    for (const forwarded of [BROWSER, undefined]) {
      const headers = new Headers({ 'content-type': 'application/json' })
      if (forwarded !== undefined) headers.set('x-forwarded-for', forwarded)
      const path = `${plain.url}/api/v1`
      const body = JSON.stringify(device('alpha'))
      expect((await fetch(`${path}/agent/unlinked/`, { method: 'POST', headers, body })).status).toBe(200)
      headers.set('cookie', `printwarden_session=${value}`)
      expect(await (await fetch(`${path}/printer_discovery/`, { headers })).json()).toEqual([])
    }
  } finally {
    await plain.close()
  }
})
