import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { newEventId, statusMessage, TestAgent } from '../agents/testing.js'

// The program itself with a detection service: what was analysed is stored when it is told to stop, and never twice when it is killed.

const root = await mkdtemp(join(tmpdir(), 'printwarden-predictions-'))
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const main = fileURLToPath(new URL('../main.ts', import.meta.url))
const running = new Set<ChildProcess>()
const PATIENCE = { timeout: 120_000, interval: 100 }
const ADMIN = { email: 'admin@example.test', password: 'a good password' }
const FRAMES = 5
const T = 1_795_000_000

/** A service that takes pictures as bytes and finds nothing. */
const service = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.end(request.url === '/hc/' ? 'ok' : JSON.stringify({ detections: [] })))
})
service.listen(0, '127.0.0.1')
await once(service, 'listening')

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  service.closeAllConnections()
  service.close()
  await rm(root, { recursive: true, force: true })
})

async function start(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ['--conditions=x-source', '--import', tsx, main], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      PRINTWARDEN_HOST: '127.0.0.1',
      PRINTWARDEN_PORT: '0',
      PRINTWARDEN_ADMIN_EMAIL: ADMIN.email,
      PRINTWARDEN_ADMIN_PASSWORD: ADMIN.password,
      PRINTWARDEN_DATA_DIR: join(root, 'data'),
      PRINTWARDEN_ROLES: 'web,detector',
      PRINTWARDEN_DETECTOR: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const found = /^printwarden-server listening url=(\S+)$/m.exec(printed)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`exit ${String(code)}: ${printed}`)))
  })
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, PATIENCE).toBe(200)
  return { url, child }
}

async function post(url: string, body: object, token?: string): Promise<Record<string, unknown>> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const headers = { 'content-type': 'application/json', ...authorization }
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers })
  return (await response.json()) as Record<string, unknown>
}

const picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#578' } })
  .jpeg()
  .toBuffer()

/** How many frames this run of the server has analysed. */
async function analysed(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^printwarden_detection_frames_total\{outcome="analysed"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** Sends pictures, each once the one before was analysed; resolves with the last one's conclusion. */
async function watch(url: string, token: string): Promise<void> {
  for (let frame = 1; frame <= FRAMES; frame++) {
    const body = new FormData()
    body.set('pic', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'pic.jpg')
    const headers = { authorization: `Token ${token}` }
    const { status } = await fetch(`${url}/api/v1/agent/pic/`, { method: 'POST', headers, body })
    expect(status).toBe(200)
    await expect.poll(() => analysed(url), { ...PATIENCE, interval: 5 }).toBe(frame)
  }
}

/** The frames that are stored, in order of time. */
function stored(): number[] {
  const database = new DatabaseSync(join(root, 'data', 'printwarden.db'), { readOnly: true })
  try {
    const rows = database.prepare('select frame_at from predictions order by frame_at').all() as { frame_at: number }[]
    return rows.map(({ frame_at }) => frame_at)
  } finally {
    database.close()
  }
}

async function stop(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
  running.delete(child)
}

async function connect(url: string, token: string, event?: object): Promise<TestAgent> {
  const agent = await TestAgent.open(url, ['agent.v1'], { headers: { authorization: `Bearer ${token}` } })
  agent.send(statusMessage(Date.now(), 'Printing', T, event === undefined ? {} : { event }))
  if (event === undefined) await agent.settled()
  else await agent.next('ack')
  return agent
}

test('analysed frames are all there after SIGTERM, and none is there twice after kill -9', async () => {
  const first = await start()
  const { access_token } = await post(`${first.url}/api/v1/admin/sign_in/`, ADMIN)
  const printer = await post(`${first.url}/api/v1/printers/`, { name: 'Left' }, String(access_token))
  const token = String(printer['auth_token'])

  await connect(first.url, token, { event_type: 'PrintStarted', id: newEventId() })
  await watch(first.url, token)
  await stop(first.child, 'SIGTERM')
  const kept = stored()
  expect(kept).toHaveLength(FRAMES)

  const second = await start()
  await connect(second.url, token)
  await watch(second.url, token)
  await stop(second.child, 'SIGKILL')

  // What the kill took are the frames of the last half second at most, and none of those before.
  const third = await start()
  const left = stored()
  expect(new Set(left).size).toBe(left.length)
  expect(left.slice(0, FRAMES)).toEqual(kept)
  expect(left.length).toBeLessThanOrEqual(2 * FRAMES)

  await connect(third.url, token)
  await watch(third.url, token)
  await stop(third.child, 'SIGTERM')
  const all = stored()
  expect(all).toHaveLength(left.length + FRAMES)
  expect(new Set(all).size).toBe(all.length)
}, 600_000)
