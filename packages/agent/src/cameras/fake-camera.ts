import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'

/** How a camera misbehaves. `none` is a camera that is well. */
export type CameraFault =
  | 'none'
  | 'freeze'
  | 'http500'
  | 'truncate'
  | 'hang'
  | 'slow'
  | 'stall'
  | 'page'
  | 'wrong type'
  | 'tiny'
  | 'huge'
  | 'endless'
  | 'wrong length'
  | 'cut off'

export interface FakeCamera {
  /** `…/snapshot` gives one picture, `…/stream` an MJPEG stream, as mjpg-streamer does. */
  readonly url: string
  fault: CameraFault
  /** How many requests there were, and how many streams are open now. */
  requests: number
  streams: number
  /** The number of the picture that is given now; it is in its pixels. */
  frame: number
  /** Answers a request instead of the camera; false leaves it to the camera. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean
  close(): Promise<void>
}

const FRAME_MS = 50

/** A camera's web server that does what the test says. Each picture differs from the one before. */
export async function startFakeCamera(): Promise<FakeCamera> {
  const pictures = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((n) => plainPicture(64, 48, 20 + n * 25)))
  const tiny = await plainPicture(1, 1, 100)
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    camera.requests += 1
    if (!camera.intercept(request, response)) void serve(request, response).catch(() => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ticks = setInterval(() => {
    if (camera.fault !== 'freeze') camera.frame += 1
  }, FRAME_MS)

  const camera: FakeCamera = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: 'none',
    requests: 0,
    streams: 0,
    frame: 0,
    intercept: () => false,
    close: async () => {
      clearInterval(ticks)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  function picture(): Buffer {
    const now = pictures[camera.frame % pictures.length] ?? Buffer.alloc(0)
    if (camera.fault === 'tiny') return tiny
    if (camera.fault === 'huge') return pretending(now, 60_000, 60_000)
    if (camera.fault === 'page') return Buffer.from('<!doctype html><title>Login</title>')
    if (camera.fault === 'truncate') return now.subarray(0, now.length / 2)
    return now
  }

  async function serve({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (camera.fault === 'hang') return
    if (camera.fault === 'http500') return void response.writeHead(500).end('camera fault')
    if (url.includes('stream')) return stream(response)
    if (camera.fault === 'slow') await sleep(400)
    const bytes = picture()
    const isCutOff = camera.fault === 'cut off'
    response.writeHead(200, {
      'content-type': camera.fault === 'wrong type' ? 'text/plain' : 'image/jpeg',
      ...(camera.fault === 'endless' ? {} : { 'content-length': bytes.length }),
    })
    if (camera.fault === 'endless') return endless(response)
    if (isCutOff) return void response.write(bytes.subarray(0, 40), () => response.destroy())
    response.end(bytes)
  }

  async function stream(response: ServerResponse): Promise<void> {
    camera.streams += 1
    response.on('close', () => {
      camera.streams -= 1
    })
    const type = camera.fault === 'page' ? 'text/html' : 'multipart/x-mixed-replace; boundary=frame'
    response.writeHead(200, { 'content-type': type })
    while (!response.destroyed) {
      if (camera.fault === 'endless') return endless(response)
      if (camera.fault === 'cut off') return void response.destroy()
      if (camera.fault !== 'stall') response.write(part(picture()))
      await sleep(FRAME_MS)
    }
  }

  function part(bytes: Buffer): Buffer {
    if (camera.fault === 'page') return bytes
    const length = camera.fault === 'wrong length' ? bytes.length - 30 : bytes.length
    const head = `--frame\r\nContent-Type: image/jpeg\r\nContent-Length: ${length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n')])
  }

  return camera
}

/** Sends without end, as fast as it is taken. */
async function endless(response: ServerResponse): Promise<void> {
  const block = Buffer.alloc(1024 * 1024, 1)
  function* blocks() {
    for (;;) yield block
  }
  await pipeline(Readable.from(blocks()), response)
}

/** A picture of one grey. */
export function plainPicture(width: number, height: number, grey: number): Promise<Buffer> {
  const background = { r: grey, g: grey, b: grey }
  return sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer()
}

/** The JPEG with another size in its frame header, whose data is then too short by far. */
export function pretending(jpeg: Buffer, width: number, height: number): Buffer {
  const bytes = Buffer.from(jpeg)
  const at = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  bytes.writeUInt16BE(height, at + 5)
  bytes.writeUInt16BE(width, at + 7)
  return bytes
}
