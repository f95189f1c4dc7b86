import { createFakeServer } from '@printwarden/sdk/testing'
import { expect, test, vi } from 'vitest'
import { openNotices } from '../notices.js'
import { openAssistantState } from './assistant-state.js'

// The assistant of one tab with the SDK's server in memory.

test('a chat that is deleted while an answer comes goes without a complaint, and does not come back', async () => {
  const server = createFakeServer()
  const client = server.client()
  let saysFirst = (): void => undefined
  const hasBegun = new Promise<void>((resolve) => (saysFirst = resolve))
  let letGo = (): void => undefined
  const wait = new Promise<void>((resolve) => (letGo = resolve))
  server.on('sendChatMessage', async () => {
    saysFirst()
    await wait
    return { message: { role: 'assistant', content: 'Too late.' } }
  })
  // Deletes as a slow server does: the answer is whole before the client hears that the chat is gone.
  let hearsOfIt = (): void => undefined
  const slow = new Promise<void>((resolve) => (hearsOfIt = resolve))
  const slowClient = {
    ...client,
    async deleteChat(input: { id: number }) {
      await client.deleteChat(input)
      await slow
    },
  }
  const notices = openNotices()
  const state = openAssistantState(slowClient, notices, 'en')
  const { id } = await client.createChat({ messages: JSON.stringify([{ role: 'user', content: 'First?' }]) })
  const conversation = state.conversation(id)
  conversation.load()
  await vi.waitFor(() => expect(conversation.turns.value).toHaveLength(1))
  conversation.ask('And now?')
  await hasBegun
  const deleting = state.deleteChat(id)
  letGo()
  await vi.waitFor(() => expect(conversation.coming.value).toBeUndefined())
  await new Promise((resolve) => setTimeout(resolve, 50))
  hearsOfIt()
  await deleting
  expect(notices.list.value).toEqual([])
  expect(await client.listChats()).toEqual([])
  expect(state.conversation(id)).not.toBe(conversation)
})
