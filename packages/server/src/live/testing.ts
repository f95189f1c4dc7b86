import { LiveMessage } from '@printwarden/protocol'
import { expect } from 'vitest'
import { WebSocket } from 'ws'
import { sessionCookieName } from '../http/credentials.js'
import type { TestServer } from '../testing.js'

/** How a client introduces itself. The owner's token unless said otherwise; `null` is none. */
export interface Opening {
  readonly token?: string | null
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly protocols?: string[]
}

export type LiveClient = ReturnType<typeof connectLive>

/** A real client of the live websocket. */
export function connectLive(
  server: TestServer,
  { token = server.owner.token, query = '', headers = {}, protocols = ['live.v1'] }: Opening = {},
) {
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(`${server.wsUrl}/ws/live/${query}`, protocols, {
    headers: { ...authorization, ...headers },
  })
  socket.on('error', () => {})
  const messages: LiveMessage[] = []
  socket.on('message', (data: Buffer) => messages.push(LiveMessage.parse(JSON.parse(data.toString()))))
  const ended = new Promise<number>((resolve) => socket.on('close', resolve))
  /** The status of a refused upgrade; 101 when it was not refused. */
  const admitted = new Promise<number>((resolve) => {
    socket.on('open', () => resolve(101))
    socket.on('unexpected-response', (_request, response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
  })
  const reach = async (length: number): Promise<LiveMessage[]> => {
    await expect.poll(() => messages.length, { timeout: 5000 }).toBeGreaterThanOrEqual(length)
    return messages
  }
  const subscribe = async (printers: 'all' | number[] = 'all', since?: string): Promise<void> => {
    expect(await admitted).toBe(101)
    socket.send(JSON.stringify({ subscribe: { printers }, ...(since === undefined ? {} : { since }) }))
  }
  return { socket, messages, admitted, ended, reach, subscribe }
}

/** A session of the owner's, and the header that goes with it. */
export async function signIn(server: TestServer): Promise<{ id: number; headers: Record<string, string> }> {
  const value = server.secrets.newToken(32)
  const now = server.clock.now()
  const session = { user_id: server.owner.id, created_at: now, expires_at: now + 1e9, user_agent: null }
  const query = server.database.db.insertInto('sessions').values({ ...session, token_hash: server.secrets.hash(value) })
  const { id } = await query.returning('id').executeTakeFirstOrThrow()
  return { id, headers: { cookie: `${sessionCookieName(false)}=${value}` } }
}
