import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CameraError } from '../camera.js'
import type { CameraLogin } from '../config/camera-config.js'
import { startFakeCamera, type FakeCamera } from './fake-camera.js'
import { cameraAddress } from './login.js'
import { openSnapshotCamera } from './snapshot-url.js'

let fake: FakeCamera
beforeEach(async () => {
  fake = await startFakeCamera()
})
afterEach(() => fake.close())

const login = { user: 'anna', password: 'sec:ret/é' }

const open = (url: string, given?: CameraLogin) => openSnapshotCamera(cameraAddress(url, given))

/** What the camera gives: its picture, or why not. */
async function taken(camera: ReturnType<typeof open>): Promise<string> {
  try {
    return `a picture of ${(await camera.capture(AbortSignal.timeout(5_000))).length > 100 ? 'some' : 'no'} bytes`
  } catch (error) {
    return error instanceof CameraError ? error.message : String(error)
  }
}
const A_PICTURE = 'a picture of some bytes'

describe('a login', () => {
  const asked: string[] = []
  /** Wants `challenge` answered, as `isRight` judges. */
  function guard(challenge: string, isRight: (header: string, request: IncomingMessage) => boolean): void {
    asked.length = 0
    fake.intercept = (request, response) => {
      const header = request.headers.authorization ?? ''
      asked.push(header)
      if (isRight(header, request)) return false
      response.writeHead(401, { 'www-authenticate': challenge }).end()
      return true
    }
  }
  const basic = `Basic ${Buffer.from('anna:sec:ret/é').toString('base64')}`
  const md5 = (text: string) => createHash('md5').update(text).digest('hex')
  let nonce = 'n1'
  const isDigest = (header: string, { url }: IncomingMessage) => {
    const valueOf = (name: string) => new RegExp(`${name}="?(\\w+)`).exec(header)?.[1] ?? ''
    const [count, cnonce] = [valueOf('nc'), valueOf('cnonce')]
    const secret = md5('anna:cam:sec:ret/é')
    const response = md5(`${secret}:${nonce}:${count}:${cnonce}:auth:${md5(`GET:${url}`)}`)
    return header.startsWith('Digest ') && header.includes(`response="${response}"`)
  }

  test('basic', async () => {
    guard('Basic realm="cam"', (header) => header === basic)
    const camera = open(`${fake.url}/snapshot`, login)
    expect(await taken(camera)).toBe(A_PICTURE)
    expect(await taken(camera)).toBe(A_PICTURE)
    // Asked without it first, then never again.
    expect(asked).toEqual(['', basic, basic])
  })

  test('in the URL, with its signs encoded', async () => {
    guard('Basic realm="cam"', (header) => header === basic)
    const url = new URL(`${fake.url}/snapshot`)
    url.username = 'anna'
    url.password = encodeURIComponent('sec:ret/é')
    expect(await taken(open(url.href))).toBe(A_PICTURE)
  })

  test('digest, each request counted, with the query in the path', async () => {
    guard('Digest realm="cam", nonce="n1", qop="auth", algorithm=MD5', isDigest)
    const camera = open(`${fake.url}/?action=snapshot`, login)
    expect(await taken(camera)).toBe(A_PICTURE)
    expect(await taken(camera)).toBe(A_PICTURE)
    expect(asked.map((header) => /nc=(\w+)/.exec(header)?.[1])).toEqual([undefined, '00000001', '00000002'])
    expect(asked.join()).not.toContain('sec:ret')
  })

  test('digest whose challenge has grown old', async () => {
    nonce = 'n1'
    guard('Digest realm="cam", nonce="n1", qop="auth"', isDigest)
    const camera = open(`${fake.url}/snapshot`, login)
    expect(await taken(camera)).toBe(A_PICTURE)
    nonce = 'n2'
    guard('Digest realm="cam", nonce="n2", qop="auth", stale=true', isDigest)
    expect(await taken(camera)).toBe(A_PICTURE)
    nonce = 'n1'
  })

  test.each([
    { name: 'none given', given: undefined, challenge: 'Basic realm="cam"', says: 'it wants a password' },
    { name: 'a wrong one', given: login, challenge: 'Basic realm="cam"', says: 'it refuses this user and password' },
    { name: 'a way nobody knows', given: login, challenge: 'Negotiate', says: 'neither basic nor digest' },
  ])('refused: $name', async ({ given, challenge, says }) => {
    guard(challenge, () => false)
    const said = await taken(open(`${fake.url}/snapshot`, given))
    expect(said).toContain(says)
    expect(said).not.toContain('sec')
  })
})

describe('redirects', () => {
  const redirect = (location: (url: string) => string | undefined) => {
    fake.intercept = ({ url = '' }, response) => {
      const target = location(url)
      if (target === undefined) return false
      response.writeHead(302, { location: target }).end()
      return true
    }
  }

  test('are followed', async () => {
    redirect((url) => (url === '/a' ? '/b' : url === '/b' ? `${fake.url}/snapshot` : undefined))
    expect(await taken(open(`${fake.url}/a`))).toBe(A_PICTURE)
  })

  test.each([
    { name: 'in a circle', target: '/again', says: 'sends from one address to the next' },
    { name: 'to a file', target: 'file:///etc/passwd', says: 'not of the web (file:)' },
    { name: 'to nowhere', target: 'http://', says: 'the camera answers 302' },
  ])('$name are not', async ({ target, says }) => {
    redirect(() => target)
    expect(await taken(open(`${fake.url}/a`))).toContain(says)
    expect(fake.requests).toBeLessThan(6)
  })

  test('never take the login to another host', async () => {
    const other = await startFakeCamera()
    const seen: unknown[] = []
    other.intercept = ({ headers }, response) => {
      seen.push(headers.authorization)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="give it to me"' }).end()
      return true
    }
    redirect(() => `${other.url}/snapshot`)
    expect(await taken(open(`${fake.url}/a`, login))).toContain('it wants a password')
    expect(seen).toEqual([undefined])
    await other.close()
  })
})
