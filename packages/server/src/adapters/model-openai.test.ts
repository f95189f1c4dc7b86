import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type FakeModelServer, startFakeModelServer } from '../assistant/fake-model-server.js'
import type { AssistantModel, ModelQuestion } from '../assistant/model.js'
import { parseAllowEntry } from '../outbound-rules.js'
import { openOpenAiModel } from './model-openai.js'
import { MAX_ANSWER_CHARACTERS } from './model-openai-stream.js'
import { openGuardedFetch } from './outbound-fetch.js'

let fake: FakeModelServer

beforeEach(async () => {
  fake = await startFakeModelServer()
})
afterEach(() => fake.close())

function open(options: { readonly allow?: readonly string[]; readonly timeoutMs?: number } = {}): AssistantModel {
  const { allow = ['127.0.0.1'], timeoutMs = 60_000 } = options
  const entries = allow.flatMap((text) => parseAllowEntry(text) ?? [])
  return openOpenAiModel({
    text: { url: fake.url, key: 'secret', model: 'small' },
    vision: { url: fake.url, key: undefined, model: 'seeing' },
    timeoutMs,
    retries: 1,
    fetch: openGuardedFetch({ allow: entries }),
  })
}

const question = (changes: Partial<ModelQuestion> = {}): ModelQuestion => ({
  sense: 'text',
  system: 'You know printers.',
  turns: [{ role: 'user', text: 'Why does it warp?' }],
  signal: new AbortController().signal,
  ...changes,
})

test('an answer comes in pieces and as a whole; the key goes along', async () => {
  const pieces: string[] = []
  const answer = await open().ask(question({ onText: (text) => pieces.push(text) }))
  expect(answer).toEqual({ text: 'Level the bed.', calls: [] })
  expect(pieces).toEqual(['Level', ' the bed.'])
  expect(fake.asked).toMatchObject([{ model: 'small', stream: true, key: 'Bearer secret' }])
  expect(fake.asked[0]?.messages).toMatchObject([
    { role: 'system', content: 'You know printers.' },
    { role: 'user', content: 'Why does it warp?' },
  ])
})

test('pictures go to the model that sees, without the key of the other', async () => {
  const pictures = [{ bytes: new Uint8Array([1, 2, 3]), type: 'image/jpeg' as const }]
  await open().ask(question({ sense: 'vision', turns: [{ role: 'user', text: 'Look.', pictures }] }))
  expect(fake.asked).toMatchObject([{ model: 'seeing', key: undefined }])
  expect(fake.asked[0]?.raw).toContain('data:image/jpeg;base64,AQID')
})

test('what a model asks for is handed over in the form of the tool, and nothing else', async () => {
  fake.script.push({
    calls: [
      { name: 'move', arguments: { to: 'left', speed: 3 } },
      { name: 'move', arguments: { to: 3 } },
      { name: 'rm', arguments: {} },
    ],
  })
  const tools = [{ name: 'move', description: 'Moves.', input: z.object({ to: z.string(), speed: z.number() }) }]
  const answer = await open().ask(question({ tools }))
  expect(answer).toEqual({ text: '', calls: [{ name: 'move', input: { to: 'left', speed: 3 } }] })
  expect(fake.asked[0]?.tools?.map((tool) => tool.function.name)).toEqual(['move'])
})

test('a server that is busy is asked again', async () => {
  fake.script.push({ status: 503 })
  expect(await open().ask(question())).toMatchObject({ text: 'Level the bed.' })
  expect(fake.asked).toHaveLength(2)
})

test.each([
  { name: 'busy all the time', script: [{ status: 500 }, { status: 500 }], code: 'unreachable' },
  { name: 'a refusal', script: [{ status: 400, error: 'secret detail' }], code: 'refused' },
  { name: 'a wrong key', script: [{ status: 401 }], code: 'refused' },
  { name: 'a connection that is cut', script: [{ text: ['Lev'], ends: 'cut' }], code: 'malformed' },
  { name: 'a stream that just ends', script: [{ text: ['Lev'], ends: 'end' }], code: 'malformed' },
  { name: 'a stream that is no JSON', script: [{ text: ['Lev'], ends: 'garbage' }], code: 'malformed' },
  { name: 'nothing said', script: [{ text: ['  '] }], code: 'malformed' },
] as const)('$name is an error with a code, and tells nothing of the server', async ({ script, code }) => {
  fake.script.push(...script)
  const error: unknown = await open()
    .ask(question())
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'ModelError', code })
  expect((error as Error).message).not.toMatch(/secret|127\.0|http/)
})

test('a model that takes too long is left', async () => {
  fake.script.push({ text: ['Lev'], ends: 'hang' })
  await expect(open({ timeoutMs: 300 }).ask(question())).rejects.toMatchObject({ code: 'timeout' })
  await fake.until(() => fake.open() === 0)
})

const PIECE = 'x'.repeat(MAX_ANSWER_CHARACTERS / 8)

test.each([
  { name: 'what it says', script: [{ text: Array.from({ length: 9 }, () => PIECE), ends: 'hang' }] },
  {
    name: 'the input of its calls',
    script: [{ calls: Array.from({ length: 9 }, () => ({ name: 'move', arguments: { to: PIECE } })), ends: 'hang' }],
  },
  {
    name: 'what it says in all rounds',
    script: [
      { text: Array.from({ length: 5 }, () => PIECE), calls: [{ name: 'move', arguments: { to: 'left' } }] },
      { text: Array.from({ length: 4 }, () => PIECE), ends: 'hang' },
    ],
  },
] as const)('a model that never ends is left when $name is too much', async ({ script }) => {
  fake.script.push(...script)
  const error = { code: 'malformed', message: "The model's answer is too long." }
  const begun = performance.now()
  await expect(open({ timeoutMs: 10_000 }).ask(question(answered().more))).rejects.toMatchObject(error)
  await fake.until(() => fake.open() === 0)
  expect(performance.now() - begun).toBeLessThan(8000)
})

test('an answer may be long', async () => {
  fake.script.push({ text: Array.from({ length: 8 }, () => PIECE) })
  expect((await open().ask(question())).text).toHaveLength(MAX_ANSWER_CHARACTERS)
})

test('hanging up ends the question at the model, too', async () => {
  fake.script.push({ text: ['Lev'], ends: 'hang' })
  const caller = new AbortController()
  const onText = (): void => caller.abort(new Error('gone'))
  await expect(open().ask(question({ signal: caller.signal, onText }))).rejects.toThrow('gone')
  await fake.until(() => fake.open() === 0)
})

test('a private address is asked only where it is listed', async () => {
  const closed = open({ allow: [] })
  await expect(closed.ask(question())).rejects.toMatchObject({ code: 'unreachable' })
  expect(fake.asked).toEqual([])
  expect(await closed.problem()).toBe(
    'the server of small has a private address: list it in PRINTWARDEN_OUTBOUND_ALLOW',
  )
  expect(await open().problem()).toBeUndefined()
})

test('a server that is gone is told', async () => {
  const model = open()
  await fake.close()
  expect(await model.problem()).toBe('the server of small cannot be reached')
  await expect(model.ask(question())).rejects.toMatchObject({ code: 'unreachable' })
})

const MOVE = { name: 'move', description: 'Moves.', input: z.object({ to: z.string() }) }
const calling = (...to: unknown[]) => ({ calls: to.map((place) => ({ name: 'move', arguments: { to: place } })) })

/** Answers every call with where it went. */
function answered() {
  const made: unknown[] = []
  const onCall = async ({ input }: { readonly input: unknown }): Promise<string> => {
    made.push(input)
    return `moved ${JSON.stringify(input)}`
  }
  return { made, more: { tools: [MOVE], onCall } }
}

test('calls are answered, and the model goes on; what it says in between is a paragraph of its own', async () => {
  const { made, more } = answered()
  fake.script.push({ text: ['Let me ', 'look.'], ...calling('left', 'right') }, { text: ['Both ', 'moved.'] })
  const pieces: string[] = []
  const answer = await open().ask(question({ ...more, onText: (text) => pieces.push(text) }))
  expect(answer).toEqual({ text: 'Let me look.\n\nBoth moved.', calls: [] })
  expect(pieces.join('')).toBe(answer.text)
  expect(made).toEqual([{ to: 'left' }, { to: 'right' }])
  expect(fake.asked[1]?.messages.slice(2)).toMatchObject([
    { role: 'assistant', content: 'Let me look.', tool_calls: [{ id: 'call00000' }, { id: 'call00001' }] },
    { role: 'tool', tool_call_id: 'call00000', content: 'moved {"to":"left"}' },
    { role: 'tool', tool_call_id: 'call00001', content: 'moved {"to":"right"}' },
  ])
})

test('ids of calls are of the form that the strictest servers take', async () => {
  const { more } = answered()
  fake.script.push(calling('left'), calling('right'), calling('up', 'down'), { text: ['Moved.'] })
  await open().ask(question(more))
  const Calls = z.array(z.object({ tool_calls: z.array(z.object({ id: z.string() })).optional() }))
  const made = Calls.parse(fake.asked[3]?.messages).flatMap(({ tool_calls = [] }) => tool_calls)
  expect(new Set(made.map(({ id }) => id)).size).toBe(4)
  for (const { id } of made) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
})

test('calls that are none are told to be', async () => {
  const { made, more } = answered()
  fake.script.push({
    calls: [
      { name: 'rm', arguments: {} },
      { name: 'move', arguments: { to: 3 } },
    ],
  })
  await open().ask(question(more))
  expect(made).toEqual([])
  expect(fake.asked[1]?.messages.slice(3)).toMatchObject([
    { role: 'tool', content: expect.stringContaining('There is no tool') },
    { role: 'tool', content: expect.stringContaining('There is no tool') },
  ])
})

test.each([
  { name: 'rounds', perRound: 1, rounds: 7, calls: 6 },
  { name: 'calls', perRound: 5, rounds: 4, calls: 12 },
])('a model that never stops calling is ended after so many $name', async ({ perRound, rounds, calls }) => {
  const { made, more } = answered()
  fake.answerAlways(() => ({ text: ['More.'], ...calling(...Array.from({ length: perRound }, () => 'on')) }))
  const answer = await open().ask(question(more))
  expect(answer.calls).toEqual([])
  expect(fake.asked).toHaveLength(rounds)
  expect(made).toHaveLength(calls)
  expect(fake.asked.at(-1)).toMatchObject({ tool_choice: 'none' })
  expect(fake.asked.at(-1)?.messages.at(-1)?.content).toMatch(/answer now/)
})

test('all rounds together take no longer than one question may', async () => {
  const { more } = answered()
  fake.script.push(calling('left'), { text: ['Lev'], ends: 'hang' })
  const begun = performance.now()
  await expect(open({ timeoutMs: 500 }).ask(question(more))).rejects.toMatchObject({ code: 'timeout' })
  expect(performance.now() - begun).toBeLessThan(5000)
  await fake.until(() => fake.open() === 0)
})

test('hanging up in a later round ends the question', async () => {
  const { more } = answered()
  fake.script.push(calling('left'), { text: ['Lev'], ends: 'hang' })
  const caller = new AbortController()
  const asked = open().ask(question({ ...more, signal: caller.signal }))
  void fake.until(() => fake.asked.length === 2).then(() => caller.abort(new Error('gone')))
  await expect(asked).rejects.toThrow('gone')
})

test("what goes wrong with an answer to a call is the caller's own error", async () => {
  fake.script.push(calling('left'))
  const onCall = () => Promise.reject(new RangeError('the disk is full'))
  await expect(open().ask(question({ tools: [MOVE], onCall }))).rejects.toThrow(RangeError)
})

describe('a model that takes no tools', () => {
  const refusal = { status: 400, error: 'registry.ollama.ai/library/small:2b does not support tools' }
  const plainly = { ...answered().more, systemWithoutTools: 'You know printers by heart.' }

  test('is asked without them, and remembered', async () => {
    const model = open()
    fake.script.push(refusal)
    expect(await model.ask(question(plainly))).toMatchObject({ text: 'Level the bed.' })
    expect(fake.asked).toMatchObject([{ tools: [{}] }, { messages: [{ content: 'You know printers by heart.' }, {}] }])
    expect(fake.asked[1]?.tools).toBeUndefined()
    await model.ask(question(plainly))
    expect(fake.asked).toHaveLength(3)
    expect(fake.asked[2]?.tools).toBeUndefined()
  })

  test('is tried again after a while', async () => {
    const model = openOpenAiModel({
      ...{ text: { url: fake.url, key: undefined, model: 'small' }, vision: undefined, timeoutMs: 60_000 },
      ...{ fetch: openGuardedFetch({ allow: [{ host: '127.0.0.1' }] }), withoutToolsMs: 0 },
    })
    fake.script.push(refusal)
    await model.ask(question(plainly))
    await model.ask(question(plainly))
    expect(fake.asked[2]?.tools).toHaveLength(1)
  })

  test('refuses a question that needs them', async () => {
    fake.script.push(refusal)
    await expect(open().ask(question({ tools: [MOVE] }))).rejects.toMatchObject({ code: 'refused' })
    expect(fake.asked).toHaveLength(1)
  })

  test.each([
    { name: 'by which llama.cpp says so', error: 'tools param requires --jinja flag' },
    { name: 'by which old ones do', error: 'Unsupported param: tools' },
  ])('is told by a failure $name, which is not tried again', async ({ error }) => {
    const model = open()
    fake.script.push({ status: 500, error })
    expect(await model.ask(question(plainly))).toMatchObject({ text: 'Level the bed.' })
    expect(fake.asked.map(({ tools }) => tools?.length)).toEqual([1, undefined])
    fake.script.push({ status: 500, error })
    await expect(model.ask(question({ tools: [MOVE] }))).rejects.toMatchObject({ code: 'refused' })
    expect(fake.asked).toHaveLength(3)
  })

  test('keeps them for everybody where it does not answer without them either', async () => {
    const model = open()
    fake.script.push(refusal, { status: 400, error: 'the question is too long' })
    await expect(model.ask(question(plainly))).rejects.toMatchObject({ code: 'refused' })
    await model.ask(question(plainly))
    expect(fake.asked.map(({ tools }) => tools?.length)).toEqual([1, undefined, 1])
  })

  test('keeps them for everybody where a question says what a refusal would', async () => {
    const model = open()
    const text = 'Why does it say that small does not support tools?'
    fake.script.push({ status: 400, error: `cannot read: ${text}` })
    await model.ask(question({ ...plainly, turns: [{ role: 'user', text }] }))
    await model.ask(question(plainly))
    expect(fake.asked.map(({ tools }) => tools?.length)).toEqual([1, undefined, 1])
  })

  test('is not asked twice once it has answered a round', async () => {
    const model = open()
    const pieces: string[] = []
    fake.script.push({ text: ['Let me look.'], ...calling('left') }, refusal)
    const asked = model.ask(question({ ...plainly, onText: (text) => pieces.push(text) }))
    await expect(asked).rejects.toMatchObject({ code: 'refused' })
    expect(pieces).toEqual(['Let me look.'])
    await model.ask(question(plainly))
    expect(fake.asked.map(({ tools }) => tools?.length)).toEqual([1, 1, 1])
  })

  test('is told from one that quotes the question', async () => {
    fake.script.push({ status: 400, error: 'too long: "Which tools do I need? PLA is not allowed."' })
    await expect(open().ask(question(plainly))).rejects.toMatchObject({ code: 'refused' })
    expect(fake.asked).toHaveLength(1)
  })

  test('is told from one that refuses the question', async () => {
    fake.script.push({ status: 400, error: 'the question is too long' })
    await expect(open().ask(question(plainly))).rejects.toMatchObject({ code: 'refused' })
    expect(fake.asked).toHaveLength(1)
  })
})
