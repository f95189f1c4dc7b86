import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, sleep, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'

// A command that the agent could not read in time, since its machine stood still: refused, and never carried out late.

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let agent: Program
let client: Client
let printerId: number

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  const issued = JSON.parse(await runServerCommand(server.url, issue)) as { access_token: string }
  client = createClient({ baseUrl: server.url, token: issued.access_token })
  const printer = await client.createPrinter({ name: 'Virtual' })
  printerId = printer.id
  const config = join(folder.path, 'printwarden-agent.cfg')
  const lines = [`[server]`, `url: ${server.url}`, `[printer virtual]`, `auth_token: ${printer.auth_token}`]
  await writeFile(config, [...lines, 'host: virtual', 'duration: 600', 'heating: 1', ''].join('\n'))
  agent = startAgent(config)
}, 180_000)

afterAll(async () => {
  if (agent) process.kill(agent.pid, 'SIGCONT')
  await agent?.stop()
  await server?.stop()
  await folder?.remove()
})

const stateText = async (): Promise<string | undefined> =>
  (await client.getPrinter({ id: printerId })).status?.state.text

test('a pause that was not read for half a minute does not pause the print; the next one does', async () => {
  await until('the print', async () => (await client.getPrinter({ id: printerId })).current_print ?? undefined, 60_000)
  await until('its state', async () => (await stateText()) === 'Printing', 60_000)
  process.kill(agent.pid, 'SIGSTOP')
  const late = await client.pausePrint({ id: printerId })
  expect(late.succeeded).toBe(true)
  await sleep(33_000)
  process.kill(agent.pid, 'SIGCONT')
  // The server gives a silent agent up about then: what the agent had not read is either lost with the connection, or refused.
  await until('the agent to report again', async () => (await stateText()) === 'Printing', 90_000)
  await sleep(3000)
  expect(await stateText()).toBe('Printing')
  expect(agent.output()).not.toContain('a command was carried out')
  const command = await client.getCommand({ id: printerId, command_id: late.command_id ?? '' })
  expect(['timed_out', 'failed']).toContain(command.status)

  expect((await client.pausePrint({ id: printerId })).succeeded).toBe(true)
  await until('the pause', async () => (await stateText()) === 'Paused', 60_000)
}, 240_000)
