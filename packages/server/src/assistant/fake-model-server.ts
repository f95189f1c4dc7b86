import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

// A server that speaks the protocol of OpenAI's chat completions, as Ollama does, and answers what the test says.

const Asked = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
})

/** What was asked, as it came. */
export interface AskedModel extends z.infer<typeof Asked> {
  readonly key: string | undefined
  readonly raw: string
}

/** How one question is answered; `ends` says how it ends. */
export interface ScriptedAnswer {
  /** An error instead of an answer. */
  readonly status?: number
  readonly error?: string
  readonly text?: readonly string[]
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[]
  /** `cut`: the connection ends in the middle; `end`: the stream ends without saying that it does; `hang`: nothing more comes. */
  readonly ends?: 'done' | 'cut' | 'end' | 'hang' | 'garbage'
}

/** An answer that depends on the question. */
export type Answerer = (asked: AskedModel) => ScriptedAnswer

export type FakeModelServer = Awaited<ReturnType<typeof startFakeModelServer>>

/** Starts it on a free port. Questions beyond the script are answered "Level the bed." */
export async function startFakeModelServer() {
  const asked: AskedModel[] = []
  const script: (ScriptedAnswer | Answerer)[] = []
  let always: Answerer = () => ({ text: ['Level', ' the bed.'] })
  const watchers = new Set<() => void>()
  let open = 0

  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.end(JSON.stringify({ object: 'list', data: [] }))
    open++
    response.on('close', () => {
      open--
      for (const watcher of watchers) watcher()
    })
    void readText(request).then((raw) => {
      const question = { ...Asked.parse(JSON.parse(raw)), key: request.headers.authorization, raw }
      asked.push(question)
      for (const watcher of watchers) watcher()
      const next = script.shift() ?? always
      answer(response, typeof next === 'function' ? next(question) : next)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    port,
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    /** How the next questions are answered, in order. */
    script,
    /** How questions beyond the script are answered from now on. */
    answerAlways: (answerer: Answerer): void => void (always = answerer),
    /** Resolves once as many questions as that were asked. */
    until: (condition: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!condition()) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    /** How many answers are still being given. */
    open: () => open,
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function answer(
  response: ServerResponse,
  { status, error = 'busy', text = [], calls = [], ends = 'done' }: ScriptedAnswer,
): void {
  if (status !== undefined) {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: error, type: 'error' } }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (delta: unknown, finish_reason: string | null = null): void => {
    const chunk = {
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'fake',
      choices: [{ index: 0, delta, finish_reason }],
    }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  send({ role: 'assistant', content: '' })
  for (const piece of text) send({ content: piece })
  for (const [index, call] of calls.entries()) {
    const whole = JSON.stringify(call.arguments)
    const half = Math.floor(whole.length / 2)
    const head = { index, id: `call_${index}`, type: 'function' }
    send({ tool_calls: [{ ...head, function: { name: call.name, arguments: whole.slice(0, half) } }] })
    send({ tool_calls: [{ index, function: { arguments: whole.slice(half) } }] })
  }
  if (ends === 'hang') return
  if (ends === 'cut') return void setImmediate(() => response.destroy())
  if (ends === 'garbage') response.write('data: {"choices": [{"delta": \n\n')
  if (ends === 'done') {
    send({}, calls.length > 0 ? 'tool_calls' : 'stop')
    response.write('data: [DONE]\n\n')
  }
  response.end()
}
