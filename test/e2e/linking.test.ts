import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { issueToken, startLink } from '../support/linking.js'
import {
  type Program,
  type ServerProgram,
  startAgent,
  startAgentCommand,
  startServer,
  temporaryFolder,
  until,
} from '../support/processes.js'

// From nothing to "online": the agent's `link` against a real server, and a user who enters the code by the SDK.

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let client: Client
let agent: Program | undefined
let printerId: number
let printsBefore: number

const CONFIG = 'printwarden-agent.cfg'
const at = (name: string): string => join(folder.path, name)

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: at('data') })
  client = createClient({ baseUrl: server.url, token: await issueToken(server.url) })
}, 240_000)

afterAll(async () => {
  await agent?.stop()
  await server?.stop()
  await folder?.remove()
})

const isOnline = async (id: number): Promise<boolean> => {
  const { status } = await client.getPrinter({ id })
  return status !== null && status.state.text !== 'Offline'
}

test('the code makes a printer, and a configuration that only its owner may read and that runs', async () => {
  const { program, code } = await startLink(server.url, at(CONFIG), ['--name', 'Left one', '--camera', 'generated'])
  const printer = await client.linkPrinter({ code })
  expect(printer.name).toBe('Left one')
  printerId = printer.id
  expect(await program.ended).toBe(0)
  expect((await stat(at(CONFIG))).mode & 0o777).toBe(0o600)
  expect(await readFile(at(CONFIG), 'utf8')).toBe(
    `[server]\nurl: ${server.url}\n\n[printer left-one]\nauth_token: ${printer.auth_token}\nhost: virtual\n\n` +
      '[camera left-one main]\npictures: generated\n',
  )
  agent = startAgent(at(CONFIG))
  await until('the printer to be online', () => isOnline(printerId), 60_000)
  await until('a print', async () => (await client.listPrints()).length > 0, 60_000)
  printsBefore = (await client.listPrints()).length
}, 180_000)

test('linked anew by another machine it keeps its history, and the agent before ends', async () => {
  const own = '# my own words\n[server]\nurl: http://old.example:3334  # moved\n\n[printer mk3]\n; to be linked\n'
  await writeFile(at('other.cfg'), own, { mode: 0o644 })
  const { program, code } = await startLink(server.url, at('other.cfg'), ['--printer', 'mk3'])
  const printer = await client.linkPrinter({ code, printer_id: printerId })
  expect(printer.id).toBe(printerId)
  expect(await program.ended).toBe(0)
  // 3: the token was refused.
  expect(await agent?.ended).toBe(3)
  const text = await readFile(at('other.cfg'), 'utf8')
  expect(text).toBe(
    `# my own words\n[server]\nurl: ${server.url}  # moved\n\n[printer mk3]\nauth_token: ${printer.auth_token}\n` +
      'host: virtual\n; to be linked\n',
  )
  expect((await stat(at('other.cfg'))).mode & 0o777).toBe(0o600)
  agent = startAgent(at('other.cfg'))
  await until('the printer to be online', () => isOnline(printerId), 60_000)
  const prints = await client.listPrints()
  expect(prints.length).toBeGreaterThanOrEqual(printsBefore)
  expect((await client.listPrinters()).map(({ id }) => id)).toEqual([printerId])
}, 180_000)

test('a second printer is added beside the first, under a name of its own', async () => {
  const { program, code } = await startLink(server.url, at('other.cfg'), ['--name', 'MK3'])
  const { auth_token } = await client.linkPrinter({ code })
  expect(await program.ended).toBe(0)
  const text = await readFile(at('other.cfg'), 'utf8')
  expect(text).toContain('[printer mk3]\n')
  expect(text.endsWith(`\n\n[printer mk3-2]\nauth_token: ${auth_token}\nhost: virtual\n`)).toBe(true)
}, 120_000)

test.each(['SIGINT', 'SIGTERM'] as const)(
  'stopped by %s it leaves nothing behind',
  async (signal) => {
    const config = at(`stopped-${signal}.cfg`)
    const { program } = await startLink(server.url, config)
    process.kill(program.pid, signal)
    expect(await program.ended).toBe(130)
    expect(program.output()).toContain('Nothing was changed')
    expect(existsSync(config)).toBe(false)
    expect((await readdir(folder.path)).filter((name) => name.endsWith('.new'))).toEqual([])
  },
  120_000,
)

test.each([
  {
    name: 'a server that is away',
    args: ['--server', 'http://127.0.0.1:9'],
    code: 1,
    words: /does not answer .*\n.*→ start/,
  },
  { name: 'no server named', args: [], code: 1, words: /no server was named/ },
  {
    name: 'no host at an address',
    args: ['--server', 'SERVER', '--url', 'http://127.0.0.1:9'],
    code: 1,
    words: /neither OctoPrint nor Moonraker answers/,
  },
  {
    name: 'a name that no section can have',
    args: ['--server', 'SERVER', '--host', 'virtual', '--printer', 'a]b'],
    code: 2,
    words: /cannot be the name of a section/,
  },
])(
  '$name is told, and nothing is written',
  async ({ args, code, words }) => {
    const config = at('failed.cfg')
    const all = ['link', '--yes', '--config', config, ...args.map((arg) => (arg === 'SERVER' ? server.url : arg))]
    const program = startAgentCommand(all)
    expect(await program.ended).toBe(code)
    expect(program.output()).toMatch(words)
    expect(existsSync(config)).toBe(false)
  },
  60_000,
)

test('a configuration of another server is not taken over', async () => {
  const text = `[server]\nurl: http://other.example:3334\n\n[printer far]\nauth_token: ${'a'.repeat(40)}\nhost: virtual\n`
  await writeFile(at('far.cfg'), text)
  const args = ['link', '--yes', '--server', server.url, '--host', 'virtual', '--config', at('far.cfg')]
  const program = startAgentCommand(args)
  expect(await program.ended).toBe(2)
  expect(program.output()).toContain('serves far of http://other.example:3334')
  expect(await readFile(at('far.cfg'), 'utf8')).toBe(text)
}, 60_000)
