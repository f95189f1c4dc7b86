import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, test } from 'vitest'
import { AGENT_SUBPROTOCOL } from '@printwarden/protocol'
import { z } from 'zod'
import { newEventId, statusMessage, TestAgent } from '../agents/testing.js'
import { startFakeModelServer } from './fake-model-server.js'

// The program itself with a model's server: configured by the environment, administered by the command line, and killed.

const TSX = import.meta.resolve('tsx')
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const ADMIN = { PRINTWARDEN_ADMIN_EMAIL: 'admin@example.test', PRINTWARDEN_ADMIN_PASSWORD: 'a good password' }

const folder = await mkdtemp(join(tmpdir(), 'printwarden-assistant-'))
const running = new Set<ChildProcess>()
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function run(args: readonly string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, ['--conditions=x-source', '--import', TSX, MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...ADMIN, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  return child
}

async function start(env: Record<string, string>) {
  const common = { PRINTWARDEN_HOST: '127.0.0.1', PRINTWARDEN_PORT: '0', PRINTWARDEN_ROLES: 'web,jobs' }
  const child = run([], { ...common, PRINTWARDEN_DATA_DIR: './data', PRINTWARDEN_DISCOVERY: 'off', ...env })
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const found = /^printwarden-server listening url=(\S+)$/m.exec(printed)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error(printed)))
  })
  return { url, child }
}

async function command(...args: string[]): Promise<string> {
  const child = run(args, {})
  const [out] = await Promise.all([text(child.stdout ?? Readable.from([])), once(child, 'exit')])
  running.delete(child)
  return out
}

async function call(url: string, method: string, path: string, token?: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return response.json()
}

const signIn = async (url: string): Promise<string> => {
  const body = { email: ADMIN.PRINTWARDEN_ADMIN_EMAIL, password: ADMIN.PRINTWARDEN_ADMIN_PASSWORD }
  return z
    .object({ access_token: z.string() })
    .parse(await call(url, 'POST', '/api/v1/admin/sign_in/', undefined, body)).access_token
}

const Me = z.object({ ai_credits: z.object({ ai_credit_used_current_month: z.int(), ai_credit_granted: z.int() }) })
const Entries = z.array(z.object({ kind: z.string(), about: z.string().nullable() }))
const question = { messages: [{ role: 'user', content: 'Why does it warp?' }] }
const ASK = '/assistant/api/chats/messages/'
const ME = '/assistant/api/me/'

test('a server that is killed in the middle of a call gives its credit back with the next start', async () => {
  const fake = await startFakeModelServer()
  const env = {
    PRINTWARDEN_ASSISTANT_URL: fake.url,
    PRINTWARDEN_ASSISTANT_MODEL: 'small',
    PRINTWARDEN_OUTBOUND_ALLOW: `127.0.0.1:${fake.port}`,
  }
  try {
    const first = await start(env)
    expect(await command('user', 'set', 'admin@example.test', '--ai-quota', '1', '--url', first.url)).toContain(
      '1 AI credits a month',
    )
    expect(await command('user', 'grant-credits', 'admin@example.test', '2', '--url', first.url)).toBe(
      'admin@example.test has 2 granted credits left\n',
    )
    expect(await command('doctor', '--url', first.url)).toContain('ok    assistant: small answers')
    expect(await call(first.url, 'GET', '/readyz')).toMatchObject({ assistant: 'configured' })
    const token = await signIn(first.url)
    expect(await call(first.url, 'POST', ASK, token, question)).toMatchObject({
      message: { content: 'Level the bed.' },
    })

    fake.script.push({ text: ['Lev'], ends: 'hang' })
    const lost = call(first.url, 'POST', ASK, token, question).catch(() => 'lost')
    await fake.until(() => fake.asked.length === 2)
    expect(Me.parse(await call(first.url, 'GET', ME, token)).ai_credits).toMatchObject({ ai_credit_granted: 1 })
    first.child.kill('SIGKILL')
    expect(await lost).toBe('lost')

    // And without a model everything else is there.
    const second = await start({})
    const me = Me.parse(await call(second.url, 'GET', ME, token))
    expect(me.ai_credits).toMatchObject({ ai_credit_used_current_month: 1, ai_credit_granted: 2 })
    const book = Entries.parse(await call(second.url, 'GET', '/api/v1/admin/users/1/ai_credits/', token))
    expect(book.map(({ kind }) => kind)).toEqual(['refund', 'debit', 'debit', 'grant', 'quota'])
    expect(book[1]?.about).toBe('general.v2')
    expect(await call(second.url, 'POST', ASK, token, question)).toMatchObject({
      status: 503,
      code: 'assistant_not_configured',
    })
    expect(await call(second.url, 'GET', '/assistant/api/chats/', token)).toEqual([])
    expect(await call(second.url, 'GET', '/readyz')).toMatchObject({ assistant: 'not_configured' })
    expect(await command('doctor', '--url', second.url)).toContain(
      'ok    assistant: not configured; PRINTWARDEN_ASSISTANT_URL turns it on',
    )
  } finally {
    await fake.close()
  }
}, 600_000)

test('a server that is killed while it is asked why a print failed gives the credit back, and answers later', async () => {
  const fake = await startFakeModelServer()
  const env = {
    PRINTWARDEN_ASSISTANT_URL: fake.url,
    PRINTWARDEN_ASSISTANT_MODEL: 'small',
    PRINTWARDEN_ASSISTANT_MONTHLY_CREDITS: '1',
    PRINTWARDEN_OUTBOUND_ALLOW: `127.0.0.1:${fake.port}`,
    PRINTWARDEN_DATA_DIR: './print-data',
  }
  try {
    const first = await start(env)
    const token = await signIn(first.url)
    const { id, auth_token } = z
      .object({ id: z.int(), auth_token: z.string() })
      .parse(await call(first.url, 'POST', '/api/v1/printers/', token, { name: 'Left' }))
    const headers = { authorization: `Bearer ${auth_token}` }
    const agent = await TestAgent.open(first.url, [AGENT_SUBPROTOCOL], { headers })
    const temperatures = { tool0: { actual: 215, target: 215 } }
    const tell = async (state: 'Printing' | 'Operational', event_type: string): Promise<void> => {
      const event = { event_type, id: newEventId() }
      agent.send(statusMessage(Date.now(), state, 1_795_000_000, { event, status: { temperatures } }))
      await agent.next('ack')
    }
    await tell('Printing', 'PrintStarted')
    await tell('Operational', 'PrintFailed')
    await agent.kill()
    const [print] = z
      .array(z.object({ id: z.int() }))
      .parse(await call(first.url, 'GET', `/api/v1/prints/?printer_id=${id}`, token))
    const path = `/api/v1/prints/${print?.id}/post_mortem/`

    fake.script.push({ text: ['{"cause'], ends: 'hang' })
    const lost = call(first.url, 'POST', path, token).catch(() => 'lost')
    await fake.until(() => fake.asked.length === 1)
    expect(Me.parse(await call(first.url, 'GET', ME, token)).ai_credits.ai_credit_used_current_month).toBe(1)
    first.child.kill('SIGKILL')
    expect(await lost).toBe('lost')

    const second = await start(env)
    expect(Me.parse(await call(second.url, 'GET', ME, token)).ai_credits.ai_credit_used_current_month).toBe(0)
    expect(await call(second.url, 'GET', path, token)).toMatchObject({ status: 404 })
    const said = { cause: 'Unknown', certainty: 'unclear', answer: 'It failed while it was hot [2].', advice: [] }
    fake.script.push({ text: [JSON.stringify(said)] })
    expect(await call(second.url, 'POST', path, token)).toMatchObject({
      answer: said.answer,
      moments: [{ number: 2, kind: 'temperature' }],
    })
  } finally {
    await fake.close()
  }
}, 600_000)
