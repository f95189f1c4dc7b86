import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** What went from the agent to the server and back, in bytes of TCP payload. Uploads of pictures are counted apart. */
export interface UplinkBytes {
  readonly status: number
  readonly pictures: number
}

/** A server that hands everything on to another, and counts. */
export interface UplinkMeter {
  readonly url: string
  bytes(): UplinkBytes
  stop(): Promise<void>
}

export async function startUplinkMeter(target: string): Promise<UplinkMeter> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let status = 0
  let pictures = 0
  const meter = createServer((inside) => {
    const outside = connect(Number(port), hostname)
    let isPictures = false
    const count = (chunk: Buffer): void => {
      if (isPictures) pictures += chunk.length
      else status += chunk.length
    }
    inside.on('data', (chunk: Buffer) => {
      // A connection that has carried a picture carries pictures.
      if (chunk.toString('latin1', 0, 40).startsWith('POST /api/v1/agent/pic/')) isPictures = true
      count(chunk)
    })
    outside.on('data', count)
    for (const socket of [inside, outside]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        inside.destroy()
        outside.destroy()
      })
    }
    inside.pipe(outside)
    outside.pipe(inside)
  })
  meter.listen(0, '127.0.0.1')
  await once(meter, 'listening')
  return {
    url: `http://127.0.0.1:${(meter.address() as AddressInfo).port}`,
    bytes: () => ({ status, pictures }),
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      meter.close()
      await once(meter, 'close')
    },
  }
}
