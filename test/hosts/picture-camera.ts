import { once } from 'node:events'
import { createServer } from 'node:http'

/** A webcam that shows what the test says: a snapshot URL on loopback. */
export interface PictureCamera {
  readonly snapshotUrl: string
  /** From now on these pictures are shown, one after another, from the start when they are through. */
  show(pictures: readonly Uint8Array[]): void
  /** How many pictures were taken. */
  taken(): number
  close(): Promise<void>
}

/** Starts the camera with its first pictures. */
export async function startPictureCamera(first: readonly Uint8Array[]): Promise<PictureCamera> {
  let pictures = first
  let next = 0
  let taken = 0
  const server = createServer((request, response) => {
    const picture = pictures[next % pictures.length]
    if (request.url !== '/snapshot' || picture === undefined) {
      response.writeHead(404).end()
      return
    }
    next += 1
    taken += 1
    response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': picture.length }).end(picture)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    snapshotUrl: `http://127.0.0.1:${address.port}/snapshot`,
    show: (now) => {
      pictures = now
      next = 0
    },
    taken: () => taken,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
