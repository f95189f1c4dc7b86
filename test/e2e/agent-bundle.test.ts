import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@printwarden/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueToken } from '../support/linking.js'
import {
  type Program,
  ROOT,
  type ServerProgram,
  startProgram,
  startServer,
  temporaryFolder,
  until,
} from '../support/processes.js'

// The agent as one file, in a folder without any package beside it, against a real server.

const BUNDLER = join(ROOT, 'scripts/bundle-agent.ts')

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let agent: Program | undefined

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: join(folder.path, 'data') })
  const build = startProgram(process.execPath, ['--import', 'tsx', BUNDLER, join(folder.path, 'release')])
  if ((await build.ended) !== 0) throw new Error(build.output())
}, 240_000)

afterAll(async () => {
  await agent?.stop()
  await server?.stop()
  await folder?.remove()
})

const bundle = (...args: string[]): Program =>
  startProgram(process.execPath, [join(folder.path, 'release/printwarden-agent.mjs'), ...args])

test('it says its version, and what it can do', async () => {
  const version = bundle('--version')
  expect([await version.ended, version.output()]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
  const help = bundle('--help')
  expect(await help.ended).toBe(0)
  for (const command of ['link', 'run', 'doctor', 'install', 'uninstall', 'simulate']) {
    expect(help.output()).toMatch(new RegExp(`^ +${command} `, 'm'))
  }
}, 60_000)

test('the doctor finds all well, and a virtual printer runs', async () => {
  const client = createClient({ baseUrl: server.url, token: await issueToken(server.url) })
  const { id, auth_token } = await client.createPrinter({ name: 'In one file' })
  const config = join(folder.path, 'agent.cfg')
  const text = `[server]\nurl: ${server.url}\n\n[printer one]\nauth_token: ${auth_token}\nhost: virtual\nheating: 1\n`
  await writeFile(config, text, { mode: 0o600 })
  const doctor = bundle('doctor', '--config', config)
  expect(await doctor.ended).toBe(0)
  expect(doctor.output()).toContain('all is well')
  agent = bundle('run', '--config', config)
  await until(
    'the printer to print',
    async () => (await client.getPrinter({ id })).status?.state.text === 'Printing',
    60_000,
  )
}, 120_000)
