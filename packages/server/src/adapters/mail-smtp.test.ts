import { afterEach, expect, test } from 'vitest'
import { startTestMailServer } from '../users/testing.js'
import { openSmtpMailer, smtpTarget } from './mail-smtp.js'

// Against a real mail server on this machine.

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function start(options: Parameters<typeof startTestMailServer>[0] = {}, userInfo = '', query = '') {
  const server = await startTestMailServer(options)
  const mailer = openSmtpMailer(`smtp://${userInfo}127.0.0.1:${server.port}${query}`)
  closers.push(
    () => server.close(),
    () => mailer.close(),
  )
  return { server, mailer }
}

const letter = {
  to: 'me@farm.example',
  subject: 'Drück: änderung',
  text: 'A line of text.\n',
  html: '<p>A line of <b>HTML</b>.</p>',
}

test('a letter arrives with both parts, from the address that the URL names', async () => {
  const { server, mailer } = await start({}, '', '?from=farm@farm.example')
  await mailer.send(letter)
  const { from, to, text } = await server.next()
  expect({ from, to }).toEqual({ from: 'farm@farm.example', to: ['me@farm.example'] })
  expect(text).toContain('A line of text.')
  expect(text).toContain('<b>HTML</b>')
  expect(text).toContain('From: Printwarden <farm@farm.example>')
})

test('a name and a password are given to the mail server', async () => {
  const seen: unknown[] = []
  const { mailer } = await start(
    {
      authOptional: false,
      allowInsecureAuth: true,
      onAuth({ username, password }, _session, done) {
        seen.push(username, password)
        done(null, { user: username })
      },
    },
    'me%40farm.example:p%40ss:word@',
  )
  await mailer.send(letter)
  expect(seen).toEqual(['me@farm.example', 'p@ss:word'])
})

test('a line break in a field makes no header of its own', async () => {
  const { server, mailer } = await start()
  await mailer.send({ ...letter, subject: 'Hello\r\nBcc: other@farm.example\r\n\r\nbody' })
  const { to, text } = await server.next()
  expect(to).toEqual(['me@farm.example'])
  expect(text).not.toMatch(/^Bcc:/m)
})

test('a mail server that refuses, or that is not there, is told', async () => {
  const { mailer, server } = await start({ onRcptTo: (_address, _session, done) => done(new Error('no such box')) })
  await expect(mailer.send(letter)).rejects.toThrow('no such box')
  await server.close()
  const gone = openSmtpMailer(`smtp://127.0.0.1:${server.port}`)
  await expect(gone.send(letter)).rejects.toThrow('ECONNREFUSED')
  await gone.close()
  closers.splice(0)
  await mailer.close()
})

test.each([
  { url: 'smtp://mail.example', host: 'mail.example', port: 587, secure: false, from: 'printwarden@mail.example' },
  { url: 'smtps://me%40a.example:x@mail.example', host: 'mail.example', port: 465, secure: true, from: 'me@a.example' },
  { url: 'smtp://[::1]:25?from=a@b.example', host: '::1', port: 25, secure: false, from: 'a@b.example' },
])('$url', ({ url, ...expected }) => {
  expect(smtpTarget(url)).toMatchObject(expected)
})
