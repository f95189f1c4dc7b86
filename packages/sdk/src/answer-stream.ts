import { ApiError, errorFromAnswer, isRecord, NetworkError, parseJson } from './errors.js'
import { deadlineOf } from './deadline.js'
import { eventReader, type ServerSentEvent } from './event-stream.js'
import { type CallOptions, openOperation, type Operation, readAnswer, type Transport, unanswered } from './operation.js'
import type { AssistantLook, AssistantMessage, PostMortem } from './resources.js'

/** A step of an answer of the assistant: more of its text, something of the user's that it looked at, or, at the end, the whole. */
export type AssistantEvent =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'look'; readonly look: AssistantLook }
  | { readonly type: 'message'; readonly message: AssistantMessage }

/** A step of the answer why a print failed: something that was looked at, or, at the end, the whole. */
export type PostMortemEvent =
  | { readonly type: 'look'; readonly look: AssistantLook }
  | { readonly type: 'message'; readonly postMortem: PostMortem }

/** A server that does not come to an end is not listened to any longer. A question may have half as much. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** What an event says; undefined for one that says nothing to this client, such as those of newer servers. */
type Reader<Event> = (name: string, data: unknown) => Event | undefined

/** Reads the events of `sendChatMessage`. */
export const readAssistantEvent: Reader<AssistantEvent> = (name, data) => {
  if (!isRecord(data)) return undefined
  if (name === 'delta' && typeof data['text'] === 'string') return { type: 'delta', text: data['text'] }
  const { message } = data
  // What else is in it is believed, as with every answer.
  if (name === 'message' && isRecord(message))
    return { type: 'message', message: message as unknown as AssistantMessage }
  return readLook(name, data)
}

/** Reads the events of `createPostMortem`. */
export const readPostMortemEvent: Reader<PostMortemEvent> = (name, data) => {
  if (name === 'message' && isRecord(data) && typeof data['answer'] === 'string')
    return { type: 'message', postMortem: data as unknown as PostMortem }
  return readLook(name, data)
}

function readLook(name: string, data: unknown): { type: 'look'; look: AssistantLook } | undefined {
  if (name !== 'look' || !isRecord(data)) return undefined
  const { tool, about } = data
  return typeof tool === 'string' && typeof about === 'string' ? { type: 'look', look: { tool, about } } : undefined
}

/**
 * The events of one answer, up to and with the whole of it. Nothing is asked before the first is wanted, and the connection is closed
 * as soon as no more are.
 */
export async function* answerEvents<Event extends { readonly type: string }>(
  transport: Transport,
  operation: Operation,
  read: Reader<Event>,
  input: Readonly<Record<string, unknown>>,
  options: CallOptions = {},
): AsyncGenerator<Event, void, undefined> {
  const reply = await openOperation(transport, operation, input, options)
  // From a server that does not stream, or behind something that does not let it, the whole comes at once.
  const events = reply.stream === undefined ? [] : eventsOf(transport, reply.stream, options)
  for await (const { name, data } of events) {
    const body = parseJson(data)
    if (name === 'error') throw refusalOf(body)
    const event = read(name, body)
    if (event !== undefined) yield event
    if (event?.type === 'message') return
  }
  if (reply.stream !== undefined) throw new NetworkError('the answer ended before it was whole')
  const event = read('message', readAnswer(reply))
  if (event === undefined) throw errorFromAnswer(reply.status, undefined, null, Date.now())
  yield event
}

/** The problem that an answer ends with; its status is that of the answer that it would have been. */
function refusalOf(body: unknown): ApiError {
  const status = isRecord(body) && typeof body['status'] === 'number' ? body['status'] : 500
  return errorFromAnswer(status, body, null, Date.now())
}

async function* eventsOf(
  transport: Transport,
  stream: ReadableStream<Uint8Array>,
  { signal, timeoutMs = transport.timeoutMs }: CallOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const push = eventReader()
  // Otherwise a connection that nobody reads at the moment would stay open.
  const hangUp = () => void reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', hangUp)
  let bytes = 0
  try {
    for (;;) {
      const deadline = deadlineOf(signal, timeoutMs, `nothing came within ${timeoutMs} ms`)
      const { value } = await deadline
        .race(reader.read())
        .catch((error: unknown) => Promise.reject(unanswered(deadline.signal, error)))
        .finally(() => deadline.end())
      // Hanging up ends the stream, too, as if it were whole.
      signal?.throwIfAborted()
      if (value === undefined) return
      bytes += value.length
      if (bytes > MAX_ANSWER_BYTES) throw new NetworkError(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
      yield* push(decoder.decode(value, { stream: true }))
    }
  } finally {
    signal?.removeEventListener('abort', hangUp)
    hangUp()
  }
}
