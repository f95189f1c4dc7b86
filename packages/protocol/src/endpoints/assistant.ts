import { z } from 'zod'
import { AssistantAnswer, AssistantMe, Chat, ChatChanges, ChatQuestion, NewChat, PlateQuestion } from '../assistant.js'
import { defineEndpoint } from '../endpoint.js'
import { idParams, queryCount, queryLimit } from './shared.js'

const tag = 'assistant'
const chatPath = '/assistant/api/chats/:id/'
const MIB = 1024 * 1024

/** The most chats that one answer holds, and how many a user may keep. */
export const MAX_CHATS_PER_PAGE = 100
export const MAX_CHATS = 1000

/** The language of what the server itself says; one that it does not know is taken for English. */
const lang = {
  lang: z
    .string()
    .max(35)
    .meta({ description: 'Language of the texts, as an IETF tag: en, zh-CN, zh-TW, pt-BR, es, de, fr, it or ru.' })
    .optional(),
}

const CREDIT =
  'Costs one credit, taken before the model is asked and given back when the model fails. 402 when the credits are used up; 503 `assistant_not_configured` without a model, which costs nothing.'

export const getAssistantMe = defineEndpoint({
  id: 'getAssistantMe',
  method: 'GET',
  path: '/assistant/api/me/',
  tag,
  summary: 'The user and their AI credits',
  access: 'read',
  output: AssistantMe,
})

export const listChats = defineEndpoint({
  id: 'listChats',
  method: 'GET',
  path: '/assistant/api/chats/',
  tag,
  summary: 'List chats, newest first',
  access: 'read',
  query: z.object({ start: queryCount.optional(), limit: queryLimit(MAX_CHATS_PER_PAGE).optional() }),
  output: z.array(Chat),
})

export const createChat = defineEndpoint({
  id: 'createChat',
  method: 'POST',
  path: '/assistant/api/chats/',
  tag,
  summary: 'Keep a chat',
  description: `A user keeps at most ${MAX_CHATS}: beyond that 409.`,
  access: 'write',
  body: NewChat,
  status: 201,
  output: Chat,
  errors: ['conflict'],
})

export const getChat = defineEndpoint({
  id: 'getChat',
  method: 'GET',
  path: chatPath,
  tag,
  summary: 'One chat',
  access: 'read',
  params: idParams,
  output: Chat,
})

export const updateChat = defineEndpoint({
  id: 'updateChat',
  method: 'PATCH',
  path: chatPath,
  tag,
  summary: 'Change a chat',
  access: 'write',
  params: idParams,
  body: ChatChanges,
  output: Chat,
})

export const replaceChat = defineEndpoint({
  id: 'replaceChat',
  method: 'PUT',
  path: chatPath,
  tag,
  summary: 'Change a chat, its messages at least',
  description: 'As `PATCH`, but `messages` is required. What else is not sent stays.',
  access: 'write',
  params: idParams,
  body: NewChat,
  output: Chat,
})

export const deleteChat = defineEndpoint({
  id: 'deleteChat',
  method: 'DELETE',
  path: chatPath,
  tag,
  summary: 'Delete a chat',
  access: 'write',
  params: idParams,
})

export const sendChatMessage = defineEndpoint({
  id: 'sendChatMessage',
  method: 'POST',
  path: '/assistant/api/chats/messages/',
  tag,
  summary: 'Ask the assistant',
  description: `${CREDIT}

The whole conversation is sent each time. With \`plates\` or \`slicing_profiles\` it is a slicer's question: it needs a plate with a model, one filament, one extruder and a print process preset, and without them the answer says what is missing. With neither, the assistant answers about printing, and looks up the user's own printers, prints and files for it where the token has \`read\`. It may propose actions: they are only run by \`confirmActionProposal\`.

With \`Accept: text/event-stream\` the answer comes as it is made: events \`delta\` (\`{"text"}\`) and \`look\` (an AssistantLook), then \`message\` (the body that is otherwise answered) or \`error\` (a problem). Who hangs up before the first \`delta\` gets the credit back.`,
  access: 'write',
  query: z.object(lang),
  body: ChatQuestion,
  maxBodyBytes: 8 * MIB,
  output: AssistantAnswer,
  errors: ['credits_exhausted', 'rate_limited', 'assistant_not_configured', 'unavailable'],
})

export const analysePlate = defineEndpoint({
  id: 'analysePlate',
  method: 'POST',
  path: '/assistant/api/plate_analysis/',
  tag,
  summary: 'Ask the assistant how to print a plate, by pictures of it',
  description: `${CREDIT} Pictures are looked at before: what is no picture, or more than 24 megapixels, is 400 \`invalid_image\`.`,
  access: 'write',
  query: z.object(lang),
  body: PlateQuestion,
  maxBodyBytes: 16 * MIB,
  status: 201,
  output: AssistantAnswer,
  errors: ['invalid_image', 'credits_exhausted', 'rate_limited', 'assistant_not_configured', 'unavailable'],
})

export const contactSupport = defineEndpoint({
  id: 'contactSupport',
  method: 'POST',
  path: '/assistant/api/contact_support/',
  tag,
  summary: 'Write to whoever runs this server',
  description:
    'The request is kept, then mailed or posted to the address that the operator has set; when that fails it is tried again. With `include_diagnostics` the state of the printers is sent along, without names, files, addresses or keys. Five requests an hour.',
  access: 'write',
  query: z.object(lang),
  body: z
    .object({
      message: z.string({ error: 'Message is required' }).max(10_000).regex(/\S/, 'Message is required'),
      include_diagnostics: z.boolean().optional(),
    })
    .meta({ id: 'SupportMessage' }),
  output: z.object({ message: z.string() }).meta({ id: 'SupportMessageTaken' }),
  errors: ['rate_limited'],
})
