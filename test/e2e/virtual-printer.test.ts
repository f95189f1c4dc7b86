import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@printwarden/sdk'
import { createClient } from '@printwarden/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordLive } from '../support/live-recorder.js'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'

// The whole chain with nothing but Node: a virtual printer, the agent and the server as processes on loopback, the shipped
// detector looking at rendered pictures, and the SDK as an app would use it.

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let agent: Program
let client: Client
let printerId: number

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const issued: unknown = JSON.parse(
    await runServerCommand(server.url, [
      'token',
      'issue',
      '--user',
      'admin@example.test',
      '--scope',
      'read write',
      '--json',
    ]),
  )
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  client = createClient({ baseUrl: server.url, token: String(issued.access_token) })
  const printer = await client.createPrinter({ name: 'Virtual' })
  printerId = printer.id
  const config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${server.url}

[printer virtual]
auth_token: ${printer.auth_token}
host: virtual
duration: 80
heating: 2
fail_at: 0.15
seed: 5016

[camera virtual bed]
pictures: generated
interval: 1
`,
  )
  agent = startAgent(config)
}, 120_000)

afterAll(async () => {
  await agent?.stop()
  await server?.stop()
  await folder?.remove()
})

test('a print that turns into spaghetti is alerted about and paused; resumed, it runs to its end', async () => {
  const live = recordLive(client, printerId)
  const paused = await until(
    'the server to pause the print',
    async () => {
      const { current_print: print, status } = await client.getPrinter({ id: printerId })
      return print?.paused_at && status?.state.text === 'Paused' ? print : undefined
    },
    100_000,
    250,
  )
  expect(paused.alerted_at).not.toBeNull()
  expect(live.gaugePeak()).toBeGreaterThan(2 / 3)

  const resumed = await client.resumePrint({ id: printerId })
  expect(resumed.succeeded).toBe(true)
  const print = await until(
    'the end of the print',
    async () => {
      const one = await client.getPrint({ id: paused.id })
      return one.ended_at === null ? undefined : one
    },
    120_000,
    250,
  )
  expect(print.finished_at).not.toBeNull()
  expect(print.alert_overwrite).toBe('NOT_FAILED')
  expect(await client.listPrints()).toHaveLength(1)

  const frames = await client.getPredictionJson({ id: print.id })
  // A slow machine looks at fewer: the latest frame replaces the one that waits.
  expect(frames.length).toBeGreaterThan(5)
  const events = await client.listPrinterEvents({ print_id: print.id })
  // A warning may come before the alert that pauses: both are failure alerts.
  const types = events.map((event) => event.event_type).toReversed()
  const story = types.filter((type, index) => type !== types[index - 1])
  expect(story).toEqual(['STARTED', 'FAILURE_ALERTED', 'PAUSED', 'RESUMED', 'ENDED'])
  live.close()
}, 300_000)

test('programs end cleanly when told to', async () => {
  expect(await agent.stop()).toBe(0)
  expect(await server.stop()).toBe(0)
}, 30_000)
