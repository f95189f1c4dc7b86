import { CLOSE_CODES } from '#protocol'
import { expectEqual, expectTrue } from '../../expect.js'
import type { AgentConnection } from '../connection.js'
import type { AgentCase, AgentContext } from '../context.js'
import { agentAllMessagesCases } from './messages.js'

/** An agent that has not come back after this time, many times its first pause, has stopped. */
const STAYS_AWAY_MS = 10_000

/** It does not come back: its program ends, or nothing is heard of it any more. */
async function expectStopped(ctx: AgentContext, since: number): Promise<void> {
  const { program, server } = ctx
  const isOver = { now: false }
  const timer = setTimeout(() => {
    isOver.now = true
    server.watch.changed()
  }, STAYS_AWAY_MS)
  const pick = (): boolean | undefined => {
    if (server.attempts.length > since) return false
    return program?.isRunning === false || isOver.now || undefined
  }
  const stopped = await ctx.until('the end of the agent', pick, () => program?.output ?? 'nothing')
  clearTimeout(timer)
  expectTrue(stopped, 'it tried to connect again')
}

/** What the program ended with, where the kit can know. */
function expectExitCode({ program }: AgentContext, code: number): void {
  if (program?.exitCode !== undefined) expectEqual(program.exitCode, code, 'the exit code')
}

const stopsAfter = (
  name: string,
  section: string,
  title: string,
  exitCode: number,
  end: (ctx: AgentContext, connection: AgentConnection) => number,
): AgentCase => ({
  id: `agent-refusals/${name}`,
  group: 'decisions',
  section,
  title,
  async run(ctx) {
    const connection = await ctx.connected()
    await ctx.message(connection, 'a status message', () => true)
    await expectStopped(ctx, end(ctx, connection))
    expectExitCode(ctx, exitCode)
  },
})

export const agentRefusalCases: readonly AgentCase[] = [
  stopsAfter(
    'replaced',
    'decision 15',
    'After the close code 4321 (replaced by another agent) the agent stops, with exit code 4',
    4,
    ({ server }, connection) => {
      connection.close(CLOSE_CODES.replaced)
      return server.attempts.length
    },
  ),
  stopsAfter(
    'unauthorized',
    'decision 16',
    'After the close code 4401 (token revoked) the agent stops, with exit code 3',
    3,
    ({ server }, connection) => {
      connection.close(CLOSE_CODES.unauthorized)
      return server.attempts.length
    },
  ),
  stopsAfter(
    'wrong-token',
    'decision 15',
    'After a 401 at the upgrade the agent stops, with exit code 3',
    3,
    ({ server }, connection) => {
      server.refusals = [401]
      connection.terminate()
      return server.attempts.length + 1
    },
  ),
  ...agentAllMessagesCases,
]
