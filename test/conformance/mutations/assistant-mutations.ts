import {
  type Answer,
  editJson,
  emptyAnswer,
  isObject,
  type Mutation,
  problem,
  type Request,
  swapToken,
} from './mutation.js'

// Chats with the assistant, questions to it, and letters to support.

const CHATS = '/assistant/api/chats/'
const MESSAGES = '/assistant/api/chats/messages/'
const PLATE = '/assistant/api/plate_analysis/'
const SUPPORT = '/assistant/api/contact_support/'
const ME = '/assistant/api/me/'

const isChat = ({ path }: Request): boolean => path.startsWith(CHATS) && /^\d+\/$/.test(path.slice(CHATS.length))
const isList = ({ method, path }: Request): boolean => method === 'GET' && path === CHATS

const jsonAnswer = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(body)),
})

const ANSWER = { message: { role: 'assistant', content: 'Yes.' } }

/** Credits that were used by calls that must cost nothing. */
function counting(costs: (answer: Answer, request: Request) => boolean): Mutation['hooks'] {
  return () => {
    let used = 0
    return {
      answer(answer, request) {
        if (costs(answer, request)) used += 1
        if (request.path !== ME) return
        editJson(answer, (body) => {
          const credits = isObject(body) ? body['ai_credits'] : undefined
          if (!isObject(credits)) return
          credits['ai_credit_used_current_month'] = Number(credits['ai_credit_used_current_month']) + used
        })
      },
    }
  }
}

const changeList = (change: (query: URLSearchParams) => void): Mutation['hooks'] => {
  return () => ({
    request(request) {
      if (!isList(request)) return
      change(request.query)
      request.url = `${CHATS}?${request.query}`
    },
  })
}

export const assistantMutations: readonly Mutation[] = [
  {
    id: 'foreign-chat-shown',
    breaks: "another user's chat can be read, changed and deleted",
    cases: ['errors/foreign-get-chat', 'errors/foreign-update-chat'],
    hooks: () => ({
      request(request, { target }) {
        if (isChat(request)) swapToken(request, target.tokens.other, target.tokens.read_write)
      },
    }),
  },
  {
    id: 'foreign-chats-listed',
    breaks: "the list of chats holds other users' chats",
    cases: ['assistant-chats/others-hidden'],
    hooks: () => ({
      request(request, { target }) {
        if (isList(request)) swapToken(request, target.tokens.other, target.tokens.read_write)
      },
    }),
  },
  {
    id: 'chat-tidied',
    breaks: 'the messages of a chat are kept without the blanks around them',
    cases: ['assistant-chats/kept'],
    hooks: () => ({
      request(request) {
        if (request.method !== 'POST' || request.path !== CHATS) return
        editJson(request, (body) => {
          if (isObject(body) && typeof body['messages'] === 'string') body['messages'] = body['messages'].trim()
        })
      },
    }),
  },
  {
    id: 'chat-update-resets',
    breaks: 'PATCH of a chat empties what it does not name',
    cases: ['assistant-chats/update'],
    hooks: () => ({
      request(request) {
        if (request.method !== 'PATCH' || !isChat(request)) return
        editJson(request, (body) => (isObject(body) ? { machine_name: null, ...body } : body))
      },
    }),
  },
  {
    id: 'blank-chat-kept',
    breaks: 'a chat with blank messages is kept',
    cases: ['assistant-chats/blank'],
    hooks: () => ({
      request(request) {
        if (request.method !== 'POST' || request.path !== CHATS) return
        editJson(request, (body) => {
          if (isObject(body) && typeof body['messages'] === 'string' && body['messages'].trim() === '')
            body['messages'] = '[]'
        })
      },
    }),
  },
  {
    id: 'chat-not-deleted',
    breaks: 'DELETE of a chat says 200 and leaves it there',
    cases: ['assistant-chats/delete'],
    hooks: () => ({
      request: (request) => (request.method === 'DELETE' && isChat(request) ? emptyAnswer(200) : undefined),
    }),
  },
  {
    id: 'chats-oldest-first',
    breaks: 'chats come oldest first',
    cases: ['assistant-chats/pages'],
    hooks: () => ({
      answer(answer, request) {
        if (isList(request)) editJson(answer, (body) => (Array.isArray(body) ? body.toReversed() : body))
      },
    }),
  },
  {
    id: 'chats-not-cut',
    breaks: 'the list of chats ignores limit',
    cases: ['assistant-chats/pages'],
    hooks: changeList((query) => query.delete('limit')),
  },
  {
    id: 'chats-from-anywhere',
    breaks: 'a start or limit of chats that is no count is ignored',
    cases: ['assistant-chats/wrong-page'],
    hooks: changeList((query) => {
      for (const name of [...query.keys()]) if (!/^\d+$/.test(query.get(name) ?? '')) query.delete(name)
    }),
  },
  {
    id: 'credits-of-the-other',
    breaks: 'the assistant takes everybody for the same user',
    cases: ['assistant/me'],
    hooks: () => ({
      request(request, { target }) {
        if (request.path === ME) swapToken(request, target.tokens.read_write, target.tokens.other)
      },
    }),
  },
  {
    id: 'no-model-unnamed',
    breaks: 'a server without a model answers 503 with the code of another trouble',
    cases: ['assistant/question'],
    hooks: () => ({
      answer(answer, { path }) {
        if (path === MESSAGES && answer.status === 503) Object.assign(answer, problem(503, 'unavailable'))
      },
    }),
  },
  {
    id: 'no-model-costs',
    breaks: 'a question that nobody could answer costs a credit',
    cases: ['assistant/question'],
    hooks: counting((answer, { path }) => path === MESSAGES && answer.status === 503),
  },
  {
    id: 'stream-without-end',
    breaks: 'a stream ends without the message',
    cases: ['assistant/stream'],
    hooks: () => ({
      request: ({ path, headers }) =>
        path === MESSAGES && headers['accept'] === 'text/event-stream'
          ? {
              status: 200,
              headers: { 'content-type': 'text/event-stream' },
              body: Buffer.from('event: delta\ndata: {"text":"Level"}\n\n'),
            }
          : undefined,
    }),
  },
  {
    id: 'stream-ignored',
    breaks: 'who asks for events gets none',
    cases: ['assistant/stream'],
    hooks: () => ({
      request: ({ path, headers }) =>
        path === MESSAGES && headers['accept'] === 'text/event-stream' ? jsonAnswer(200, ANSWER) : undefined,
    }),
  },
  {
    id: 'wrong-question-answered',
    breaks: 'a question in the name of the system is answered',
    cases: ['assistant/wrong-question'],
    hooks: () => ({
      request: ({ path, body }) =>
        path === MESSAGES && body.toString().includes('"system"') ? jsonAnswer(200, ANSWER) : undefined,
    }),
  },
  {
    id: 'hostile-picture-taken',
    breaks: 'what is no picture of a plate is analysed',
    cases: ['assistant/hostile-picture'],
    hooks: () => ({ request: ({ path }) => (path === PLATE ? jsonAnswer(201, ANSWER) : undefined) }),
  },
  {
    id: 'hostile-picture-costs',
    breaks: 'a picture of a plate that is refused costs a credit',
    cases: ['assistant/hostile-picture'],
    hooks: counting((answer, { path }) => path === PLATE && answer.status >= 400),
  },
  {
    id: 'blank-letter-taken',
    breaks: 'a letter to support without a message is taken',
    cases: ['assistant/blank-letter'],
    hooks: () => ({
      answer(answer, { path }) {
        if (path === SUPPORT && answer.status === 400) Object.assign(answer, jsonAnswer(200, { message: 'Thanks.' }))
      },
    }),
  },
]
