import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openOpenAiModel } from '../../adapters/model-openai.js'
import { openGuardedFetch } from '../../adapters/outbound-fetch.js'
import { startTestServer, type TestServer, type TestUser } from '../../testing.js'
import { type FakeModelServer, startFakeModelServer } from '../fake-model-server.js'

// Questions over HTTP, with a model's server on this machine.

const PATH = '/assistant/api/chats/messages/'
let fake: FakeModelServer
let server: TestServer
/** Somebody new in each test. */
let user: TestUser
let users = 0

beforeAll(async () => {
  fake = await startFakeModelServer()
  server = await start(2)
})
afterAll(async () => {
  await server.close()
  await fake.close()
})
beforeEach(async () => {
  user = await server.addUser(`asker${(users += 1)}`)
  fake.asked.length = 0
  fake.script.length = 0
})

const start = (monthlyCredits: number): Promise<TestServer> =>
  startTestServer({
    model: openOpenAiModel({
      text: { url: fake.url, key: undefined, model: 'small' },
      vision: undefined,
      timeoutMs: 60_000,
      retries: 0,
      fetch: openGuardedFetch({ allow: [{ host: '127.0.0.1' }] }),
    }),
    assistant: { monthlyCredits, supportAddress: undefined },
  })

const said = (...contents: string[]) =>
  contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }))

const ask = (body: unknown = { messages: said('Why does it warp?') }, path = PATH) =>
  server.call('POST', path, { body, token: user.token })

async function used(): Promise<unknown> {
  const { json } = await server.call('GET', '/assistant/api/me/', { token: user.token })
  return (json as { ai_credits: { ai_credit_used_current_month: number } }).ai_credits.ai_credit_used_current_month
}

const plates = [{ model_objects: [{ id: '1', name: 'cube.stl', extruder_id: 1 }] }]
const slicing_profiles = {
  filament_presets: [{ name: 'PLA', is_selected: true, config: { nozzle_temperature: ['210'] } }],
  print_process_presets: [
    { name: 'Fine', is_selected: true, config: { layer_height: '0.12', brim_width: '0' } },
    { name: 'Strong', is_selected: false, config: { wall_loops: '5' } },
  ],
}

test('an answer, and what it costs', async () => {
  const answer = await ask()
  expect(answer).toMatchObject({ status: 200, json: { message: { role: 'assistant', content: 'Level the bed.' } } })
  expect(await used()).toBe(1)
  expect((await ask()).status).toBe(200)
  expect(await ask()).toMatchObject({ status: 402, json: { code: 'credits_exhausted' } })
  expect(fake.asked).toHaveLength(2)
})

test('at the door of existing clients it is the same, in their words and language', async () => {
  await ask()
  await ask(undefined, '/jusprin/api/chats/messages/')
  expect(await ask(undefined, '/jusprin/api/chats/messages/?lang=de-AT')).toMatchObject({
    status: 402,
    json: { error: 'Das monatliche Limit an KI-Credits ist aufgebraucht' },
  })
})

test.each([
  { name: 'an error', script: { status: 500 } },
  { name: 'a refusal', script: { status: 400 } },
  { name: 'a cut connection', script: { text: ['Lev'], ends: 'cut' } },
  { name: 'no JSON', script: { ends: 'garbage' } },
] as const)('a model that fails with $name costs nothing', async ({ script }) => {
  fake.script.push(script)
  const answer = await ask()
  expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } })
  expect(answer.headers.get('retry-after')).toBe('10')
  expect(await used()).toBe(0)
})

test('a body that is wrong costs nothing', async () => {
  for (const body of [{}, { messages: [] }, { messages: [{ role: 'system', content: 'x' }] }, { messages: 'x' }]) {
    expect((await ask(body)).status).toBe(400)
  }
  expect(await used()).toBe(0)
})

describe('a slicer', () => {
  test.each([
    { name: 'no plate', body: { plates: [] }, content: /no plate/ },
    { name: 'no model', body: { plates: [{ model_objects: [] }] }, content: /no model/ },
    { name: 'no profiles', body: { plates }, content: /exactly one filament/ },
    {
      name: 'two filaments',
      body: { plates, slicing_profiles: { ...slicing_profiles, filament_presets: [{ name: 'a' }, { name: 'b' }] } },
      content: /exactly one filament/,
    },
    {
      name: 'no process',
      body: { plates, slicing_profiles: { ...slicing_profiles, print_process_presets: [] } },
      content: /process preset/,
    },
    {
      name: 'two extruders',
      body: { slicing_profiles, plates: [{ model_objects: [{ extruder_id: 1 }, { extruder_id: 2 }] }] },
      content: /more than one extruder/,
    },
  ])('with $name is told what is missing, for its credit', async ({ body, content }) => {
    const answer = await ask({ messages: said('Print this'), ...body })
    expect(answer).toMatchObject({
      status: 200,
      json: { message: { role: 'assistant', content: expect.stringMatching(content) } },
    })
    expect(fake.asked).toEqual([])
    expect(await used()).toBe(1)
  })

  test('is told settings and actions, of things that it has itself', async () => {
    fake.script.push({
      text: ['Use a brim.'],
      calls: [
        { name: 'propose_action', arguments: { name: 'slice_model', arguments: { plate: 1 } } },
        { name: 'propose_action', arguments: { name: 'delete_everything' } },
        {
          name: 'suggest_settings',
          arguments: {
            use_print_process_preset: 'Strong',
            filament_overrides: { nozzle_temperature: [215], secret: 1 },
            print_process_overrides: { brim_width: 5, post_process: 'rm -rf /' },
            explanations: [
              { parameter: 'brim_width', explanation: 'It holds.' },
              { parameter: 'post_process', explanation: 'Trust me.' },
            ],
          },
        },
      ],
    })
    const { json } = await ask({ messages: said('It must not warp'), plates, slicing_profiles })
    expect(json).toEqual({
      message: {
        role: 'assistant',
        content: 'Use a brim.',
        agent_actions: [{ name: 'slice_model', arguments: { plate: 1 } }],
        per_override_explanations: [{ parameter: 'brim_width', explanation: 'It holds.' }],
        slicing_profiles: {
          use_print_process_preset: 'Strong',
          filament_overrides: { nozzle_temperature: ['215'] },
          print_process_overrides: { brim_width: '5' },
        },
      },
    })
  })

  test('gets its own two tools, and none of those that look things up', async () => {
    await ask({ messages: said('Print this'), plates, slicing_profiles })
    const names = fake.asked[0]?.tools?.map((tool) => tool.function.name)
    expect(names).toEqual(['propose_action', 'suggest_settings'])
  })
})

test('a long conversation is told in brief, save for its last five turns', async () => {
  fake.script.push({ text: ['They want PETG.'] })
  await ask({ messages: said('q1', 'a1', 'q2', 'a2', 'q3', 'a3', 'q4') })
  expect(fake.asked).toHaveLength(2)
  expect(fake.asked[0]?.messages.at(-1)).toMatchObject({ content: 'user: q1\n\nassistant: a1' })
  expect(fake.asked[1]?.messages.slice(1).map(({ content }) => content)).toEqual([
    'Summary of the conversation so far:\nThey want PETG.',
    ...['q2', 'a2', 'q3', 'a3', 'q4'],
  ])
  expect(await used()).toBe(1)
})

test('without a model nothing can be asked, and nothing is taken', async () => {
  const bare = await startTestServer({ assistant: { monthlyCredits: 1, supportAddress: undefined } })
  const answer = await bare.call('POST', PATH, { body: { messages: said('Hello') } })
  expect(answer).toMatchObject({ status: 503, json: { code: 'assistant_not_configured' } })
  expect((await bare.call('GET', '/assistant/api/me/')).json).toMatchObject({
    ai_credits: { ai_credit_used_current_month: 0, ai_credit_free_monthly_quota: 1 },
  })
  await bare.close()
})

describe('a stream', () => {
  function open(signal?: AbortSignal): Promise<Response> {
    const headers = {
      authorization: `Bearer ${user.token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    }
    const body = JSON.stringify({ messages: said('Why?') })
    return fetch(`${server.url}${PATH}`, { method: 'POST', headers, body, ...(signal === undefined ? {} : { signal }) })
  }

  const eventsOf = (text: string) =>
    text
      .split('\n\n')
      .filter((block) => block.startsWith('event: '))
      .map((block) => {
        const [name = '', data = ''] = block.split('\n')
        return [name.slice(7), JSON.parse(data.slice(6)) as unknown]
      })

  test('tells each piece, then the whole', async () => {
    const response = await open()
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(eventsOf(await response.text())).toEqual([
      ['delta', { text: 'Level' }],
      ['delta', { text: ' the bed.' }],
      ['message', { message: { role: 'assistant', content: 'Level the bed.' } }],
    ])
    expect(await used()).toBe(1)
  })

  test('ends with an error when the model fails in the middle, and costs nothing', async () => {
    fake.script.push({ text: ['Lev'], ends: 'cut' })
    const events = eventsOf(await (await open()).text())
    expect(events.map(([name]) => name)).toEqual(['delta', 'error'])
    expect(events[1]?.[1]).toMatchObject({ status: 503, code: 'unavailable' })
    expect(await used()).toBe(0)
  })

  test('is no stream when the credits are used up', async () => {
    await ask()
    await ask()
    const response = await open()
    expect(response.status).toBe(402)
    expect(response.headers.get('content-type')).toContain('application/problem+json')
  })

  test.each([
    { name: 'before the first word', script: { ends: 'hang' }, cost: 0 },
    { name: 'after some words', script: { text: ['Lev'], ends: 'hang' }, cost: 1 },
  ] as const)('whose client hangs up $name costs $cost', async ({ script, cost }) => {
    fake.script.push(script)
    const caller = new AbortController()
    const response = await open(caller.signal)
    const reader = response.body?.getReader()
    await fake.until(() => fake.asked.length === 1)
    if (cost === 1) {
      let text = ''
      while (!text.includes('delta')) text += new TextDecoder().decode((await reader?.read())?.value)
    }
    caller.abort()
    await reader?.cancel().catch(() => undefined)
    // The model is left, too.
    await fake.until(() => fake.open() === 0)
    await expect
      .poll(() => server.database.db.selectFrom('ai_credit_holds').selectAll().execute(), { timeout: 30_000 })
      .toEqual([])
    expect(await used()).toBe(cost)
  })

  // The last, since it stops the server.
  test('is ended with the server, and its credit given back', async () => {
    fake.script.push({ ends: 'hang' })
    const ended = open()
      .then((answer) => answer.text())
      .catch(() => undefined)
    await fake.until(() => fake.asked.length === 1)
    await server.app.close()
    await ended
    const { db } = server.database
    expect(await db.selectFrom('ai_credit_holds').selectAll().execute()).toEqual([])
    const entries = db.selectFrom('ai_credit_entries').select('kind').where('user_id', '=', user.id)
    expect((await entries.orderBy('id').execute()).map(({ kind }) => kind)).toEqual(['quota', 'debit', 'refund'])
  })
})
