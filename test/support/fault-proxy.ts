import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** What the network between two programs does. */
export type Weather =
  /** Everything passes. */
  | 'fair'
  /** The cable is out: nobody answers, open connections break. */
  | 'out'
  /** Connections are made and stay, and nothing passes any more: what a dead router looks like. */
  | 'silent'
  /** What goes to the server arrives; what it answers does not. */
  | 'no answers'

/** A TCP proxy that breaks things. */
export interface FaultProxy {
  readonly url: string
  set(weather: Weather): void
  /** Breaks all connections now, in the middle of whatever they carry. */
  cut(): void
  /** From now on each connection breaks once so many bytes have gone to the server. */
  cutAfter(bytes: number | undefined): void
  /** How many connections were broken so far. */
  cuts(): number
  close(): Promise<void>
}

/** Opens a proxy to the port of a server on this machine, fair at first. The server may be started anew behind it. */
export async function openFaultProxy(serverPort: number): Promise<FaultProxy> {
  let weather: Weather = 'fair'
  let cutAfterBytes: number | undefined
  let cuts = 0
  const pairs = new Set<{ inside: Socket; outside: Socket }>()

  function breakPair(pair: { inside: Socket; outside: Socket }): void {
    if (!pairs.delete(pair)) return
    cuts += 1
    pair.inside.resetAndDestroy()
    pair.outside.resetAndDestroy()
  }

  const proxy = createServer((inside) => {
    if (weather === 'out') return void inside.resetAndDestroy()
    const outside = connect(serverPort, '127.0.0.1')
    const pair = { inside, outside }
    pairs.add(pair)
    let sent = 0
    inside.on('data', (bytes) => {
      if (weather === 'silent') return
      sent += bytes.length
      if (cutAfterBytes !== undefined && sent > cutAfterBytes) return breakPair(pair)
      outside.write(bytes)
    })
    outside.on('data', (bytes) => {
      if (weather === 'fair') inside.write(bytes)
    })
    for (const [one, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      one.on('error', () => {})
      one.on('end', () => other.end())
      one.on('close', () => {
        pairs.delete(pair)
        other.destroy()
      })
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  const cut = (): void => {
    for (const pair of pairs) breakPair(pair)
  }

  return {
    url: `http://127.0.0.1:${port}`,
    set: (next) => {
      weather = next
      if (next === 'out') cut()
    },
    cut,
    cutAfter: (bytes) => {
      cutAfterBytes = bytes
    },
    cuts: () => cuts,
    close: async () => {
      cut()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
