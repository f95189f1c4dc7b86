import { MAX_CHAT_LENGTH, MAX_CHATS } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestServer, type TestServer } from '../../testing.js'

const PATH = '/assistant/api/chats/'
let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const idOf = (json: unknown): number => z.object({ id: z.number() }).parse(json).id

test('a chat from first to last, at both doors', async () => {
  const made = await server.call('POST', PATH, { body: { messages: '[{"role":"user"}]', machine_name: 'MK4' } })
  expect(made).toMatchObject({
    status: 201,
    json: { messages: '[{"role":"user"}]', machine_name: 'MK4', filament_name: null, user_feedback: null },
  })
  const path = `${PATH}${idOf(made.json)}/`
  const theirs = path.replace('/assistant/', '/jusprin/')
  expect(await server.call('PUT', theirs, { body: { messages: '[1]', user_feedback: 'positive' } })).toMatchObject({
    status: 200,
    json: { messages: '[1]', machine_name: 'MK4', user_feedback: 'positive' },
  })
  expect(await server.call('PATCH', path, { body: { user_feedback_text: 'It stuck.' } })).toMatchObject({
    status: 200,
    json: { messages: '[1]', user_feedback: 'positive', user_feedback_text: 'It stuck.' },
  })
  expect((await server.call('GET', theirs)).json).toEqual((await server.call('GET', path)).json)
  const deleted = await server.call('DELETE', path)
  expect([deleted.status, deleted.text]).toEqual([200, ''])
  expect((await server.call('GET', path)).status).toBe(404)
})

test('newest first, in pages, and never those of others', async () => {
  const { token } = server.other
  for (const messages of ['[1]', '[2]', '[3]']) await server.call('POST', PATH, { body: { messages }, token })
  const all = await server.call('GET', PATH, { token })
  expect(all.json).toMatchObject([{ messages: '[3]' }, { messages: '[2]' }, { messages: '[1]' }])
  expect(all.headers.get('x-total-count')).toBe('3')
  const page = await server.call('GET', `${PATH}?start=1&limit=1&g_code_file_id=7`, { token })
  expect(page.json).toMatchObject([{ messages: '[2]' }])
  expect(page.headers.get('link')).toMatch(/rel="next".*rel="prev"/)
  const [first] = z.array(z.unknown()).parse(all.json)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { messages: '[]' } : undefined
    expect((await server.call(method, `${PATH}${idOf(first)}/`, { body })).status).toBe(404)
  }
})

test.each([
  { name: 'messages as a list', body: { messages: [] } },
  { name: 'blank messages', body: { messages: '  ' } },
  { name: 'no messages', body: {} },
  { name: 'a long feedback', body: { messages: '[]', user_feedback: 'x'.repeat(17) } },
  { name: 'very long messages', body: { messages: 'x'.repeat(MAX_CHAT_LENGTH + 1) } },
])('$name are refused', async ({ body }) => {
  expect(await server.call('POST', PATH, { body })).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
})

test('nobody keeps more than so many', async () => {
  const user = await server.addUser('collector')
  const row = { user_id: user.id, messages: '[]', created_at: 1, updated_at: 1 }
  const empty = { machine_name: null, filament_name: null, print_process_name: null, slicing_settings_json: null }
  const rows = Array.from({ length: 100 }, () => ({ ...row, ...empty, user_feedback: null, user_feedback_text: null }))
  for (let i = 0; i < MAX_CHATS / 100; i++)
    await server.database.db.insertInto('assistant_chats').values(rows).execute()
  expect(await server.call('POST', PATH, { body: { messages: '[]' }, token: user.token })).toMatchObject({
    status: 409,
    json: { code: 'conflict' },
  })
})
