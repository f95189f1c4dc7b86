import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from './processes.js'

// A server that speaks the protocol of OpenAI's chat completions, over real HTTP, and says what the test says.

/** What is said next: pieces of text, and whether the answer ends, stays open, or breaks off after them. */
export interface Saying {
  readonly text: readonly string[]
  readonly ends?: 'done' | 'hang' | 'cut'
}

export interface ModelServer {
  readonly port: number
  /** Up to the version, as the server is told. */
  readonly url: string
  /** What is said to the next questions, in order; to others "Level the bed." */
  readonly script: Saying[]
  /** Resolves once so many answers are open. */
  untilOpen(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts it on a free port of the loopback address. */
export async function startModelServer(): Promise<ModelServer> {
  const script: Saying[] = []
  let open = 0
  const server = createServer((request, response) => {
    if (request.method === 'GET') return void response.end('{"object":"list","data":[]}')
    open += 1
    response.on('close', () => (open -= 1))
    request.resume().on('end', () => {
      const { text, ends = 'done' } = script.shift() ?? { text: ['Level', ' the bed.'] }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const say = (delta: object, finish_reason: string | null = null): void => {
        const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'small' }
        response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason }] })}\n\n`)
      }
      say({ role: 'assistant', content: '' })
      for (const content of text) say({ content })
      if (ends === 'cut') setImmediate(() => response.destroy())
      if (ends !== 'done') return
      say({}, 'stop')
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
    untilOpen: async (count) => void (await until(`${count} open answers`, () => open === count)),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
