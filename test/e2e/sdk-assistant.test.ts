import { join } from 'node:path'
import { ApiError, type AssistantEvent, type Client, createClient, type PostMortemEvent } from '@printwarden/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../support/model-server.js'
import { ADMIN, type ServerProgram, startServer, temporaryFolder } from '../support/processes.js'
import { connectWirePrinter } from '../support/wire-printer.js'

// The assistant's answers through the SDK, from the real server as a process, with a model's server on this machine.

let folder: { path: string; remove: () => Promise<void> }
let model: ModelServer
let server: ServerProgram
let client: Client

beforeAll(async () => {
  folder = await temporaryFolder()
  model = await startModelServer()
  server = await startServer({
    dataDir: join(folder.path, 'data'),
    env: {
      PRINTWARDEN_ASSISTANT_URL: model.url,
      PRINTWARDEN_ASSISTANT_MODEL: 'small',
      PRINTWARDEN_OUTBOUND_ALLOW: `127.0.0.1:${model.port}`,
      PRINTWARDEN_ASSISTANT_MONTHLY_CREDITS: '1',
    },
  })
}, 180_000)
afterAll(async () => {
  await server?.stop()
  await model?.close()
  await folder?.remove()
})
afterEach(() => {
  model.script.length = 0
})

/** A client of somebody who has asked nothing yet. */
let people = 0
async function newcomer(): Promise<Client> {
  const { access_token } = await createClient({ baseUrl: server.url }).adminSignIn(ADMIN)
  const admin = createClient({ baseUrl: server.url, token: access_token })
  const email = `asker${(people += 1)}@example.test`
  await admin.createAccount({ email, password: 'correct-horse-battery' })
  const issued = await admin.issueToken({ email, scope: 'read write' })
  return createClient({ baseUrl: server.url, token: issued.access_token })
}

const QUESTION = { messages: [{ role: 'user' as const, content: 'Why does it warp?' }] }
const used = async (): Promise<number> => (await client.getAssistantMe()).ai_credits.ai_credit_used_current_month

async function collected(events: AsyncIterable<AssistantEvent>): Promise<AssistantEvent[]> {
  const all: AssistantEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

test('an answer comes as it is made, then whole; the next question is refused for want of credits', async () => {
  client = await newcomer()
  model.script.push({ text: ['Größe ', '🧵', ' und Bett'] })
  const events = await collected(client.askAssistant({ ...QUESTION, lang: 'de' }))
  const deltas = events.flatMap((event) => (event.type === 'delta' ? [event.text] : []))
  expect(deltas.join('')).toBe('Größe 🧵 und Bett')
  expect(events.at(-1)).toMatchObject({ type: 'message', message: { content: 'Größe 🧵 und Bett' } })
  expect(await used()).toBe(1)
  const error = await collected(client.askAssistant(QUESTION)).catch((one: unknown) => one)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 402, code: 'credits_exhausted' })
})

test('the first words are there before the answer is whole, and who stops then hangs up at the model too', async () => {
  client = await newcomer()
  model.script.push({ text: ['Level', ' the'], ends: 'hang' })
  for await (const event of client.askAssistant(QUESTION)) {
    expect(event.type).toBe('delta')
    break
  }
  await model.untilOpen(0)
  // It was begun, so it is paid.
  expect(await used()).toBe(1)
})

test('who gives up before the first word gets the credit back', async () => {
  client = await newcomer()
  model.script.push({ text: [], ends: 'hang' })
  const giveUp = new AbortController()
  const reason = new Error('enough')
  const asking = collected(client.askAssistant(QUESTION, { signal: giveUp.signal })).catch((one: unknown) => one)
  await model.untilOpen(1)
  giveUp.abort(reason)
  expect(await asking).toBe(reason)
  await expect.poll(used).toBe(0)
})

test('a model that fails in the middle is an error of the API, and costs nothing', async () => {
  client = await newcomer()
  model.script.push(
    { text: ['Level'], ends: 'cut' },
    { text: ['Level'], ends: 'cut' },
    { text: ['Level'], ends: 'cut' },
  )
  const error = await collected(client.askAssistant(QUESTION)).catch((one: unknown) => one)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ code: 'unavailable', status: 503 })
  expect(await used()).toBe(0)
})

test('why a print failed: what is read of it, then the answer, which is kept', async () => {
  client = await newcomer()
  const printer = await client.createPrinter({ name: 'MK4' })
  const wire = await connectWirePrinter(server.url, printer.auth_token ?? '', 'obey')
  await wire.startPrint('cube.gcode')
  const [running] = await client.listPrints()
  const id = running?.id ?? 0
  const tooEarly = client.askPostMortem({ id }).next()
  await expect(tooEarly).rejects.toMatchObject({ status: 409, code: 'conflict' })
  await client.waitFor(await client.pausePrint({ id: printer.id }))
  await wire.endPrint('cancelled')

  const verdict = { cause: 'a pause', certainty: 'possible', answer: 'It was paused [2].', advice: ['Do not.'] }
  model.script.push({ text: [JSON.stringify(verdict)] })
  const events: PostMortemEvent[] = []
  for await (const event of client.askPostMortem({ id, lang: 'en' })) events.push(event)
  expect(events.length).toBeGreaterThan(1)
  expect(events.slice(0, -1).map(({ type }) => type)).not.toContain('message')
  const last = events.at(-1)
  expect(last).toMatchObject({ type: 'message', postMortem: { print_id: id, ...verdict } })
  expect(await client.getPostMortem({ id })).toEqual(last?.type === 'message' && last.postMortem)
  expect(await used()).toBe(1)
  wire.close()
})
