import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Authenticator } from '../http/authenticate.js'
import { fastifyApi } from '../http/register.js'
import { openHttpServer } from '../http/server.js'
import { OTHER_ROUTES } from '../http/other-routes.js'
import { keptLog } from '../testing.js'
import { postMortemRoutes } from './post-mortems/post-mortem-routes.js'
import type { PostMortemRow } from './post-mortems/post-mortem-store.js'
import { postMortemView } from './post-mortems/post-mortem-view.js'
import { messageRoutes } from './messages/message-routes.js'

// While a model thinks, a stream says that it is still there, so that no proxy takes it for dead.

const HEARTBEAT_MS = 20
const COMMENT = ': still here\n\n'

const refuse = (): never => {
  throw new Error('nobody asks for that here')
}

/** Lets everybody in. */
const EVERYBODY: Authenticator = {
  authenticate: async () => ({
    ...{ user_id: 1, email: 'a@example.test', is_admin: false, scopes: ['read', 'write'] },
    via: { type: 'token', token_id: 1 },
  }),
  authenticateAgent: refuse,
  stillAgents: refuse,
}

let app: FastifyInstance
let url: string
/** Ends the thinking. */
let answer: () => void

beforeAll(async () => {
  app = await openHttpServer({ log: keptLog(), trustedProxies: [], maxFrameBytes: 1024, decisions: OTHER_ROUTES })
  const api = fastifyApi(app, EVERYBODY)
  const media = { urls: () => (key: string) => key }
  messageRoutes(api, {
    heartbeatMs: HEARTBEAT_MS,
    media,
    messages: {
      answer({ onTaken, onText }) {
        onTaken?.()
        onText?.('Le')
        return new Promise((resolve) => (answer = () => resolve({ role: 'assistant', content: 'Level the bed.' })))
      },
    },
  })
  postMortemRoutes(api, {
    heartbeatMs: HEARTBEAT_MS,
    media,
    postMortems: {
      find: async () => row,
      ask({ onTaken, onLook }) {
        onTaken?.()
        onLook?.({ tool: 'read_events', about: '3 events' })
        return new Promise((resolve) => (answer = () => resolve(row)))
      },
    },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterAll(() => app.close())

const row: PostMortemRow = {
  ...{ print_id: 7, cause: 'Loose', certainty: 'likely', answer: 'It came loose.', advice: '[]', moments: '[]' },
  ...{ missing: '[]', model: 'small', created_at: 0 },
}

test.each([
  {
    name: 'an answer',
    path: '/assistant/api/chats/messages/',
    body: { messages: [{ role: 'user', content: 'Why?' }] },
    first: 'event: delta\ndata: {"text":"Le"}\n\n',
    last: { message: { role: 'assistant', content: 'Level the bed.' } },
  },
  {
    name: 'a post-mortem',
    path: '/api/v1/prints/7/post_mortem/',
    body: undefined,
    first: 'event: look\ndata: {"tool":"read_events","about":"3 events"}\n\n',
    last: postMortemView(row, (key) => key),
  },
])('comments come while the model thinks about $name, and end with it', async ({ path, body, first, last }) => {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const read = async (): Promise<boolean> => {
    const { done, value = '' } = (await reader?.read()) ?? { done: true }
    text += value
    return !done
  }
  // The first one says that it has begun; the others come by themselves.
  while (text.split(COMMENT).length - 1 < 4) expect(await read()).toBe(true)
  expect(text).toContain(first)
  answer()
  while (await read());
  // Between whole events: what is left without them is the events alone.
  expect(text.replaceAll(COMMENT, '')).toBe(`${first}event: message\ndata: ${JSON.stringify(last)}\n\n`)
})
