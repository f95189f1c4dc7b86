import { expect, test } from 'vitest'
import { authorization, chooseChallenge, type Challenge } from './http-login.js'

const basic = { scheme: 'basic' }

/** The example of RFC 7616, section 3.9.1. */
const RFC_7616 =
  'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, ' +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", ' +
  'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, ' +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'

test.each([
  { name: 'nothing', header: '', chosen: undefined },
  { name: 'Basic', header: 'Basic realm="Camera, upstairs"', chosen: basic },
  { name: 'Basic without a realm', header: 'Basic', chosen: basic },
  { name: 'a scheme nobody knows', header: 'Bearer realm="x", error="y"', chosen: undefined },
  {
    name: 'Digest rather than Basic',
    header: 'Basic realm="a", Digest realm="a", nonce="n"',
    chosen: { hash: 'md5', counts: false },
  },
  { name: 'the stronger Digest', header: RFC_7616, chosen: { hash: 'sha256', counts: true, isSession: false } },
  { name: 'Basic where Digest lacks its nonce', header: 'Digest realm="a", Basic realm="a"', chosen: basic },
  { name: 'no Digest that covers the body', header: 'Digest realm="a", nonce="n", qop="auth-int"', chosen: undefined },
  {
    name: 'no Digest with an unknown hash',
    header: 'Digest realm="a", nonce="n", algorithm=SHA-512-256',
    chosen: undefined,
  },
  {
    name: 'without quotes',
    header: 'digest realm=cam,nonce=abc,qop=auth,algorithm=md5-sess',
    chosen: { realm: 'cam', nonce: 'abc', isSession: true },
  },
  { name: 'escaped quotes', header: 'Digest realm="the \\"bed\\"", nonce="n"', chosen: { realm: 'the "bed"' } },
  { name: 'a quote that never ends', header: 'Digest realm="a, nonce="n"', chosen: undefined },
])('of $name', ({ header, chosen }) => {
  if (chosen === undefined) expect(chooseChallenge(header)).toBeUndefined()
  else expect(chooseChallenge(header)).toMatchObject(chosen)
})

const mufasa = { user: 'Mufasa', password: 'Circle of Life' }
const request = { path: '/dir/index.html', count: 1, cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ' }

function challenge(header: string): Challenge {
  const found = chooseChallenge(header)
  if (!found) throw new Error('no challenge')
  return found
}

test('Basic', () => {
  const login = { user: 'Aladdin', password: 'open sesame' }
  expect(authorization(challenge('Basic'), login, request)).toBe('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==')
})

test.each([
  {
    name: 'RFC 7616 with SHA-256',
    header: RFC_7616,
    response: '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  },
  {
    name: 'RFC 7616 with MD5',
    header: RFC_7616.replace('algorithm=SHA-256', 'algorithm=none'),
    response: '8ca523f5e9506fed4657c9700eebdbec',
  },
])('$name', ({ header, response }) => {
  const answer = authorization(challenge(header), mufasa, request)
  expect(answer).toContain(`response="${response}"`)
  expect(answer).toContain('username="Mufasa", realm="http-auth@example.org"')
  expect(answer).toContain('qop=auth, nc=00000001')
  expect(answer).toContain('opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"')
})

test('RFC 2617, and its older form without a count', () => {
  const header = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"'
  const login = { user: 'Mufasa', password: 'Circle Of Life' }
  const asked = { path: '/dir/index.html', count: 1, cnonce: '0a4f113b' }
  expect(authorization(challenge(`${header}, qop="auth,auth-int"`), login, asked)).toContain(
    'response="6629fae49393a05397450978507c4ef1"',
  )
  const old = authorization(challenge(header), login, asked)
  expect(old).toContain('response="670fd8c2df070c60b045671b8b24ff02"')
  expect(old).not.toContain('nc=')
})

test('each request has its count, in hexadecimal', () => {
  const answer = authorization(challenge(RFC_7616), mufasa, { ...request, count: 27 })
  expect(answer).toContain('nc=0000001b')
})

test('quotes in a name cannot break out of their field', () => {
  const answer = authorization(challenge(RFC_7616), { user: 'a", x="b', password: 'p' }, request)
  expect(answer).toContain('username="a\\", x=\\"b"')
})
