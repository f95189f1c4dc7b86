import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CameraError, openCamera, type Camera } from '../camera.js'
import type { CameraSource } from '../config/camera-config.js'
import type { SceneView } from '../host.js'
import { readPicture } from './picture.js'

let jpeg: Buffer
beforeAll(async () => {
  jpeg = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
})

const idle = { printTs: () => -1, scene: () => ({ printing: false, progress: 0, failure: 0 }) }
const open = (source: CameraSource): Promise<Camera> => openCamera(source, idle)
const patience = (ms = 5_000) => AbortSignal.timeout(ms)

async function failureOf(picture: Promise<unknown>): Promise<string> {
  const error = await picture.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(CameraError)
  return error instanceof CameraError ? error.message : ''
}

/** A camera's web server that does whatever the test wants. */
let http: Server
let respond: (response: ServerResponse) => void
let url: string
beforeEach(async () => {
  http = createServer((_request, response) => {
    response.on('error', () => undefined)
    respond(response)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`
})
afterEach(async () => {
  http.closeAllConnections()
  http.close()
  await once(http, 'close')
})

describe('a snapshot URL', () => {
  test('gives the picture as it is', async () => {
    respond = (response) => response.writeHead(200, { 'content-type': 'image/jpeg' }).end(jpeg)
    const camera = await open({ type: 'snapshot', url })
    expect(Buffer.compare(Buffer.from(await camera.capture(patience())), jpeg)).toBe(0)
  })

  test.each([
    { status: 404, says: 'the camera answers 404' },
    { status: 401, says: 'it wants a password' },
    { status: 500, says: 'the camera answers 500' },
    { status: 204, says: 'the camera answers 204' },
  ])('answering $status is told', async ({ status, says }) => {
    respond = (response) => response.writeHead(status).end('sorry')
    const camera = await open({ type: 'snapshot', url })
    expect(await failureOf(camera.capture(patience()))).toContain(says)
  })

  test('a refused connection is told', async () => {
    const camera = await open({ type: 'snapshot', url: 'http://127.0.0.1:9/' })
    expect(await failureOf(camera.capture(patience()))).toBe('the camera does not answer (connection refused)')
  })

  test('a connection that breaks in the picture is told', async () => {
    respond = (response) => {
      response.writeHead(200, { 'content-length': jpeg.length })
      response.write(jpeg.subarray(0, 100), () => response.destroy())
    }
    const camera = await open({ type: 'snapshot', url })
    expect(await failureOf(camera.capture(patience()))).toMatch(/does not answer/)
  })

  test('a camera that hangs is given up', async () => {
    respond = () => undefined
    const camera = await open({ type: 'snapshot', url })
    expect(await failureOf(camera.capture(patience(150)))).toBe('the camera takes too long')
  })

  test('a camera that hangs within the picture is given up', async () => {
    respond = (response) => void response.writeHead(200).write(jpeg.subarray(0, 100))
    const camera = await open({ type: 'snapshot', url })
    expect(await failureOf(camera.capture(patience(150)))).toBe('the camera takes too long')
  })

  test('a body without end is cut off, in bounded memory', async () => {
    let sent = 0
    respond = (response) => {
      const block = Buffer.alloc(1024 * 1024, 1)
      const more = (): void => {
        while (!response.destroyed && sent < 200 * block.length && response.write(block)) sent += block.length
        if (!response.destroyed) response.once('drain', more)
      }
      response.writeHead(200, { 'content-type': 'image/jpeg' })
      more()
    }
    const camera = await open({ type: 'snapshot', url })
    expect(await failureOf(camera.capture(patience(15_000)))).toMatch(/too large|maxContentLength/)
    expect(sent).toBeLessThan(60 * 1024 * 1024)
  })
})

describe('an MJPEG stream', () => {
  const stream = (contentType: string, ...chunks: (Buffer | string)[]) => {
    respond = (response) => {
      response.writeHead(200, { 'content-type': contentType })
      for (const chunk of chunks) response.write(chunk)
    }
  }
  const capture = async () => (await open({ type: 'stream', url })).capture(patience())
  const isThePicture = (bytes: Uint8Array) => expect(Buffer.compare(Buffer.from(bytes), jpeg)).toBe(0)
  const head = (boundary: string, ...headers: string[]) => `${[boundary, ...headers].join('\r\n')}\r\n\r\n`

  test('with lengths', async () => {
    stream(
      'multipart/x-mixed-replace; boundary=frame',
      head('--frame', 'Content-Type: image/jpeg', `Content-Length: ${jpeg.length}`),
      jpeg,
    )
    isThePicture(await capture())
  })

  test('without lengths: the picture ends at the next boundary', async () => {
    stream(
      'multipart/x-mixed-replace; boundary=frame',
      head('--frame', 'Content-Type: image/jpeg'),
      jpeg,
      '\r\n--frame\r\nContent-Type: image/jpeg\r\n\r\n',
    )
    isThePicture(await capture())
  })

  test('byte by byte', async () => {
    respond = (response) => {
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=b' })
      const bytes = Buffer.concat([Buffer.from(head('--b')), jpeg, Buffer.from('\r\n--b\r\n')])
      void (async () => {
        for (const byte of bytes) {
          response.write(Buffer.from([byte]))
          await new Promise(setImmediate)
        }
      })()
    }
    isThePicture(await capture())
  })

  test.each([
    { name: 'a quoted boundary', type: 'multipart/x-mixed-replace; boundary="my frame"', line: '--my frame' },
    {
      name: 'a boundary declared with its dashes',
      type: 'multipart/x-mixed-replace;boundary=--jpgboundary',
      line: '--jpgboundary',
    },
    {
      name: 'a boundary with more dashes than declared',
      type: 'multipart/x-mixed-replace; boundary=--b',
      line: '----b',
    },
    { name: 'no boundary declared', type: 'multipart/x-mixed-replace', line: '--whatever' },
    { name: 'an empty line before the first boundary', type: 'multipart/x-mixed-replace; boundary=b', line: '\r\n--b' },
  ])('$name', async ({ type, line }) => {
    stream(
      type,
      head(line, 'Content-Type: image/jpeg', `content-length:${jpeg.length}`),
      jpeg,
      `\r\n${line.trim()}\r\n`,
    )
    isThePicture(await capture())
  })

  test('bare line feeds instead of line ends', async () => {
    stream('multipart/x-mixed-replace; boundary=b', `--b\nContent-Type: image/jpeg\n\n`, jpeg, '\n--b\n')
    isThePicture(await capture())
  })

  test('a length of 0 is a camera that does not know it', async () => {
    stream('multipart/x-mixed-replace; boundary=b', head('--b', 'Content-Length: 0'), jpeg, '\r\n--b\r\n')
    isThePicture(await capture())
  })

  test('an address that gives single pictures', async () => {
    respond = (response) => response.writeHead(200, { 'content-type': 'image/jpeg' }).end(jpeg)
    isThePicture(await capture())
  })

  test('a web page instead of a stream', async () => {
    respond = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'.repeat(20_000))
    expect(await failureOf(capture())).toBe('the answer is no MJPEG stream')
  })

  test('a stream that ends too early', async () => {
    respond = (response) =>
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=b' }).end(head('--b'))
    expect(await failureOf(capture())).toBe('the stream ended before its first picture')
  })

  test('a length beyond all pictures', async () => {
    stream('multipart/x-mixed-replace; boundary=b', head('--b', 'Content-Length: 999999999'), jpeg)
    expect(await failureOf(capture())).toBe('the picture is too large')
  })

  test('a stream that hangs is given up', async () => {
    stream('multipart/x-mixed-replace; boundary=b', head('--b', `Content-Length: ${jpeg.length}`), jpeg.subarray(0, 50))
    const camera = await open({ type: 'stream', url })
    expect(await failureOf(camera.capture(patience(150)))).toBe('the camera takes too long')
  })
})

describe('a folder of pictures', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pictures-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  async function openFolder(...names: string[]) {
    for (const name of names) await writeFile(join(folder, name), name)
    let printTs = -1
    const camera = await openCamera({ type: 'pictures', folder }, { ...idle, printTs: () => printTs })
    return {
      next: async () => Buffer.from(await camera.capture(patience())).toString(),
      print: (ts: number) => {
        printTs = ts
      },
    }
  }

  test('is played once in each print, in the order of the names, and its last picture stays', async () => {
    const { next, print } = await openFolder('10.jpg', '9.jpg', 'notes.txt', '2.JPEG')
    expect([await next(), await next()]).toEqual(['2.JPEG', '2.JPEG'])
    print(5)
    expect([await next(), await next(), await next(), await next()]).toEqual(['2.JPEG', '9.jpg', '10.jpg', '10.jpg'])
    print(-1)
    expect(await next()).toBe('2.JPEG')
    print(6)
    expect([await next(), await next()]).toEqual(['2.JPEG', '9.jpg'])
  })

  test('grows while it is played', async () => {
    const { next, print } = await openFolder('1.jpg')
    print(5)
    await next()
    await writeFile(join(folder, '2.jpg'), '2.jpg')
    expect(await next()).toBe('2.jpg')
  })

  test('that is empty or missing is told', async () => {
    const { next } = await openFolder('notes.txt')
    expect(await failureOf(next())).toContain('has no pictures')
    const gone = await open({ type: 'pictures', folder: join(folder, 'gone') })
    expect(await failureOf(gone.capture(patience()))).toContain('cannot be read')
  })
})

test('a generated picture is a JPEG that follows the print', async () => {
  let scene: SceneView = { printing: true, progress: 0.2, failure: 0, seed: 3 }
  const camera = await openCamera({ type: 'generated' }, { ...idle, scene: () => scene })
  const good = await camera.capture(patience())
  expect(readPicture(good)).toMatchObject({ format: 'jpeg', size: { width: expect.any(Number) } })
  scene = { ...scene, progress: 0.6, failure: 0.8, failedAt: 0.4 }
  const bad = await camera.capture(patience())
  expect(Buffer.compare(Buffer.from(good), Buffer.from(bad))).not.toBe(0)
})
