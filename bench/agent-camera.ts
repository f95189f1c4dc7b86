import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { webcamPicture } from './pictures.js'

/** A webcam of 1280×720 on loopback: `/snapshot`, and `/stream` of ten pictures a second. A head moves through its pictures. */
export interface BenchCamera {
  readonly url: string
  stop(): Promise<void>
}

const PICTURES = 6
const STREAM_MS = 100

export async function startBenchCamera(): Promise<BenchCamera> {
  const head = { input: { create: { width: 160, height: 160, channels: 3 as const, background: 'black' } }, top: 300 }
  const pictures: Buffer[] = []
  for (let index = 0; index < PICTURES; index += 1) {
    const scene = sharp(await webcamPicture(1280, 720, index)).composite([{ ...head, left: 100 + index * 160 }])
    pictures.push(await scene.jpeg({ quality: 80 }).toBuffer())
  }
  let shown = 0
  const streams = new Set<ServerResponse>()
  const next = (): Buffer => pictures[(shown += 1) % PICTURES] ?? Buffer.alloc(0)
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    if (request.url !== '/stream') {
      const picture = next()
      response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': picture.length }).end(picture)
      return
    }
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' })
    streams.add(response)
    response.on('close', () => streams.delete(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ticks = setInterval(() => {
    for (const response of streams) {
      const picture = next()
      response.write(`--frame\r\nContent-Type: image/jpeg\r\nContent-Length: ${picture.length}\r\n\r\n`)
      response.write(picture)
      response.write('\r\n')
    }
  }, STREAM_MS)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      clearInterval(ticks)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
