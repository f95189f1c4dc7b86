import { MobileDevice } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'

let server: TestServer

const PATH = '/api/v1/mobile_devices/'

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(async () => {
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  await server.close()
})

const phone = { platform: 'android', app_version: '1.2.3', device_token: 'token of a phone' }

async function register(body: object = phone, token = server.owner.token): Promise<MobileDevice> {
  const { status, json } = await server.call('POST', PATH, { body, token })
  expect(status).toBe(201)
  return MobileDevice.parse(json)
}

const list = async (token = server.owner.token): Promise<MobileDevice[]> =>
  MobileDevice.array().parse((await server.call('GET', PATH, { token })).json)

test('a device is kept; registered again it is brought up to date and active', async () => {
  const device = await register({ ...phone, preferred_timezone: 'Europe/Berlin', id: 7, user: server.other.id })
  expect(device).toMatchObject({ ...phone, user: server.owner.id, preferred_timezone: 'Europe/Berlin' })
  expect(device.deactivated_at).toBeNull()
  expect(device.id).not.toBe(7)
  expect(await list()).toEqual([device])
  expect((await server.call('GET', `${PATH}${device.id}/`)).json).toEqual(device)

  await server.database.db
    .updateTable('mobile_devices')
    .set({ deactivated_at: 1 })
    .where('id', '=', device.id)
    .execute()
  server.clock.advance(1000)
  const again = await register({ ...phone, app_version: '2.0' })
  expect(again).toMatchObject({ id: device.id, app_version: '2.0', preferred_timezone: null, deactivated_at: null })
  expect(again.created_at).toBe(device.created_at)
  expect(Date.parse(again.updated_at)).toBeGreaterThan(Date.parse(device.updated_at))
  const { headers, json } = await server.call('GET', PATH)
  expect([headers.get('x-total-count'), json]).toEqual(['1', [again]])
})

test("the same phone with another user is that user's own", async () => {
  const mine = await register()
  const theirs = await register(phone, server.other.token)
  expect(theirs.id).not.toBe(mine.id)
  expect((await list(server.other.token)).map(({ id }) => id)).toEqual([theirs.id])
  const missing = await server.call('GET', `${PATH}999999/`)
  expect(missing.status).toBe(404)
  expect(await server.call('GET', `${PATH}${theirs.id}/`)).toMatchObject({ status: 404, text: missing.text })
})

test('the same phone registered many times at once is one', async () => {
  const user = await server.addUser('hasty')
  const all = await Promise.all(Array.from({ length: 10 }, () => register(phone, user.token)))
  expect(new Set(all.map(({ id }) => id)).size).toBe(1)
})

test('of more than fifty the one registered longest ago is forgotten', async () => {
  const user = await server.addUser('collector')
  for (let count = 0; count < 52; count += 1) {
    server.clock.advance(1000)
    await register({ ...phone, device_token: `phone ${count}` }, user.token)
    if (count === 49) await register({ ...phone, device_token: 'phone 0' }, user.token)
  }
  const tokens = (await list(user.token)).map(({ device_token }) => device_token)
  expect(tokens).toHaveLength(50)
  expect(tokens).toContain('phone 0')
  expect(tokens).not.toContain('phone 1')
  expect(tokens).not.toContain('phone 2')
})

test.each([
  { name: 'no platform', body: { app_version: '1', device_token: 'x' }, path: 'platform' },
  { name: 'an unknown platform', body: { ...phone, platform: 'windows' }, path: 'platform' },
  { name: 'no version', body: { platform: 'ios', device_token: 'x' }, path: 'app_version' },
  { name: 'an empty token', body: { ...phone, device_token: '' }, path: 'device_token' },
  { name: 'a token that is no ASCII', body: { ...phone, device_token: '\u4e00' }, path: 'device_token' },
  { name: 'a huge token', body: { ...phone, device_token: 'x'.repeat(1025) }, path: 'device_token' },
  { name: 'a zone that is a number', body: { ...phone, preferred_timezone: 1 }, path: 'preferred_timezone' },
])('$name is 400', async ({ body, path }) => {
  expect(await server.call('POST', PATH, { body })).toMatchObject({ status: 400, json: { issues: [{ path }] } })
})

test('scopes, and an end with the user', async () => {
  const user = await server.addUser('leaver')
  const reader = await server.addToken(user.id, 'read')
  await register(phone, user.token)
  expect(await list(reader)).toHaveLength(1)
  expect((await server.call('POST', PATH, { body: phone, token: reader })).status).toBe(403)
  expect((await server.call('GET', PATH, { token: null })).status).toBe(401)
  const { db } = server.database
  await db.deleteFrom('users').where('id', '=', user.id).execute()
  expect(await db.selectFrom('mobile_devices').select('id').where('user_id', '=', user.id).execute()).toEqual([])
})
