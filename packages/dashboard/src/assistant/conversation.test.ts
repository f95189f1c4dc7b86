import type { ChatQuestion } from '@printwarden/protocol'
import { ApiError } from '@printwarden/sdk'
import { createFakeServer, FakeRefusal } from '@printwarden/sdk/testing'
import { expect, test, vi } from 'vitest'
import { type Conversation, openConversation } from './conversation.js'

// Conversations with the SDK's server in memory, which says the same to everybody.

function world() {
  const server = createFakeServer()
  const kept: unknown[] = []
  const deps = {
    client: server.client(),
    lang: 'de',
    onAnswer: () => undefined,
    onKept: (_conversation: Conversation, error?: unknown) => void kept.push(error),
    onSpent: () => undefined,
  }
  return { server, client: deps.client, kept, open: (id?: number) => openConversation(id, deps) }
}

const ended = (conversation: Conversation) =>
  vi.waitFor(() => {
    expect(conversation.coming.value).toBeUndefined()
    expect(conversation.isLoading.value).toBe(false)
  })
const said = (conversation: Conversation) => conversation.turns.value.map(({ role, content }) => `${role}: ${content}`)

test('each answer is kept, and the whole conversation goes with the next question', async () => {
  const { server, client, kept, open } = world()
  const asked: ChatQuestion[] = []
  server.on('sendChatMessage', ({ body, query }) => {
    expect(query.lang).toBe('de')
    asked.push(body)
    return { message: { role: 'assistant', content: `Answer ${asked.length}` } }
  })
  const conversation = open()
  expect(conversation.ask('One?')).toBe(true)
  expect(conversation.ask('Too early?')).toBe(false)
  await vi.waitFor(() => expect(kept).toEqual([undefined]))
  conversation.ask('Two?')
  await vi.waitFor(() => expect(kept).toEqual([undefined, undefined]))
  expect(asked.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
    ['One?'],
    ['One?', 'Answer 1', 'Two?'],
  ])
  expect(await client.listChats()).toHaveLength(1)
  const again = open(conversation.id.value)
  again.load()
  await vi.waitFor(() => expect(said(again)).toEqual(said(conversation)))
})

test('a question that failed is asked again, or gives way to the next', async () => {
  const { server, client, open } = world()
  let isBroken = true
  server.on('sendChatMessage', () => {
    if (isBroken) throw new FakeRefusal('unavailable')
    return { message: { role: 'assistant', content: 'So.' } }
  })
  const conversation = open()
  conversation.ask('One?')
  await vi.waitFor(() => expect(conversation.problem.value).toBeInstanceOf(ApiError))
  expect(said(conversation)).toEqual(['user: One?'])
  expect(await client.listChats()).toEqual([])
  conversation.ask('Two?')
  await ended(conversation)
  expect(said(conversation)).toEqual(['user: Two?'])
  isBroken = false
  conversation.askAgain()
  await vi.waitFor(() => expect(said(conversation)).toEqual(['user: Two?', 'assistant: So.']))
  expect(conversation.problem.value).toBeUndefined()
})

test('an answer that is stopped before its first word leaves the question', async () => {
  const { server, open } = world()
  server.on('sendChatMessage', () => new Promise(() => undefined))
  const conversation = open()
  conversation.ask('One?')
  await vi.waitFor(() => expect(conversation.coming.value).toEqual({ text: '', looks: [] }))
  conversation.stop()
  await ended(conversation)
  expect(said(conversation)).toEqual(['user: One?'])
  expect(conversation.problem.value).toBeUndefined()
})

test("a slicer's chat is shown, and not written to", async () => {
  const { client, open } = world()
  const messages = JSON.stringify([{ role: 'user', content: 'Slice it' }])
  const { id } = await client.createChat({ messages, machine_name: 'MK4' })
  const conversation = open(id)
  conversation.load()
  await vi.waitFor(() => expect(said(conversation)).toEqual(['user: Slice it']))
  conversation.ask('And now?')
  expect(said(conversation)).toEqual(['user: Slice it'])
  expect((await client.getChat({ id })).messages).toBe(messages)
})

/** Answers each question with itself, and the first words of `held` only once it is let go. */
function echoing(server: ReturnType<typeof world>['server'], held?: string) {
  let letGo = (): void => undefined
  const wait = new Promise<void>((resolve) => (letGo = resolve))
  server.on('sendChatMessage', async ({ body }) => {
    const question = body.messages.at(-1)?.content ?? ''
    if (question === held) await wait
    return { message: { role: 'assistant', content: `Re: ${question}` } }
  })
  return { letGo }
}

test('what two tabs say in one conversation is kept from both', async () => {
  const { server, kept, open, client } = world()
  const { letGo } = echoing(server, 'Slow?')
  const here = open()
  here.ask('First?')
  await vi.waitFor(() => expect(kept).toEqual([undefined]))
  const there = open(here.id.value)
  there.load()
  await vi.waitFor(() => expect(said(there)).toEqual(said(here)))
  here.ask('Slow?')
  there.ask('Quick?')
  await vi.waitFor(() => expect(kept).toHaveLength(2))
  letGo()
  await vi.waitFor(() => expect(kept).toEqual([undefined, undefined, undefined]))
  const both = ['First?', 'Quick?', 'Slow?'].flatMap((one) => [`user: ${one}`, `assistant: Re: ${one}`])
  expect(said(here)).toEqual(both)
  // And again from the one that has not seen it.
  there.ask('Last?')
  await vi.waitFor(() => expect(kept).toHaveLength(4))
  const again = open(here.id.value)
  again.load()
  await vi.waitFor(() => expect(said(again)).toEqual([...both, 'user: Last?', 'assistant: Re: Last?']))
  expect(await client.listChats()).toHaveLength(1)
})

test('a question that is asked before the conversation was read does not overwrite it', async () => {
  const { server, client, kept, open } = world()
  echoing(server)
  const { id } = await client.createChat({ messages: JSON.stringify([{ role: 'user', content: 'Long ago' }]) })
  const conversation = open(id)
  conversation.load()
  conversation.ask('Now?')
  await vi.waitFor(() => expect(kept).toEqual([undefined]))
  expect(said(conversation)).toEqual(['user: Long ago', 'user: Now?', 'assistant: Re: Now?'])
})

test('a conversation that is deleted while an answer comes is not kept, and nobody complains', async () => {
  const { server, client, kept, open } = world()
  const { letGo } = echoing(server, 'Slow?')
  const conversation = open()
  conversation.ask('First?')
  await vi.waitFor(() => expect(kept).toEqual([undefined]))
  conversation.ask('Slow?')
  conversation.drop()
  await client.deleteChat({ id: conversation.id.value ?? 0 })
  letGo()
  await ended(conversation)
  expect(kept).toEqual([undefined])
  expect(await client.listChats()).toEqual([])
})
