import { z } from 'zod'

// One gateway beside the printer serves every viewer over one connection, so its answers must be told apart. A viewer's
// transactions are marked on their way there: what comes back with the mark is the viewer's. That tells which sessions are
// theirs, and what the gateway says of those by itself is theirs too. Nothing else is shown to them, and nothing else can they steer.

/** The largest text that is relayed; a description of a session has a few KiB. */
export const MAX_JANUS_BYTES = 64 * 1024

/** More sessions of one viewer are a client gone wrong. */
const MAX_SESSIONS = 8

/** The gateway's own codes of errors. */
const NOT_JSON = 454
const NOT_VALID = 456
const NO_SESSION = 458
const FORBIDDEN = 403
const UNKNOWN = 490

const SessionId = z.union([z.int(), z.string().min(1).max(200)])
type SessionId = z.infer<typeof SessionId>

const Request = z.looseObject({
  janus: z.string().max(100),
  transaction: z.string().min(1).max(200),
  session_id: SessionId.optional(),
})
type Request = z.infer<typeof Request>

const Answer = z.object({
  janus: z.string(),
  transaction: z.string().optional(),
  session_id: SessionId.optional(),
  data: z.object({ id: SessionId }).optional().catch(undefined),
  error: z.object({ code: z.number() }).optional().catch(undefined),
})

const Body = z.looseObject({ request: z.string(), id: z.int().optional() })

/** What becomes of a text of the viewer: it goes to the gateway, or it is answered here. */
export type Relayed =
  | { readonly type: 'forward'; readonly text: string }
  | { readonly type: 'answer'; readonly text: string }

/** Which requests are let through, given the parsed request; a text says why not. */
export type JanusRule = (request: Readonly<Record<string, unknown>>) => string | undefined

export type JanusDialogue = ReturnType<typeof janusDialogue>

/**
 * One viewer's side of the relay. `mark` must be such that nobody guesses it, and no part of another's.
 */
export function janusDialogue(mark: string, rule: JanusRule) {
  const sessions = new Set<SessionId>()
  /** Transactions that ask for a session. */
  const creating = new Set<string>()

  /** A text from the viewer. */
  function toGateway(text: string): Relayed {
    const value = parse(text)
    if (value === undefined) return answer({}, NOT_JSON, 'This is not JSON.')
    const request = Request.safeParse(value).data
    if (request === undefined) return answer(value, NOT_VALID, 'A request needs "janus" and "transaction".')
    const { session_id: id, transaction } = request
    if (id !== undefined && !sessions.has(id)) return answer(request, NO_SESSION, 'No such session.')
    const refusal = rule(request) ?? (request.janus === 'create' ? begin(transaction) : undefined)
    if (refusal !== undefined) return answer(request, FORBIDDEN, refusal)
    // Its answer is known by the transaction.
    if (request.janus === 'destroy' && id !== undefined) sessions.delete(id)
    return { type: 'forward', text: marked(request) }
  }

  function begin(transaction: string): string | undefined {
    if (sessions.size >= MAX_SESSIONS) return `A viewer may have ${MAX_SESSIONS} sessions.`
    creating.add(transaction)
    // Some may never be answered: the oldest gives way.
    const [oldest] = creating
    if (sessions.size + creating.size > MAX_SESSIONS && oldest !== undefined) creating.delete(oldest)
    return undefined
  }

  const marked = (request: Request): string =>
    JSON.stringify({ ...request, transaction: `${mark}${request.transaction}` })

  /** A text from the gateway, as this viewer is shown it; undefined when it is not for them. */
  function toViewer(text: string): string | undefined {
    const value = parse(text)
    const answered = Answer.safeParse(value).data
    if (answered === undefined) return undefined
    const { transaction, session_id: id } = answered
    if (transaction === undefined) {
      if (id === undefined || !sessions.has(id)) return undefined
      if (answered.janus === 'timeout') sessions.delete(id)
      return text
    }
    if (!transaction.startsWith(mark)) return undefined
    const own = transaction.slice(mark.length)
    learn(own, answered)
    return JSON.stringify({ ...value, transaction: own })
  }

  function learn(transaction: string, { janus, session_id: id, data, error }: z.infer<typeof Answer>): void {
    const isCreated = creating.delete(transaction) && janus === 'success'
    if (isCreated && data !== undefined) sessions.add(data.id)
    if (error?.code === NO_SESSION && id !== undefined) sessions.delete(id)
  }

  /** The viewer's text did not reach the gateway; what the viewer is told. */
  function undelivered(text: string): string {
    const request = parse(text) ?? {}
    creating.delete(String(request['transaction']))
    return JSON.stringify(janusError(request, UNKNOWN, 'No agent with a video gateway is connected.'))
  }

  /** What ends the viewer's sessions, so that no camera works for nobody. */
  function ends(): string[] {
    return [...sessions].map((id) =>
      JSON.stringify({ janus: 'destroy', session_id: id, transaction: `${mark}the viewer has gone` }),
    )
  }

  return { toGateway, toViewer, undelivered, ends }
}

/** An error in the gateway's form. */
function janusError(request: Readonly<Record<string, unknown>>, code: number, reason: string): Record<string, unknown> {
  const { session_id, transaction } = request
  return {
    janus: 'error',
    ...(session_id === undefined ? {} : { session_id }),
    ...(typeof transaction === 'string' ? { transaction } : {}),
    error: { code, reason },
  }
}

function answer(request: Readonly<Record<string, unknown>>, code: number, reason: string): Relayed {
  return { type: 'answer', text: JSON.stringify(janusError(request, code, reason)) }
}

/** The owner may ask the gateway for anything. */
export const ownerRule: JanusRule = () => undefined

const GUEST_REQUESTS = ['create', 'attach', 'message', 'trickle', 'keepalive', 'hangup', 'detach', 'destroy']
const GUEST_BODIES = ['info', 'watch', 'start', 'pause', 'stop']
const PICKING = ['info', 'watch']

/**
 * What a guest may ask: to watch the cameras that the printer reports. Not which other streams there are, for one of them carries
 * the printer's state, and nothing that changes what the gateway does for others.
 */
export function guestRule(streams: () => ReadonlySet<number>): JanusRule {
  return ({ janus, plugin, body }) => {
    if (!GUEST_REQUESTS.some((name) => name === janus)) return 'A guest may only watch.'
    if (janus === 'attach') return plugin === 'janus.plugin.streaming' ? undefined : 'A guest may only watch streams.'
    if (janus !== 'message') return undefined
    const { request, id } = Body.safeParse(body).data ?? {}
    if (request === undefined || !GUEST_BODIES.includes(request)) return 'A guest may only watch.'
    const isShown = id === undefined ? !PICKING.includes(request) : streams().has(id)
    return isShown ? undefined : 'This is no camera that is shown to guests.'
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
