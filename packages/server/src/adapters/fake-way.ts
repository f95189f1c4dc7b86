import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server on which nothing arrives while it is held up, as when that server hangs. */
export interface FakeWay {
  /** As the server's, but by this way. */
  readonly url: string
  /** Holds up the connections that stand; new ones are served. */
  holdUp(): void
  letGo(): void
  close(): void
}

/** Opens a way to the server of `url`, which names its port. */
export async function openFakeWay(url: string): Promise<FakeWay> {
  const target = new URL(url)
  const { hostname, port } = target
  const comers = new Set<Socket>()
  const way = createServer((comer) => {
    const onward = connect(Number(port), hostname)
    comers.add(comer)
    comer.on('error', () => onward.destroy()).on('close', () => comers.delete(comer))
    onward.on('error', () => comer.destroy())
    comer.pipe(onward).pipe(comer)
  })
  await once(way.listen(0, '127.0.0.1'), 'listening')
  target.host = `127.0.0.1:${(way.address() as AddressInfo).port}`
  return {
    url: target.href,
    holdUp: () => comers.forEach((comer) => comer.pause()),
    letGo: () => comers.forEach((comer) => comer.resume()),
    close() {
      way.close()
      for (const comer of comers) comer.destroy()
    },
  }
}
