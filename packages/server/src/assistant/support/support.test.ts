import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { openSmtpMailer } from '../../adapters/mail-smtp.js'
import { openGuardedOutbound } from '../../adapters/outbound-guarded.js'
import { startTestServer, type TestServer } from '../../testing.js'
import { startTestMailServer } from '../../users/testing.js'

// Letters to support over HTTP, with a real mail server and a real receiver on this machine.

const PATH = '/assistant/api/contact_support/'
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function start(options: Parameters<typeof startTestServer>[0]): Promise<TestServer> {
  const server = await startTestServer(options)
  closing.push(() => server.close())
  return server
}

const write = (server: TestServer, body: unknown, path = PATH) =>
  server.call('POST', path, { body, token: server.other.token })

async function requests(server: TestServer): Promise<unknown[]> {
  return (await server.call('GET', '/api/v1/admin/support_requests/')).json as unknown[]
}

test('a letter is mailed, with diagnostics only when the user wants it, and limited', async () => {
  const mail = await startTestMailServer()
  closing.push(() => mail.close())
  const mailer = openSmtpMailer(`smtp://127.0.0.1:${mail.port}`)
  closing.push(() => mailer.close())
  const assistant = { monthlyCredits: -1, supportAddress: 'help@farm.example' }
  const server = await start({ mailer, assistant })
  const { printer } = await server.addPrinter(server.other.id, 'My secret printer')
  await server.database.db
    .updateTable('printers')
    .set({ agent_name: 'moonraker <b>', agent_version: '2.1.0' })
    .where('id', '=', printer.id)
    .execute()

  expect(await write(server, { message: 'It <stops>' })).toMatchObject({
    status: 200,
    json: { message: 'Your message was taken. Somebody will read it.' },
  })
  const plain = await mail.next()
  expect(plain.to).toEqual(['help@farm.example'])
  expect(plain.text).toContain(`From: ${server.other.email}`)
  expect(plain.text).toContain('It &#60;stops&#62;')
  expect(plain.text).not.toContain('Diagnostics')

  await write(server, { message: 'Again', include_diagnostics: true })
  const full = await mail.next()
  expect(full.text).toContain('"agent_version": "2.1.0"')
  // What an agent made up is not passed on, nor is any name or key.
  expect(full.text).not.toMatch(/moonraker <b>|My secret printer/)
  expect(full.text).toContain('"agent": "left out"')
  await expect
    .poll(() => requests(server), { timeout: 60_000 })
    .toMatchObject([
      { message: 'Again', state: 'sent', diagnostics: expect.stringContaining('"printers"') },
      { message: 'It <stops>', state: 'sent', diagnostics: null, error: null },
    ])

  for (let i = 0; i < 3; i++) expect((await write(server, { message: 'More' })).status).toBe(200)
  const limited = await write(server, { message: 'Too much' })
  expect(limited.status).toBe(429)
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3000)
  server.clock.advance(3_600_000)
  expect((await write(server, { message: 'Later' })).status).toBe(200)
})

test('without an address it is kept, and found by administrators alone; without a message it is 400', async () => {
  const server = await start({})
  for (const body of [{}, { message: '' }, { message: ' \n' }, { message: 3 }]) {
    expect(await write(server, body, '/jusprin/api/contact_support/')).toMatchObject({
      status: 400,
      json: { issues: [{ path: 'message', message: 'Message is required' }] },
    })
  }
  expect(await requests(server)).toEqual([])
  await write(server, { message: 'Anybody there?' })
  expect(await requests(server)).toMatchObject([{ message: 'Anybody there?', state: 'kept', sent_at: null }])
  expect((await server.call('GET', '/api/v1/admin/support_requests/', { token: server.other.token })).status).toBe(403)
})

test('when nobody takes it, it is kept and sent again', async () => {
  const taken: unknown[] = []
  let status = 503
  const receiver = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      if (status === 200) taken.push(JSON.parse(text))
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  closing.push(() => new Promise((resolve) => receiver.close(resolve)))
  const { port } = receiver.address() as AddressInfo
  const server = await start({
    outbound: openGuardedOutbound({ allow: [{ host: '127.0.0.1' }] }),
    assistant: { monthlyCredits: -1, supportAddress: `http://127.0.0.1:${port}/in` },
  })
  await write(server, { message: 'Help' })
  await expect
    .poll(() => requests(server), { timeout: 60_000 })
    .toMatchObject([{ state: 'waiting', error: 'the support address answered 503' }])
  status = 200
  server.clock.advance(3_600_000)
  await expect.poll(() => requests(server), { timeout: 60_000 }).toMatchObject([{ state: 'sent', error: null }])
  const [{ id }] = (await requests(server)) as [{ id: number }]
  expect(taken).toMatchObject([{ id, message: 'Help', email: server.other.email, diagnostics: null }])
})
