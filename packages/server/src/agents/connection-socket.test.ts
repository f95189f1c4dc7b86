import { afterEach, beforeEach, expect, test } from 'vitest'
import type { KyselyPlugin } from 'kysely'
import { agentSubject } from '../printers/notices.js'
import { insertCommand } from '../printers/commands-store.js'
import type { Database } from '../ports.js'
import { type AgentServer, startAgentServer, type TestAgent } from './testing.js'

// What a connection makes of commands that it is asked to hand over again, since its answer was late.

let server: AgentServer
let agent: TestAgent
let printerId: number
/** Nothing that is read quickly is answered before this. */
let answers: Promise<void>
let answer: () => void

const slow: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: ({ result }) => answers.then(() => result),
}
const slowed = (database: Database): Database => ({ ...database, quick: database.quick.withPlugin(slow) })

beforeEach(async () => {
  answers = Promise.resolve()
  answer = () => {}
  server = await startAgentServer({ wrap: slowed })
  const { id, token } = await server.addAgent()
  printerId = id
  agent = await server.connect(token)
  await agent.next('remote_status')
})

afterEach(async () => {
  answer()
  await agent.kill()
  await server.close()
})

/** A command to print, as it was written down before it is handed over. */
async function written(): Promise<{ id: string }> {
  const id = crypto.randomUUID()
  const created = { id, printer_id: printerId, cmd: 'print', status: 'sent', created_at: server.clock.time }
  const rest = { acked_at: null, done_at: null, error: null, initiator: 'web', initiator_name: null, reason: null }
  await insertCommand(server.db, { ...created, ...rest })
  return { id }
}

const handOver = ({ id }: { id: string }, timeoutMs = 5000): Promise<unknown> => {
  const frame = { type: 'command', id, cmd: 'print', args: {}, initiator: 'web', expires_in_ms: 60_000 }
  return server.bus.request(agentSubject(printerId), frame, timeoutMs)
}

/** The ids of the commands that the agent was sent. */
async function sent(): Promise<unknown[]> {
  await agent.settled()
  return agent.received.flatMap(({ commands }) => (commands as { id: string }[] | undefined) ?? []).map(({ id }) => id)
}

test('a command that is asked for again while the database hangs reaches the agent once', async () => {
  const command = await written()
  answers = new Promise((resolve) => (answer = resolve))
  expect(await handOver(command, 20)).toBeUndefined()
  expect(await handOver(command, 20)).toBeUndefined()
  const third = handOver(command)
  answer()
  expect(await third).toBe(true)
  expect(await sent()).toEqual([command.id])
})

test('a command that the agent was given counts as handed over when it is asked for later', async () => {
  const [first, second] = [await written(), await written()]
  for (const command of [first, second, first]) expect(await handOver(command)).toBe(true)
  expect(await sent()).toEqual([first.id, second.id])
})
