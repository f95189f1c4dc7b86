import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from './processes.js'

// A server that speaks the protocol of OpenAI's chat completions, over real HTTP, and says what the test says.

/** What is said next: pieces of text, tools that are called, and whether the answer ends, stays open, or breaks off after them. */
export interface Saying {
  readonly text?: readonly string[]
  readonly calls?: readonly { readonly name: string; readonly arguments: object }[]
  readonly ends?: 'done' | 'hang' | 'cut'
  /** The status of a refusal, instead of an answer. */
  readonly refusal?: number
}

export interface ModelServer {
  readonly port: number
  /** Up to the version, as the server is told. */
  readonly url: string
  /** What is said to the next questions, in order; to others "Level the bed." */
  readonly script: Saying[]
  /** The bodies of all questions so far. */
  readonly asked: readonly string[]
  /** Resolves once so many answers are open. */
  untilOpen(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts it on a free port of the loopback address. */
export async function startModelServer(): Promise<ModelServer> {
  const script: Saying[] = []
  const asked: string[] = []
  let open = 0
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.end('{"object":"list","data":[]}')
    open += 1
    response.on('close', () => (open -= 1))
    void textOf(request).then((question) => {
      asked.push(question)
      const next: Saying = script.shift() ?? { text: ['Level', ' the bed.'] }
      const { text = [], calls = [], ends = 'done', refusal } = next
      if (refusal !== undefined) return void response.writeHead(refusal).end('{"error":{"message":"no"}}')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const say = (delta: object, finish_reason: string | null = null): void => {
        const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'small' }
        response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
      }
      say({ role: 'assistant', content: '' })
      for (const content of text) say({ content })
      for (const [index, { name, arguments: input }] of calls.entries()) {
        const call = { name, arguments: JSON.stringify(input) }
        say({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: call }] })
      }
      if (ends === 'cut') setImmediate(() => response.destroy())
      if (ends !== 'done') return
      say({}, calls.length > 0 ? 'tool_calls' : 'stop')
      response.end('data: [DONE]\n\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/v1`,
    script,
    asked,
    untilOpen: async (count) => void (await until(`${count} open answers`, () => open === count)),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
