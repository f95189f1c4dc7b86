import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'

// The program itself, as somebody who starts and stops it sees it.

const root = await mkdtemp(join(tmpdir(), 'printwarden-serve-'))
const running = new Set<ChildProcess>()
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const main = fileURLToPath(new URL('./main.ts', import.meta.url))

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})
afterAll(() => rm(root, { recursive: true, force: true }))

const ADMIN = { PRINTWARDEN_ADMIN_EMAIL: 'admin@example.test', PRINTWARDEN_ADMIN_PASSWORD: 'a good password' }

function run(env: Record<string, string>, args: string[] = []) {
  const child = spawn(process.execPath, ['--conditions=x-source', '--import', tsx, main, ...args], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PRINTWARDEN_HOST: '127.0.0.1',
      PRINTWARDEN_PORT: '0',
      PRINTWARDEN_ROLES: 'web,jobs',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const exited = once(child, 'exit').then(([code]: unknown[]) => {
    running.delete(child)
    return code
  })
  return { child, exited }
}

/** Starts a server; resolves with its address, and what it has printed until then. */
async function start(env: Record<string, string>, args: string[] = []) {
  const { child, exited } = run(env, args)
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const found = /^printwarden-server listening url=(\S+)$/m.exec(printed)?.[1]
      if (found !== undefined) resolve(found)
    })
    void exited.then(async (code) => reject(new Error(`exit ${String(code)}: ${printed}`)))
  })
  return { url, child, exited, printed: () => printed }
}

/** Runs a server that is not to start; resolves with how it ended. */
async function refused(env: Record<string, string>, args: string[] = []) {
  const { child, exited } = run(env, args)
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { stdout, stderr, code }
}

const me = (url: string, token: string) =>
  fetch(`${url}/api/v1/users/me/`, { headers: { authorization: `Bearer ${token}` } })

/** A token of the administrator, by the way the administration commands take. */
async function signIn(url: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/admin/sign_in/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ADMIN.PRINTWARDEN_ADMIN_EMAIL, password: ADMIN.PRINTWARDEN_ADMIN_PASSWORD }),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return access_token
}

test.skipIf(process.platform !== 'linux')('the picture library waits for the first picture', async () => {
  const { child } = await start({ PRINTWARDEN_DATA_DIR: join(root, 'no-picture') })
  expect(await readFile(`/proc/${child.pid}/maps`, 'utf8')).not.toContain('libvips')
})

test('starts without any setting but the address, and prints where, and how to claim it', async () => {
  const { url, printed, child, exited } = await start({ PRINTWARDEN_DATA_DIR: './claim' })
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  await expect.poll(printed).toMatch(/claim\/\?token=\w+/)
  const link = /http\S+\/claim\/\?token=\w+/.exec(printed())?.[0] ?? ''
  expect((await fetch(link)).status).toBe(200)
  expect(printed()).not.toContain('PRINTWARDEN_PUBLIC_URL')
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
})

test('an administrator from the environment needs no claim link, and is made once', async () => {
  const env = { ...ADMIN, PRINTWARDEN_DATA_DIR: './admin' }
  const first = await start(env)
  const token = await signIn(first.url)
  expect((await me(first.url, token)).status).toBe(200)
  first.child.kill('SIGKILL')
  await first.exited

  // Nothing acknowledged is lost by a kill, and the lock on the folder is free again.
  const second = await start(env)
  expect((await me(second.url, token)).status).toBe(200)
  expect(second.printed()).not.toContain('claim')
  second.child.kill('SIGTERM')
  expect(await second.exited).toBe(0)
})

test('a second server on the same folder is refused; the first goes on', async () => {
  const env = { ...ADMIN, PRINTWARDEN_DATA_DIR: './twice' }
  const first = await start(env)
  const second = await refused(env)
  expect(second.code).toBe(1)
  expect(second.stderr).toMatch(/data folder .*twice is in use/)
  expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
})

test('SIGTERM closes sockets with 1012, finishes quickly whoever still holds a connection, and exits 0', async () => {
  const { url, child, exited } = await start({ ...ADMIN, PRINTWARDEN_DATA_DIR: './stop' })
  const token = await signIn(url)
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/live/`, 'live.v1', {
    headers: { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  const { hostname, port } = new URL(url)
  // One that never asks, and one that stops in the middle of asking.
  const silent = connect(Number(port), hostname)
  const slow = connect(Number(port), hostname)
  await Promise.all([once(silent, 'connect'), once(slow, 'connect')])
  slow.write(
    'POST /login/ HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 100\r\n\r\nhalf',
  )
  for (const idle of [silent, slow]) idle.on('error', () => undefined)

  const closed = once(socket, 'close')
  const asked = Date.now()
  child.kill('SIGTERM')
  const [code] = (await closed) as [number]
  expect(code).toBe(1012)
  expect(await exited).toBe(0)
  expect(Date.now() - asked).toBeLessThan(5_000)
})

test('every problem of the configuration is told at once, and nothing is made', async () => {
  const { code, stderr, stdout } = await refused({
    PRINTWARDEN_DATA_DIR: './never',
    PRINTWARDEN_PORT: 'many',
    PRINTWARDEN_PROT: '1',
    PRINTWARDEN_BLOBS_URL: 's3://bucket/path',
    PRINTWARDEN_ADMIN_EMAIL: 'nobody',
  })
  expect(code).toBe(2)
  expect(stdout).toBe('')
  for (const part of ['PORT', 'PROT', 'BLOBS_URL', 'as prefix=', 'ADMIN_EMAIL']) expect(stderr).toContain(part)
  expect(await readdir(root)).not.toContain('never')
})

test('a file that is named and missing stops the start', async () => {
  const { code, stderr } = await refused({
    PRINTWARDEN_DATA_DIR: './never',
    PRINTWARDEN_TLS_CERT: 'cert.pem',
    PRINTWARDEN_TLS_KEY: 'key.pem',
  })
  expect(code).toBe(2)
  for (const part of ['TLS_CERT', 'TLS_KEY']) expect(stderr).toMatch(new RegExp(`${part}: there is no file`))
})

test('a signal in the middle of the start ends it too', async () => {
  const { child, exited } = run({ PRINTWARDEN_DATA_DIR: './early' })
  // The folder is taken first, and the rest of the start follows.
  await expect
    .poll(() => readdir(join(root, 'early')).catch(() => []), { timeout: 10_000, interval: 5 })
    .toContain('lock.db')
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
})

test('settings come from a file that is named, below the environment', async () => {
  await writeFile(
    join(root, 'my.env'),
    'PRINTWARDEN_DATA_DIR=./from-file\nPRINTWARDEN_PORT=wrong\nPRINTWARDEN_LOG_LEVEL=error\n',
  )
  const { url, child, exited } = await start({}, ['--env-file', 'my.env'])
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect(await readdir(root)).toContain('from-file')
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
  // Node 20 reads this option too, wherever it stands, and refuses it in its own words.
  expect(await refused({}, ['--env-file', 'none.env'])).toMatchObject({
    code: expect.toSatisfy((code) => code !== 0),
    stderr: expect.stringContaining('none.env'),
  })
})

test('an address that is taken is told plainly', async () => {
  const first = await start({ PRINTWARDEN_DATA_DIR: './port-1' })
  const second = await refused({ PRINTWARDEN_DATA_DIR: './port-2', PRINTWARDEN_PORT: new URL(first.url).port })
  expect(second.code).toBe(1)
  expect(second.stderr).toMatch(/EADDRINUSE/)
})

test('secrets stay out of the logs', async () => {
  const { url, child, exited, printed } = await start({
    ...ADMIN,
    PRINTWARDEN_DATA_DIR: './logs',
    PRINTWARDEN_LOG_LEVEL: 'debug',
  })
  const token = await signIn(url)
  await me(url, token)
  await fetch(`${url}/api/v1/users/me/?access_token=${token}`)
  child.kill('SIGTERM')
  await exited
  expect(printed()).not.toContain(token)
  expect(printed()).not.toContain(ADMIN.PRINTWARDEN_ADMIN_PASSWORD)
  for (const line of printed().trim().split('\n').slice(1)) expect(() => JSON.parse(line)).not.toThrow()
})
