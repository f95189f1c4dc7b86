import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@printwarden/sdk'
import { createClient } from '@printwarden/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineProgram } from '../support/engine-programs.js'
import { startPostgres, startRedis } from '../support/engine-programs.js'
import { recordLive } from '../support/live-recorder.js'
import type { Program, ServerProgram } from '../support/processes.js'
import {
  ourProgram,
  runServerCommand,
  startAgent,
  startProgram,
  startServer,
  temporaryFolder,
  until,
} from '../support/processes.js'

// Two server processes on one PostgreSQL and one Redis, started at once on an empty database. The agent is connected to the first
// one; the apps ask the second one. Both engines are this file's own, since it stops them.

let folder: { path: string; remove: () => Promise<void> }
let postgres: EngineProgram
let redis: EngineProgram
let nodes: [ServerProgram, ServerProgram]
let agent: Program
let client: Client
let printerId: number

const fleet = (): Record<string, string> => ({
  PRINTWARDEN_DATABASE_URL: postgres.url,
  PRINTWARDEN_REDIS_URL: redis.url,
  PRINTWARDEN_SECRET_KEY: 'a key that both nodes of this test have',
  PRINTWARDEN_DISCOVERY: 'off',
})

beforeAll(async () => {
  folder = await temporaryFolder()
  ;[postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  const start = (name: string) => startServer({ dataDir: join(folder.path, name), env: fleet() })
  nodes = await Promise.all([start('one'), start('two')])
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  const issued: unknown = JSON.parse(await runServerCommand(nodes[0].url, issue))
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  client = createClient({ baseUrl: nodes[1].url, token: String(issued.access_token) })
  const printer = await client.createPrinter({ name: 'Virtual' })
  printerId = printer.id
  const config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${nodes[0].url}

[printer virtual]
auth_token: ${printer.auth_token}
host: virtual
duration: 900
heating: 1
seed: 5016

[camera virtual bed]
pictures: generated
interval: 1
`,
  )
  agent = startAgent(config)
}, 240_000)

afterAll(async () => {
  await agent?.stop()
  await Promise.all((nodes ?? []).map((node) => node.stop()))
  await Promise.all([postgres?.close(), redis?.close()])
  await folder?.remove()
})

const stateText = async (): Promise<string | undefined> =>
  (await client.getPrinter({ id: printerId })).status?.state.text

const waitForState = (text: string) =>
  until(`the state ${text} at the other node`, async () => (await stateText()) === text, 60_000, 200)

test('two nodes make one administrator, and the second shows what the first heard', async () => {
  await waitForState('Printing')
  // The state is told before the print is written.
  const hasPrint = async () => (await client.getPrinter({ id: printerId })).current_print !== null
  await until('the print at the other node', hasPrint, 60_000, 200)
})

test('nodes that have no address in common say what to set', async () => {
  await Promise.all(nodes.map((node) => node.waitFor(/"level":40.*set PRINTWARDEN_PUBLIC_URL/)))
})

test('live updates and commands go from node to node', async () => {
  const live = recordLive(client, printerId)
  expect((await client.pausePrint({ id: printerId })).succeeded).toBe(true)
  await waitForState('Paused')
  await until('the live update at the other node', () => live.states().includes('Paused'), 30_000)
  expect((await client.resumePrint({ id: printerId })).succeeded).toBe(true)
  await waitForState('Printing')
  live.close()
}, 180_000)

test('after Redis was lost and came back, commands go from node to node again', async () => {
  await redis.kill()
  // What is not known is null; the answer itself does not fail.
  expect((await client.getPrinter({ id: printerId })).status).toBeNull()
  await redis.start()
  await waitForState('Printing')
  await until(
    'a command to go through',
    async () => (await client.pausePrint({ id: printerId })).succeeded,
    60_000,
    500,
  )
  await waitForState('Paused')
}, 180_000)

test('after PostgreSQL was lost and came back, the nodes go on', async () => {
  await postgres.kill()
  await expect(client.getPrinter({ id: printerId })).rejects.toMatchObject({ status: 503 })
  await postgres.start()
  await until(
    'a command to go through',
    async () => (await client.resumePrint({ id: printerId }).catch(() => undefined))?.succeeded,
    60_000,
    500,
  )
  await waitForState('Printing')
  for (const node of nodes) expect(node.output()).not.toMatch(/unhandled/i)
}, 180_000)

test('a server that cannot reach its database says so and ends', async () => {
  const { command, args } = ourProgram('server')
  const program = startProgram(command, args, {
    ...fleet(),
    PRINTWARDEN_DATA_DIR: join(folder.path, 'three'),
    PRINTWARDEN_DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/farm',
  })
  expect(await program.ended).toBe(1)
  expect(program.output()).toMatch(/the database at 127\.0\.0\.1:1\/farm cannot be used/)
  expect(program.output()).not.toMatch(/hidden/)
}, 60_000)
