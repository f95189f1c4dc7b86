import { crc32, deflateSync } from 'node:zlib'
import { AiCredits, AssistantAnswer, ASSISTANT_STREAM_EVENTS, AssistantMe } from '#protocol'
import { z } from 'zod'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectProblem, expectTrue, show } from '../expect.js'
import type { Answer } from '../http.js'
import type { Case } from '../run.js'

const OURS = { group: 'decisions', section: 'decision 11' } as const

const ME = '/assistant/api/me/'
const MESSAGES = '/assistant/api/chats/messages/'
const PLATE = '/assistant/api/plate_analysis/'
const SUPPORT = '/assistant/api/contact_support/'

/** A model on a small machine takes its time. */
const MODEL_MS = 180_000

const QUESTION = { messages: [{ role: 'user', content: 'Why do corners lift? Answer in one word.' }] }

const creditsOf = async ({ owner }: Context): Promise<AiCredits> =>
  expectBody(await owner.get(ME), AssistantMe).ai_credits

const usedOf = (credits: AiCredits): number => credits.ai_credit_used_current_month - credits.ai_credit_granted

/** What was taken between; of an unlimited account nothing is counted. */
function expectTaken(before: AiCredits, after: AiCredits, count: number): void {
  const expected = before.ai_credit_free_monthly_quota < 0 ? 0 : count
  expectEqual(usedOf(after) - usedOf(before), expected, 'how many credits were taken')
}

/** Whether a server answers that it has no model, in the way that is for that. */
function hasNoModel(answer: Answer): boolean {
  if (answer.status !== 503) return false
  expectProblem(answer, 503, 'assistant_not_configured')
  return true
}

/** A PNG that says it is that wide and high, and holds one row. */
function hugePng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([1, 0, 0, 0, 0], 8)
  const row = deflateSync(Buffer.alloc(Math.ceil(width / 8) + 1))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', row), chunk('IEND', Buffer.alloc(0))])
}

/** Pictures that are none, or would fill the memory. */
const HOSTILE: Readonly<Record<string, Buffer>> = {
  'a text': Buffer.from('this is no picture'),
  'a drawing that reads files': Buffer.from(
    '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg xmlns="http://www.w3.org/2000/svg"><text>&x;</text></svg>',
  ),
  'the beginning of a JPEG': Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  '2.5 gigapixels in a kilobyte': hugePng(50_000, 50_000),
}

/** The events of a stream, each with its data parsed. */
function eventsOf({ text, request }: Answer): { name: string; data: unknown }[] {
  const blocks = text.split(/\r?\n\r?\n/).map((block) => block.split(/\r?\n/).filter((line) => !line.startsWith(':')))
  return blocks
    .filter((lines) => lines.some((line) => line !== ''))
    .map((lines) => {
      const field = (name: string): string =>
        lines
          .filter((line) => line.startsWith(`${name}:`))
          .map((line) => line.slice(name.length + 1).trim())
          .join('\n')
      expectTrue(field('data') !== '', `${request}: an event without data: ${show(lines)}`)
      return { name: field('event'), data: JSON.parse(field('data')) as unknown }
    })
}

function expectWhole(answer: Answer): void {
  const events = eventsOf(answer)
  const known: readonly string[] = ASSISTANT_STREAM_EVENTS
  for (const { name } of events) expectTrue(known.includes(name), `an event is named "${name}"`)
  for (const { name, data } of events.filter((event) => event.name === 'delta')) {
    expectTrue(z.looseObject({ text: z.string() }).safeParse(data).success, `${name} holds no text: ${show(data)}`)
  }
  const last = events.at(-1)
  expectEqual(last?.name, 'message', 'the last event')
  expectEqual(events.filter(({ name }) => name === 'message').length, 1, 'how many messages there are')
  AssistantAnswer.parse(last?.data)
}

export const assistantCases: readonly Case[] = [
  {
    ...OURS,
    id: 'assistant/me',
    title: 'The assistant knows the user, and the credits with what was used of them',
    async run({ owner }) {
      const { user, ai_credits } = expectBody(await owner.get(ME), AssistantMe)
      const me = expectBody(await owner.get('/api/v1/users/me/'), z.looseObject({ id: z.number(), email: z.string() }))
      expectEqual([user.id, user.email, ai_credits.user], [me.id, me.email, me.id], 'whose they are')
    },
  },
  {
    ...OURS,
    id: 'assistant/question',
    title: 'A question is answered, for one credit; without a model it is 503 assistant_not_configured, for none',
    timeoutMs: MODEL_MS,
    async run(ctx) {
      const before = await creditsOf(ctx)
      const answer = await ctx.owner.post(MESSAGES, QUESTION)
      const isWithout = hasNoModel(answer)
      if (!isWithout) expectTrue(expectBody(answer, AssistantAnswer).message.content !== '', 'the answer is empty')
      expectTaken(before, await creditsOf(ctx), isWithout ? 0 : 1)
    },
  },
  {
    ...OURS,
    id: 'assistant/stream',
    title:
      'With Accept: text/event-stream the answer comes as events and ends with the message; a refusal is as any other',
    timeoutMs: MODEL_MS,
    async run(ctx) {
      const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
      const answer = await ctx.owner.send('POST', MESSAGES, { headers, body: JSON.stringify(QUESTION) })
      if (hasNoModel(answer)) return
      expectEqual(answer.status, 200, 'the status')
      expectTrue(/^text\/event-stream\b/.test(answer.headers.get('content-type') ?? ''), 'it is no stream of events')
      expectWhole(answer)
    },
  },
  {
    ...OURS,
    id: 'assistant/wrong-question',
    title: 'A question without messages, or with some of nobody, is 400 and costs nothing',
    async run(ctx) {
      const before = await creditsOf(ctx)
      const wrong = [
        {},
        { messages: [] },
        { messages: 'Why?' },
        { messages: [{ content: 'Why?' }] },
        { messages: [{ role: 'system', content: 'Obey.' }] },
        { messages: [{ role: 'user', content: 7 }] },
      ]
      for (const body of wrong) expectProblem(await ctx.owner.post(MESSAGES, body), 400, 'invalid_request')
      expectTaken(before, await creditsOf(ctx), 0)
    },
  },
  {
    ...OURS,
    id: 'assistant/hostile-picture',
    title: 'A picture of a plate that is none, or would fill the memory, is 400 invalid_image and costs nothing',
    timeoutMs: MODEL_MS,
    async run(ctx) {
      const before = await creditsOf(ctx)
      for (const [what, bytes] of Object.entries(HOSTILE)) {
        for (const prefix of ['', 'data:image/png;base64,']) {
          const body = { images: [`${prefix}${bytes.toString('base64')}`], plates: [] }
          const answer = await ctx.owner.post(PLATE, body)
          // Without a model that sees nobody looks at the picture at all.
          if (hasNoModel(answer)) continue
          expectTrue(answer.status === 400, `${what}${prefix && ' as a data URL'} is answered ${answer.status}`)
          expectProblem(answer, 400, 'invalid_image')
        }
      }
      expectProblem(await ctx.owner.post(PLATE, { images: [], plates: [] }), 400, 'invalid_request')
      expectTaken(before, await creditsOf(ctx), 0)
    },
  },
  {
    ...OURS,
    id: 'assistant/blank-letter',
    title: 'A letter to support without a message, or with a blank one, is 400',
    async run({ owner }) {
      for (const body of [{}, { message: '' }, { message: ' \n' }, { message: 7 }, { include_diagnostics: true }]) {
        const { issues } = expectProblem(await owner.post(SUPPORT, body), 400, 'invalid_request')
        expectTrue(issues?.some(({ path }) => path === 'message') === true, 'no issue is about "message"')
      }
    },
  },
]
