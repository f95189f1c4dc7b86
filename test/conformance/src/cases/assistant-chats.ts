import { Chat } from '#protocol'
import { z } from 'zod'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectHeader, expectProblem, expectStatus, expectTrue } from '../expect.js'
import type { Answer } from '../http.js'
import type { Case } from '../run.js'
import { ContractChat } from '../shapes.js'

const LIST = '/assistant/api/chats/'
const CHATS = { group: 'decisions', section: 'decision 11' } as const
const LISTS = { group: 'decisions', section: 'decision 6' } as const

const pathOf = ({ id }: { id: number }): string => `${LIST}${id}/`
const idsOf = (answer: Answer): number[] => expectBody(answer, z.array(ContractChat)).map(({ id }) => id)

/** What a client keeps: JSON with spaces, letters of every kind, and nothing that a server should understand. */
const MESSAGES = '[ {"role": "user", "content": "Größe 🧵 <b>\\u0041</b>\\n"} ]  '

/** Chats that nobody has changed since, newest first. */
async function newest(ctx: Context, count: number): Promise<number[]> {
  const ids: number[] = []
  for (let made = 0; made < count; made += 1) ids.push((await ctx.newChat()).id)
  return ids.toReversed()
}

function expectBlank(answer: Answer): void {
  const { issues } = expectProblem(answer, 400, 'invalid_request')
  expectTrue(issues?.some(({ path }) => path === 'messages') === true, 'no issue is about "messages"')
}

export const assistantChatsCases: readonly Case[] = [
  {
    ...CHATS,
    id: 'assistant-chats/kept',
    title: 'A chat is kept as it came, character by character, and is read alone and in the list',
    async run(ctx) {
      const made = Chat.parse(await ctx.newChat(MESSAGES, { machine_name: 'MK4', user_feedback: 'positive' }))
      expectEqual(made.messages, MESSAGES, 'the messages')
      expectEqual(made.machine_name, 'MK4', 'machine_name')
      expectEqual(made.filament_name, null, 'what was not sent')
      expectEqual(expectBody(await ctx.owner.get(pathOf(made)), Chat), made, 'the chat alone')
      const [first] = expectBody(await ctx.owner.get(LIST), z.array(Chat))
      expectEqual(first, made, 'the first of the list')
    },
  },
  {
    ...CHATS,
    id: 'assistant-chats/update',
    title: 'PATCH of a chat changes what it names, keeps the rest, and answers the chat',
    async run(ctx) {
      const made = Chat.parse(await ctx.newChat(MESSAGES, { machine_name: 'MK4' }))
      const answered = expectBody(await ctx.owner.patch(pathOf(made), { user_feedback_text: 'Good.' }), Chat)
      expectEqual(
        { ...answered, updated_at: made.updated_at },
        { ...made, user_feedback_text: 'Good.' },
        'the chat in the answer',
      )
      expectEqual(expectBody(await ctx.owner.get(pathOf(made)), Chat), answered, 'the chat')
    },
  },
  {
    ...CHATS,
    id: 'assistant-chats/blank',
    title: 'A chat without messages, or with blank ones, is 400, to make and to change',
    async run(ctx) {
      const made = await ctx.newChat(MESSAGES)
      for (const body of [{}, { messages: '' }, { messages: ' \n\t' }, { messages: null }, { messages: [] }]) {
        const answer = await ctx.owner.post(LIST, body)
        if (answer.status === 201) ctx.made(LIST, ContractChat.parse(JSON.parse(answer.text)))
        expectBlank(answer)
      }
      expectBlank(await ctx.owner.patch(pathOf(made), { messages: ' ' }))
      expectEqual(expectBody(await ctx.owner.get(pathOf(made)), Chat).messages, MESSAGES, 'the messages afterwards')
    },
  },
  {
    ...CHATS,
    id: 'assistant-chats/others-hidden',
    title: "The list holds nobody else's chats",
    async run(ctx) {
      const { id } = await ctx.newChat()
      const ids = idsOf(await ctx.anonymous.as(ctx.target.tokens.other).get(LIST))
      expectTrue(!ids.includes(id), "the list holds another user's chat")
    },
  },
  {
    ...CHATS,
    id: 'assistant-chats/delete',
    title: 'DELETE of a chat answers 200 with an empty body; afterwards it is 404, and not in the list',
    async run(ctx) {
      const made = await ctx.newChat()
      const deleted = await ctx.owner.delete(pathOf(made))
      expectStatus(deleted, 200)
      expectEqual(deleted.text, '', 'the body')
      expectProblem(await ctx.owner.get(pathOf(made)), 404, 'not_found')
      expectProblem(await ctx.owner.delete(pathOf(made)), 404, 'not_found')
      expectTrue(!idsOf(await ctx.owner.get(LIST)).includes(made.id), 'the list holds it')
    },
  },
  {
    ...LISTS,
    id: 'assistant-chats/pages',
    title: 'Chats come newest first, cut by start and limit, with X-Total-Count and the way to the next page',
    async run(ctx) {
      const made = await newest(ctx, 3)
      const all = await ctx.owner.get(LIST)
      expectEqual(idsOf(all).slice(0, 3), made, 'the newest three')
      const total = Number(expectHeader(all, 'x-total-count'))
      expectTrue(total >= 3, `X-Total-Count is ${total}`)
      const page = await ctx.owner.get(`${LIST}?start=0&limit=2`)
      expectEqual(idsOf(page), made.slice(0, 2), 'the first two')
      expectEqual(Number(expectHeader(page, 'x-total-count')), total, 'X-Total-Count of a page')
      expectTrue(/rel="?next"?/.test(expectHeader(page, 'link')), 'Link names no next page')
      expectEqual(idsOf(await ctx.owner.get(`${LIST}?start=1&limit=1`)), made.slice(1, 2), 'the second')
      expectEqual(idsOf(await ctx.owner.get(`${LIST}?start=${total}&limit=5`)), [], 'what is behind the last')
    },
  },
  {
    ...LISTS,
    id: 'assistant-chats/wrong-page',
    title: 'start and limit that are no counts are 400',
    async run({ owner }) {
      for (const query of ['start=-1', 'limit=-1', 'limit=x', 'start=1.5']) {
        expectProblem(await owner.get(`${LIST}?${query}`), 400, 'invalid_request')
      }
    },
  },
]
