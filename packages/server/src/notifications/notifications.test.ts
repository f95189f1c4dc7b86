import {
  NOTIFICATION_CHANNELS,
  NOTIFICATION_DEFAULTS,
  NOTIFICATION_FEATURES,
  NotificationPlugins,
  NotificationSetting,
} from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestServer, type TestAnswer, type TestServer, type TestUser } from '../testing.js'

const PATH = '/api/v1/notification_settings/'

let server: TestServer
let user: TestUser
let count = 0

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(async () => {
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  await server.close()
})

beforeEach(async () => {
  count += 1
  user = await server.addUser(`user${count}`)
})

const call = (method: string, rest = '', body?: unknown): Promise<TestAnswer> =>
  server.call(method, `${PATH}${rest}`, { token: user.token, ...(body === undefined ? {} : { body }) })

const list = async (): Promise<NotificationSetting[]> => NotificationSetting.array().parse((await call('GET')).json)

async function create(body: object): Promise<NotificationSetting> {
  const { status, json } = await call('POST', '', body)
  expect(status).toBe(201)
  return NotificationSetting.parse(json)
}

const discord = { name: 'discord', config: { webhook_url: 'https://discord.example/hook/secret' } }

test('everybody has e-mail from the start, the first administrator too', async () => {
  const [email, ...more] = await list()
  expect(more).toEqual([])
  expect(email).toMatchObject({ name: 'email', config: {}, ...NOTIFICATION_DEFAULTS })
  const { json, headers } = await server.call('GET', PATH)
  expect(json).toMatchObject([{ name: 'email' }])
  expect(headers.get('x-total-count')).toBe('1')
})

test('a channel is added once, changed, replaced and removed', async () => {
  const made = await create({ ...discord, notify_on_print_start: true, id: 7, user_id: 1, created_at: 'x' })
  expect(made).toMatchObject({ ...discord, ...NOTIFICATION_DEFAULTS, notify_on_print_start: true })
  expect((await list()).map(({ name }) => name)).toEqual(['email', 'discord'])
  expect((await call('GET', `${made.id}/`)).json).toEqual(made)

  const twice = await call('POST', '', discord)
  expect([twice.status, twice.json]).toMatchObject([409, { code: 'conflict' }])

  server.clock.advance(1000)
  const changed = await call('PATCH', `${made.id}/`, { name: 'discord', enabled: false, notify_on_print_done: false })
  expect(changed.status).toBe(200)
  expect(changed.json).toMatchObject({
    ...made,
    enabled: false,
    notify_on_print_done: false,
    updated_at: expect.any(String),
  })
  expect(NotificationSetting.parse(changed.json).updated_at).not.toBe(made.updated_at)

  const config = { webhook_url: 'http://other.example/hook' }
  expect((await call('PATCH', `${made.id}/`, { config })).json).toMatchObject({ config, enabled: false })
  const replaced = await call('PUT', `${made.id}/`, { ...discord, notify_on_print_pause: true })
  expect(replaced.json).toMatchObject({ ...discord, ...NOTIFICATION_DEFAULTS, notify_on_print_pause: true })

  const removed = await call('DELETE', `${made.id}/`)
  expect([removed.status, removed.text]).toEqual([200, ''])
  expect((await call('GET', `${made.id}/`)).status).toBe(404)
  expect((await call('DELETE', `${made.id}/`)).status).toBe(404)
})

test('e-mail can be switched off, not removed', async () => {
  const [email] = await list()
  const id = email?.id ?? 0
  expect((await call('DELETE', `${id}/`)).status).toBe(409)
  expect((await call('PATCH', `${id}/`, { enabled: false })).json).toMatchObject({ name: 'email', enabled: false })
  expect((await call('POST', '', { name: 'email' })).status).toBe(409)
})

test('added many times at once it is there once', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', '', discord)))
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, ...Array<number>(7).fill(409)])
})

const GOOD: Record<keyof typeof NOTIFICATION_CHANNELS, object> = {
  email: {},
  discord: { webhook_url: 'https://discord.example/x' },
  pushbullet: { access_token: 'o.secret' },
  slack: { access_token: 'xoxb-secret' },
  pushover: { user_key: 'u123' },
  telegram: { chat_id: '-100123456' },
  twilio: { phone_country_code: '+49', phone_number: '170 1234567' },
  webhook: { custom_webhook_URL: 'http://192.168.1.5:8123/api/webhook/x' },
  apprise: { apprise_url: 'https://apprise.example/notify/x' },
}

describe('the config of a channel', () => {
  test.each(Object.entries(GOOD).filter(([name]) => name !== 'email'))(
    '%s: is kept as sent, less what it has no use for',
    async (name, config) => {
      const made = await create({ name, config: { ...config, something: 'else' } })
      expect(made.config).toEqual(config)
      expect((await call('GET', `${made.id}/`)).json).toEqual(made)
    },
  )

  test.each([
    { name: 'discord', config: undefined, path: 'config.webhook_url' },
    { name: 'discord', config: {}, path: 'config.webhook_url' },
    { name: 'discord', config: { webhook_url: 7 }, path: 'config.webhook_url' },
    { name: 'discord', config: { webhook_url: 'discord.example' }, path: 'config.webhook_url' },
    { name: 'discord', config: { webhook_url: 'ftp://discord.example' }, path: 'config.webhook_url' },
    { name: 'webhook', config: { custom_webhook_URL: 'javascript:alert(1)' }, path: 'config.custom_webhook_URL' },
    { name: 'webhook', config: { custom_webhook_URL: 'file:///etc/passwd' }, path: 'config.custom_webhook_URL' },
    {
      name: 'webhook',
      config: { custom_webhook_URL: `http://x/${'y'.repeat(2000)}` },
      path: 'config.custom_webhook_URL',
    },
    { name: 'apprise', config: { apprise_url: 'mailto://me@x.example' }, path: 'config.apprise_url' },
    { name: 'slack', config: { access_token: '  ' }, path: 'config.access_token' },
    { name: 'pushbullet', config: { access_token: 'x'.repeat(501) }, path: 'config.access_token' },
    { name: 'telegram', config: { chat_id: 'my chat' }, path: 'config.chat_id' },
    { name: 'twilio', config: { phone_country_code: 'DE', phone_number: '1' }, path: 'config.phone_country_code' },
    { name: 'discord', config: [], path: 'config' },
    { name: 'discord', config: 'x', path: 'config' },
    { name: 'pigeon', config: {}, path: 'name' },
    { name: '__proto__', config: {}, path: 'name' },
    { name: undefined, config: {}, path: 'name' },
  ])('$name with $config is 400 and names $path', async ({ name, config, path }) => {
    const { status, json } = await call('POST', '', { name, config })
    expect([status, json]).toMatchObject([400, { code: 'invalid_request' }])
    const { issues } = json as { issues: { path: string }[] }
    expect(issues.map((issue) => issue.path)).toContain(path)
    expect(await list()).toHaveLength(1)
  })

  test('a bad change changes nothing', async () => {
    const made = await create(discord)
    const bad = [
      { config: { webhook_url: 'x' }, enabled: false },
      { enabled: 'no' },
      { name: 'slack', enabled: false },
      { name: 'pigeon' },
    ]
    for (const body of bad) expect((await call('PATCH', `${made.id}/`, body)).status).toBe(400)
    for (const body of [{}, { name: 'discord' }, { name: 'slack', config: GOOD.slack }]) {
      expect((await call('PUT', `${made.id}/`, body)).status).toBe(400)
    }
    expect((await call('GET', `${made.id}/`)).json).toEqual(made)
  })

  test('is a secret: encrypted in the database, not shown to a token that may only read, never logged', async () => {
    const made = await create(discord)
    const reader = await server.addToken(user.id, 'read')
    for (const rest of ['', `${made.id}/`]) {
      const { status, text } = await server.call('GET', `${PATH}${rest}`, { token: reader })
      expect(status).toBe(200)
      expect(text).not.toContain('discord.example')
      expect(text).toContain('"config":{"webhook_url":null}')
    }
    const rows = await server.database.db.selectFrom('notification_settings').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('discord.example')
    expect(JSON.stringify(server.log.lines)).not.toContain('discord.example')
  })
})

test('what is foreign is missing, to the byte, and scopes hold', async () => {
  const made = await create(discord)
  const reader = await server.addToken(user.id, 'read')
  const calls = [
    { method: 'GET', rest: '' },
    { method: 'PATCH', rest: '', body: { enabled: false } },
    { method: 'PUT', rest: '', body: discord },
    { method: 'DELETE', rest: '' },
    { method: 'POST', rest: 'send_test_message/' },
  ]
  for (const { method, rest, body } of calls) {
    const ask = (id: number, token: string | null) =>
      server.call(method, `${PATH}${id}/${rest}`, { token, ...(body === undefined ? {} : { body }) })
    const missing = await ask(999_999, user.token)
    expect(missing.status).toBe(404)
    expect(await ask(made.id, server.other.token)).toMatchObject({ status: 404, text: missing.text })
    expect((await ask(made.id, null)).status).toBe(401)
    if (method !== 'GET') expect((await ask(made.id, reader)).status).toBe(403)
  }
  expect((await call('GET', `${made.id}/`)).json).toEqual(made)
})

test('the channels, and what each can tell', async () => {
  const { status, json } = await call('GET', 'available_plugins/')
  expect(status).toBe(200)
  const { plugins } = NotificationPlugins.parse(json)
  expect(Object.keys(plugins)).toEqual(Object.keys(GOOD))
  expect(plugins['discord']).toEqual({ features: [...NOTIFICATION_FEATURES], env_vars: {} })
  expect(plugins['twilio']?.features).toEqual(['notify_on_failure_alert'])
})

test('a test message says plainly that nothing is sent', async () => {
  const made = await create(discord)
  const answer = await call('POST', `${made.id}/send_test_message/`)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('3600')
  expect(answer.json).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('not set up') })
})

test('settings go with their user', async () => {
  await create(discord)
  const { db } = server.database
  await db.deleteFrom('users').where('id', '=', user.id).execute()
  expect(await db.selectFrom('notification_settings').select('id').where('user_id', '=', user.id).execute()).toEqual([])
})
