import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startFakeServer, type FakeServer } from './uplink/fake-server.js'
import { startFakeOctoPrint } from './hosts/octoprint/fake-octoprint.js'
import { until } from './testing.js'

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const TOKEN = '0123456789abcdef0123456789abcdef01234567'
const OTHER = 'fedcba9876543210fedcba9876543210fedcba98'

interface Run {
  readonly child: ChildProcess
  output(): string
  readonly code: Promise<number | null>
}

let folder: string
let server: FakeServer
let runs: Run[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-'))
  server = await startFakeServer()
  runs = []
})
afterEach(async () => {
  for (const { child } of runs) child.kill('SIGKILL')
  await Promise.all(runs.map(({ code }) => code))
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs the program as its user would, with a home folder of its own. */
function agent(args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, ['--conditions=x-source', '--import', TSX, MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (output += String(data)))
  const code = once(child, 'exit').then(([exit]) => (typeof exit === 'number' ? exit : null))
  const run = { child, output: () => output, code }
  runs.push(run)
  return run
}

async function config(text: string): Promise<string> {
  const path = join(folder, 'printwarden-agent.cfg')
  await writeFile(path, text, { mode: 0o600 })
  return path
}
const virtual = (token = TOKEN, name = 'a') =>
  `[printer ${name}]\nauth_token: ${token}\nhost: virtual\nduration: 600\nautostart: false\n`
const serverSection = () => `[server]\nurl: ${server.url}\n`

describe('run', () => {
  test('a bad configuration ends with 2, every problem on a line of its own', async () => {
    const path = await config('[server]\nurl: nowhere\n[printer a]\nhost: virtual\ncolour: red\n')
    const run = agent(['run', '--config', path])
    expect(await run.code).toBe(2)
    for (const problem of [':2: [server] url should', ':3: [printer a] auth_token', ':5: [printer a] colour']) {
      expect(run.output()).toContain(`${path}${problem}`)
    }
  })

  test('no configuration at all ends with 2 and says where it was looked for', async () => {
    const run = agent(['run'])
    expect(await run.code).toBe(2)
    expect(run.output()).toContain(join(folder, 'printer_data', 'config'))
    expect(run.output()).toContain(join(folder, '.config', 'printwarden'))
  })

  test('the configuration is found, a signal ends it with 0, and the state lies beside the configuration', async () => {
    await mkdir(join(folder, '.config', 'printwarden'), { recursive: true })
    await writeFile(join(folder, '.config', 'printwarden', 'printwarden-agent.cfg'), serverSection() + virtual())
    const run = agent(['run'])
    await until('a status', () => server.messages.length > 0, 20_000)
    run.child.kill('SIGTERM')
    expect(await run.code).toBe(0)
    const state = await readFile(join(folder, '.config', 'printwarden', 'printwarden-agent.state', 'a.json'), 'utf8')
    expect(JSON.parse(state)).toMatchObject({ version: 1 })
  })

  test('a refused token ends with 3', async () => {
    server.mood.upgradeStatus = 401
    const run = agent(['run', '--config', await config(serverSection() + virtual())])
    expect(await run.code).toBe(3)
    expect(run.output()).toContain('the server refuses the auth_token of this printer')
  })

  test('another agent with the same token ends it with 4, and it says why', async () => {
    const run = agent(['run', '--config', await config(serverSection() + virtual())])
    await until('a connection', () => server.connected() === 1, 20_000)
    server.closeAll(4321)
    expect(await run.code).toBe(4)
    expect(run.output()).toContain('another agent has connected with the auth_token of this printer')
  })

  test('one process serves all printers; one that is refused does not stop the other', async () => {
    const run = agent([
      'run',
      '--config',
      await config(serverSection() + virtual().replace('autostart: false', '') + virtual(OTHER, 'b')),
    ])
    await until('two connections', () => server.connected() === 2, 20_000)
    expect(new Set(server.authorizations)).toEqual(new Set([`Bearer ${TOKEN}`, `Bearer ${OTHER}`]))
    server.closeAll(4401, OTHER)
    await until('one connection', () => server.connected() === 1, 20_000)
    const before = server.messages.length
    await until('its next message', () => server.messages.length > before, 40_000)
    run.child.kill('SIGINT')
    expect(await run.code).toBe(0)
  })

  test('the log goes to the folder of Klipper logs too, and no secret into either', async () => {
    await mkdir(join(folder, 'printer_data', 'logs'), { recursive: true })
    const octoprint = `[printer a]\nauth_token: ${TOKEN}\nhost: octoprint\nurl: http://me:pw@127.0.0.1:9\napi_key: KEY-OF-MINE\n`
    const run = agent(['run', '--config', await config(serverSection() + octoprint)], {
      PRINTWARDEN_LOG_LEVEL: 'debug',
    })
    await until('a wait', () => run.output().includes('waiting for OctoPrint'), 20_000)
    run.child.kill('SIGTERM')
    expect(await run.code).toBe(0)
    const file = await readFile(join(folder, 'printer_data', 'logs', 'printwarden-agent.log'), 'utf8')
    expect(file).toContain('waiting for OctoPrint at http://[redacted]@127.0.0.1:9 (connection refused)')
    for (const line of file.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg')
    for (const secret of [TOKEN, 'KEY-OF-MINE', 'me:pw']) expect(file + run.output()).not.toContain(secret)
  })
})

describe('simulate', () => {
  test('runs as many printers as there are tokens, with pictures', async () => {
    const run = agent(['simulate', '--server', server.url, '--auth-token', TOKEN, '--interval', '0.5'], {
      PRINTWARDEN_AGENT_TOKENS: OTHER,
    })
    await until('two printers that print', () => server.eventIds.length >= 2, 20_000)
    await until('pictures', () => server.pictures.length >= 3, 20_000)
    run.child.kill('SIGTERM')
    expect(await run.code).toBe(0)
  })

  test('without enough tokens it ends with 2', async () => {
    const run = agent(['simulate', '--count', '3', '--auth-token', TOKEN])
    expect(await run.code).toBe(2)
    expect(run.output()).toContain('there are 1')
  })
})

describe('doctor', () => {
  test('finds all well and ends with 0', async () => {
    const octoprint = await startFakeOctoPrint()
    const path = await config(
      `${serverSection()}[printer a]\nauth_token: ${TOKEN}\nhost: octoprint\nurl: ${octoprint.url}\n` +
        `api_key: ${octoprint.apiKey}\n[camera a]\npictures: generated\n`,
    )
    const run = agent(['doctor', '--config', path])
    const code = await run.code
    await octoprint.stop()
    const found = [
      'server: http:',
      'printer a, token: accepted, for the printer "MK3"',
      'clock: agrees with the server',
    ]
    for (const text of [
      ...found,
      'printer a, octoprint: the printer is Operational',
      'camera a camera: gives a picture of ',
    ]) {
      expect(run.output()).toContain(`ok    ${text}`)
    }
    expect(run.output()).toContain('all is well')
    expect(code).toBe(0)
    expect(octoprint.calls).toEqual([])
  })

  test('finds what is broken, says how to mend each, and ends with 1', async () => {
    server.mood.clockOffsetS = -7_200
    const path = await config(
      `${serverSection()}[printer a]\nauth_token: ${TOKEN}\nhost: octoprint\nurl: http://127.0.0.1:9\napi_key: x\n` +
        '[camera a bed]\nsnapshot_url: http://127.0.0.1:9/\n',
    )
    const run = agent(['doctor', '--config', path])
    expect(await run.code).toBe(1)
    for (const text of [
      'clock: is 7200 s ahead',
      'printer a, octoprint: cannot connect',
      'camera a bed: the camera does not',
    ]) {
      expect(run.output()).toContain(`FAIL  ${text}`)
    }
    expect(run.output().match(/^FAIL .*\n +→ /gm)).toHaveLength(3)
    expect(run.output()).toContain('3 of these checks failed')
  })

  test('a refused token and a server that is away are told', async () => {
    server.mood.upgradeStatus = 401
    const refused = agent(['doctor', '--config', await config(serverSection() + virtual())])
    expect(await refused.code).toBe(1)
    expect(refused.output()).toContain('FAIL  printer a, token: refused')
    const away = agent(['doctor', '--config', await config(`[server]\nurl: http://127.0.0.1:9\n${virtual()}`)])
    expect(await away.code).toBe(1)
    expect(away.output()).toContain('FAIL  server: http://127.0.0.1:9 does not answer (connection refused)')
  })

  test('a bad configuration ends with 2', async () => {
    expect(await agent(['doctor', '--config', await config('[server]')]).code).toBe(2)
  })
})
