import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** One address for several servers, as a load balancer gives: each connection goes to the next one that takes it. */
export interface Balancer {
  readonly url: string
  /** Where connections go from now on. */
  setPorts(ports: readonly number[]): void
  close(): Promise<void>
}

export async function openBalancer(): Promise<Balancer> {
  let ports: readonly number[] = []
  let turn = 0
  const open = new Set<Socket>()

  function hold(socket: Socket): void {
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => open.delete(socket))
  }

  /** The next server that takes a connection; undefined when none does. */
  async function connectNext(): Promise<Socket | undefined> {
    for (const _ of ports) {
      turn += 1
      const socket = connect(ports[turn % ports.length] ?? 0, '127.0.0.1')
      const isTaken = await Promise.race([
        once(socket, 'connect').then(
          () => true,
          () => false,
        ),
        once(socket, 'close').then(() => false),
      ])
      if (isTaken) return socket
    }
    return undefined
  }

  const server = createServer((inside) => {
    hold(inside)
    inside.pause()
    void connectNext().then((outside) => {
      if (outside === undefined) return inside.resetAndDestroy()
      hold(outside)
      inside.pipe(outside)
      outside.pipe(inside)
      inside.once('close', () => outside.destroy())
      outside.once('close', () => inside.destroy())
      inside.resume()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    setPorts(next) {
      ports = next
    },
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
