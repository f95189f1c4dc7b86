import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@printwarden/sdk'
import { createClient } from '@printwarden/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineProgram } from '../support/engine-programs.js'
import { startPostgres } from '../support/engine-programs.js'
import type { Program, ServerProgram } from '../support/processes.js'
import { runServerCommand, startAgent, startServer, temporaryFolder, until } from '../support/processes.js'

// The whole chain on PostgreSQL: a virtual printer whose print fails, the shipped detector, the alert, and the time-lapse.

let folder: { path: string; remove: () => Promise<void> }
let postgres: EngineProgram
let server: ServerProgram
let agent: Program
let client: Client
let printerId: number

beforeAll(async () => {
  folder = await temporaryFolder()
  postgres = await startPostgres()
  const env = { PRINTWARDEN_DATABASE_URL: postgres.url, PRINTWARDEN_DISCOVERY: 'off' }
  server = await startServer({ dataDir: join(folder.path, 'data'), env })
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  const issued: unknown = JSON.parse(await runServerCommand(server.url, issue))
  if (typeof issued !== 'object' || issued === null || !('access_token' in issued)) throw new Error('no token')
  client = createClient({ baseUrl: server.url, token: String(issued.access_token) })
  const printer = await client.createPrinter({ name: 'Virtual' })
  printerId = printer.id
  await client.updatePrinter({ id: printerId, min_timelapse_secs_on_finish: 0, min_timelapse_secs_on_cancel: 0 })
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
}, 240_000)

afterAll(async () => {
  await agent?.stop()
  await server?.stop()
  await postgres?.close()
  await folder?.remove()
})

test('a print that fails is alerted about and paused; cancelled, it gets its time-lapse', async () => {
  const paused = await until(
    'the server to pause the print',
    async () => {
      const { current_print: print, status } = await client.getPrinter({ id: printerId })
      return print?.paused_at && status?.state.text === 'Paused' ? print : undefined
    },
    180_000,
    250,
  )
  expect(paused.alerted_at).not.toBeNull()
  expect((await client.cancelPrint({ id: printerId })).succeeded).toBe(true)

  const print = await until(
    'the time-lapse',
    async () => {
      const one = await client.getPrint({ id: paused.id })
      return one.timelapse?.state === 'done' ? one : undefined
    },
    180_000,
    250,
  )
  expect(print.cancelled_at).not.toBeNull()
  const video = await fetch(print.video_url ?? '')
  expect([video.status, video.headers.get('content-type')]).toEqual([200, 'video/mp4'])
  expect((await client.getPredictionJson({ id: print.id })).length).toBeGreaterThan(5)
  const events = await client.listPrinterEvents({ print_id: print.id })
  const types = events.map((event) => event.event_type).toReversed()
  const story = types.filter((type, index) => type !== types[index - 1])
  expect(story).toEqual(['STARTED', 'FAILURE_ALERTED', 'PAUSED', 'ENDED'])
}, 400_000)
