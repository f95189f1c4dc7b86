import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { UpstreamAgent } from '../../agents/upstream/testing.js'
import type { TestServer } from '../../testing.js'

type Json = Record<string, unknown>

export type TestViewer = ReturnType<typeof openViewer>

/** An existing client's socket at this path. */
export function openViewer(
  server: Pick<TestServer, 'wsUrl'>,
  path: string,
  { headers = {}, protocols = [] }: { headers?: Record<string, string>; protocols?: string[] } = {},
) {
  const socket = new WebSocket(`${server.wsUrl}${path}`, protocols, { headers })
  socket.on('error', () => {})
  const messages: Json[] = []
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString()) as Json))
  const ended = new Promise<number>((resolve) => socket.on('close', resolve))
  /** The status of a refused upgrade; 101 when it was not refused. */
  const admitted = new Promise<number>((resolve) => {
    socket.on('open', () => resolve(101))
    socket.on('unexpected-response', (_request, response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
  })

  /** The first message that `isIt` takes, out of what was received. */
  async function next(isIt: (message: Json) => boolean = () => true): Promise<Json> {
    await expect.poll(() => messages.findIndex(isIt), { timeout: 5000, interval: 5 }).toBeGreaterThanOrEqual(0)
    const [found] = messages.splice(messages.findIndex(isIt), 1)
    if (found === undefined) throw new Error('the message is gone')
    return found
  }

  const say = (value: unknown): void => socket.send(typeof value === 'string' ? value : JSON.stringify(value))
  return { socket, messages, admitted, ended, next, say }
}

/** An unmodified agent at its own door. */
export const openAgent = (server: Pick<TestServer, 'url'>, authToken: string): Promise<UpstreamAgent> =>
  UpstreamAgent.open(server.url, `bearer ${authToken}`)
