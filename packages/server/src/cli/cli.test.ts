import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConformanceTarget } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { codeAt } from '../users/one-time-code.js'
import { findUser } from '../users/store.js'

// The program itself, as a user runs it, against a running server.

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const TSX = import.meta.resolve('tsx')

let server: TestServer
let folder: string

beforeAll(async () => {
  server = await startTestServer()
  folder = await mkdtemp(join(tmpdir(), 'printwarden-cli-'))
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

interface Run {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a command as the administrator, unless `environment` says otherwise. */
function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Run> {
  const { PATH = '' } = process.env
  const credentials = { PRINTWARDEN_ADMIN_EMAIL: server.owner.email, PRINTWARDEN_ADMIN_PASSWORD: server.owner.password }
  const child = spawn(process.execPath, ['--conditions=x-source', '--import', TSX, MAIN, ...args], {
    cwd: folder,
    env: { PATH, ...credentials, ...environment },
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })))
}

const onServer = (...args: string[]): Promise<Run> => run([...args, '--url', server.url])

test('a database is brought up to date by one command', async () => {
  const environment = { PRINTWARDEN_DATA_DIR: join(folder, 'fresh') }
  const first = await run(['migrate'], environment)
  expect(first).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/is up to date now: 0001-/) })
  const second = await run(['migrate', '--json'], environment)
  expect(JSON.parse(second.out)).toMatchObject({ migrations: [] })
})

test('accounts from first to last', async () => {
  const added = await onServer('user', 'add', 'cli@farm.example', '--json')
  expect(added).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(added.out)).toMatchObject({
    email: 'cli@farm.example',
    password: expect.stringMatching(/^\S{16}$/),
  })

  expect(await onServer('user', 'add', 'CLI@farm.example')).toEqual({
    code: 1,
    out: '',
    err: 'printwarden-server: there is an account with this e-mail address already\n',
  })
  expect((await onServer('user', 'set', 'cli@farm.example', '--admin')).out).toMatch(
    /cli@farm.example {2}administrator/,
  )
  expect((await onServer('user', 'disable', 'cli@farm.example')).out).toMatch(/disabled/)
  expect((await onServer('user', 'set', 'cli@farm.example', '--no-admin', '--enable')).out).toMatch(
    /example {2}0 printers/,
  )
  const reset = await onServer('user', 'reset-password', 'cli@farm.example', '--password', 'a new password', '--json')
  expect(JSON.parse(reset.out)).toMatchObject({ email: 'cli@farm.example', password: 'a new password' })
  expect((await server.users.checkPassword('cli@farm.example', 'a new password', '192.0.2.1')).type).toBe('right')
  expect((await onServer('user', 'list')).out).toContain('cli@farm.example')
}, 60_000)

test('links for guests and for lost passwords, and the second step of an administrator', async () => {
  const invited = await onServer('user', 'invite', 'guest@farm.example')
  expect(invited).toMatchObject({ code: 0, err: '' })
  expect(invited.out).toMatch(/^http:\/\/\S+\/invitation\/\?token=[0-9a-f]{64}\n$/)
  expect((await fetch(invited.out.trim())).status).toBe(200)

  const reset = await onServer('user', 'reset-password', server.other.email, '--link')
  expect(reset.out).toMatch(/\/password_reset\/new\/\?token=[0-9a-f]{64}\n$/)
  expect((await fetch(reset.out.trim())).status).toBe(200)
  expect((await server.users.checkPassword(server.other.email, server.other.password, '192.0.2.1')).type).toBe('right')

  const secret = (await server.users.twoSteps.begin(server.owner.id)) ?? ''
  const codeNow = (): string => codeAt(secret, server.clock.now())
  const owner = await findUser(server.database.db, server.owner.id)
  if (owner === undefined) throw new Error('there is no owner')
  await server.users.twoSteps.confirm(owner, codeNow(), { ip: null, userAgent: null })
  server.clock.advance(30_000)
  const refused = await onServer('user', 'list')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('code is needed')
  expect(await onServer('user', 'list', '--code', codeNow())).toMatchObject({ code: 0, err: '' })
  server.clock.advance(30_000)
  const off = await onServer('user', 'set', server.owner.email, '--no-two-step', '--code', codeNow())
  expect(off).toMatchObject({ code: 0, err: '' })
  expect(await onServer('user', 'list')).toMatchObject({ code: 0, err: '' })
}, 60_000)

test('seed writes the target for its owner alone, at the folder the user stands in', async () => {
  const seeded = await run(['seed', '--target', 'target.json', '--url', server.url], { INIT_CWD: folder })
  expect(seeded).toMatchObject({ code: 0, err: '', out: `written: ${join(folder, 'target.json')}\n` })
  const target = ConformanceTarget.parse(JSON.parse(await readFile(join(folder, 'target.json'), 'utf8')))
  expect(target.base_url).toBe(server.url)
  expect((await stat(join(folder, 'target.json'))).mode & 0o077).toBe(0)
})

test('tokens, printers and clients', async () => {
  const { email } = server.other
  const printer = await onServer('printer', 'add', '--user', email, '--name', 'Left', '--json')
  expect(JSON.parse(printer.out)).toMatchObject({ name: 'Left', auth_token: expect.stringMatching(/^[0-9a-f]{40}$/) })

  const token = (await onServer('token', 'issue', '--user', email, '--scope', 'read')).out.trim()
  expect(await server.call('GET', '/api/v1/users/me/', { token })).toMatchObject({ status: 200, json: { email } })
  expect(await onServer('token', 'revoke', token)).toMatchObject({ code: 0, out: 'revoked\n' })
  expect(await server.call('GET', '/api/v1/users/me/', { token })).toMatchObject({ status: 401 })

  const uris = ['--redirect-uri', 'https://a.example/cb', '--redirect-uri', 'https://b.example/cb']
  const client = await onServer('client', 'add', '--name', 'App', '--type', 'confidential', ...uris, '--json')
  expect(JSON.parse(client.out)).toMatchObject({ redirect_uris: ['https://a.example/cb', 'https://b.example/cb'] })
}, 60_000)

test('an app and a token from first to last', async () => {
  const { email } = server.other
  const uri = ['--redirect-uri', 'https://a.example/cb']
  const added = await onServer('client', 'add', '--name', 'Listed', '--type', 'confidential', ...uri, '--json')
  const { client_id, client_secret } = JSON.parse(added.out) as { client_id: string; client_secret: string }
  expect((await onServer('client', 'list')).out).toContain(`${client_id}  Listed  confidential, operator, 0 users`)
  const rotated = await onServer('client', 'rotate-secret', client_id)
  expect(rotated.out).toMatch(/^client_secret: [0-9a-f]{64}\n$/)
  expect(rotated.out).not.toContain(client_secret)
  expect(await onServer('client', 'remove', client_id)).toMatchObject({ code: 0, out: 'removed\n' })
  expect(await onServer('client', 'remove', client_id)).toMatchObject({ code: 1, out: '' })
  expect((await onServer('client', 'allow-slicer', 'OrcaSlicer')).out).toMatch(/^OrcaSlicer {2}/)

  const token = (await onServer('token', 'issue', '--user', email, '--name', 'Backup')).out.trim()
  const listed = (await onServer('token', 'list', '--user', email)).out
  expect(listed).not.toContain(token)
  const [, id = ''] = /^(\d+) {2}\S+ {2}Backup, read write, /m.exec(listed) ?? []
  expect(await onServer('token', 'revoke', id)).toMatchObject({ code: 0, out: 'revoked\n' })
  expect(await server.call('GET', '/api/v1/users/me/', { token })).toMatchObject({ status: 401 })
}, 60_000)

test('doctor looks at the server, and tells a missing one', async () => {
  const well = await onServer('doctor', '--json')
  expect(JSON.parse(well.out)).toMatchObject({
    findings: expect.arrayContaining([{ check: 'database', ok: true, detail: 'ready' }]),
  })
  const gone = await run(['doctor', '--url', 'http://127.0.0.1:9'])
  expect(gone).toMatchObject({ code: 1, out: '' })
  expect(gone.err).toMatch(/^printwarden-server: no answer from http:\/\/127\.0\.0\.1:9 .*--url names another\n$/)
}, 60_000)

test('a command without credentials says which to give', async () => {
  const empty = { PRINTWARDEN_ADMIN_EMAIL: '', PRINTWARDEN_ADMIN_PASSWORD: '' }
  const refused = await run(['user', 'list', '--url', server.url], empty)
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toMatch(/^printwarden-server: no credentials; set .* or give --token\n$/)
  const byToken = await run(['user', 'list', '--url', server.url, '--token', server.owner.token], empty)
  expect(byToken).toMatchObject({ code: 0, err: '' })
})

test('a copy is looked at before or after it, not both at once', async () => {
  const refused = await run(['copy', '--dry-run', '--verify', '--to', 'postgres://127.0.0.1:1/none'])
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toMatch(/--dry-run looks before a copy and --verify after it/)
})
