import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'

/** One answer: the status, and a body that is sent as JSON when it is no text. */
export interface FakeAnswer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** A server that gives the answers of a list, the last one for ever. */
export async function startFakeLinkServer(answers: readonly FakeAnswer[]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? { status: 500 }
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    send(response, answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function send(response: ServerResponse, { status, body, headers = {} }: FakeAnswer): void {
  // Status 0 stands for a connection that breaks.
  if (status === 0) {
    response.destroy()
    return
  }
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body ?? {}))
}
