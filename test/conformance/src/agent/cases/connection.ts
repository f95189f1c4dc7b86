import { AGENT_SOCKET_PATH, AGENT_SUBPROTOCOL, CLOSE_CODES } from '#protocol'
import { expectEqual, expectTrue } from '../../expect.js'
import type { AgentConnection } from '../connection.js'
import type { AgentCase, AgentContext } from '../context.js'

const OPENING = { group: 'decisions', section: 'decision 15' } as const
const STAYING = { group: 'decisions', section: 'decision 16' } as const

/** Tries in a row that are refused in the case about back-off, and the least time that they may take together. */
const REFUSED_TRIES = 2
const LEAST_BACKOFF_MS = 1000

/** The agent comes back, and tells its state again. */
async function expectBack(ctx: AgentContext, before: AgentConnection): Promise<void> {
  const again = await ctx.reconnected(before)
  await ctx.message(again, 'a status message on the new connection', () => true)
}

const comesBack = (name: string, title: string, end: (connection: AgentConnection) => void): AgentCase => ({
  ...STAYING,
  id: `agent-connection/back-after-${name}`,
  title,
  async run(ctx) {
    const connection = await ctx.restarted()
    end(connection)
    await expectBack(ctx, connection)
  },
})

export const agentConnectionCases: readonly AgentCase[] = [
  {
    ...OPENING,
    id: 'agent-connection/path',
    title: 'The agent opens its websocket at /ws/agent/',
    async run(ctx) {
      const { request } = await ctx.connected()
      expectEqual(request.url?.split('?')[0], AGENT_SOCKET_PATH, 'the path')
    },
  },
  {
    ...OPENING,
    id: 'agent-connection/authorization',
    title: 'The agent shows its auth_token in Authorization, as Bearer or Token',
    async run(ctx) {
      const { request } = await ctx.connected()
      const [scheme = '', token] = (request.headers.authorization ?? '').split(' ')
      expectTrue(['bearer', 'token'].includes(scheme.toLowerCase()), `the scheme is "${scheme}"`)
      expectEqual(token, ctx.authToken, 'the token')
    },
  },
  {
    ...OPENING,
    id: 'agent-connection/token-not-in-address',
    title: 'The auth_token does not stand in the address, where logs would keep it',
    async run(ctx) {
      await ctx.connected()
      const told = ctx.server.attempts.filter(({ path }) => path.includes(ctx.authToken))
      expectEqual(told.length, 0, 'the number of tries with the token in the address')
    },
  },
  {
    ...OPENING,
    id: 'agent-connection/subprotocol',
    title: 'The agent offers the subprotocol agent.v1, or none',
    async run(ctx) {
      const { request, subprotocol } = await ctx.connected()
      const offered = request.headers['sec-websocket-protocol']
      expectTrue(
        offered === undefined || offered.split(/\s*,\s*/).includes(AGENT_SUBPROTOCOL),
        `the offer is "${offered}"`,
      )
      expectEqual(subprotocol, offered === undefined ? '' : AGENT_SUBPROTOCOL, 'the subprotocol that was agreed on')
    },
  },
  {
    ...STAYING,
    id: 'agent-connection/pong',
    title: 'A ping is answered by a pong',
    async run(ctx) {
      const connection = await ctx.connected()
      const before = connection.pongs
      connection.ping()
      await ctx.until(
        'the pong',
        () => connection.pongs > before || undefined,
        () => connection.pongs,
      )
    },
  },
  {
    ...STAYING,
    id: 'agent-connection/one-at-a-time',
    title: 'The agent keeps one connection, not several',
    async run(ctx) {
      await ctx.connected()
      expectEqual(ctx.server.connections.filter(({ isOpen }) => isOpen).length, 1, 'the number of open connections')
    },
  },
  comesBack('restart', 'After the close code 1012 the agent comes back and tells its state', (connection) =>
    connection.close(CLOSE_CODES.restart),
  ),
  comesBack('silence', 'After the close code 4408 (silent) the agent comes back', (connection) =>
    connection.close(CLOSE_CODES.silent),
  ),
  comesBack('cable', 'After a connection that ended without a word the agent comes back', (connection) =>
    connection.terminate(),
  ),
  {
    ...STAYING,
    id: 'agent-connection/back-off',
    title: 'While the server answers 503 the agent tries again, later each time, until it is let in',
    async run(ctx) {
      const connection = await ctx.restarted()
      const { server } = ctx
      const before = server.attempts.length
      server.refusals = Array.from({ length: REFUSED_TRIES }, () => 503)
      connection.terminate()
      await expectBack(ctx, connection)
      const [first, ...more] = server.attempts.slice(before).map(({ atMs }) => atMs)
      const last = more.at(-1) ?? 0
      expectTrue(more.length >= REFUSED_TRIES, `there were ${more.length + 1} tries`)
      const tookMs = last - (first ?? 0)
      expectTrue(tookMs >= LEAST_BACKOFF_MS, `${more.length + 1} tries within ${Math.round(tookMs)} ms`)
    },
    timeoutMs: 120_000,
  },
]
