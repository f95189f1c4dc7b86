import { once } from 'node:events'
import { WebSocket } from 'ws'
import { addressOf, requireLoopback } from './loopback.js'

/** A subscriber of the live websocket that notes how old what it sees is. */
export interface Dashboard {
  /** Milliseconds from the agent's sending of a status until it was seen here; the newest of several that came together. */
  readonly ages: number[]
  /** Frames that showed a status. */
  seen(): number
  forget(): void
  close(): Promise<void>
}

/** Dashboards have addresses of their own, away from those of agents. */
const FIRST_ADDRESS = 50_000
const MS = 1000

interface Shown {
  readonly printer?: { readonly changes: { readonly status?: { readonly _ts?: number } | null } }
}

/** Subscribes to some printers, or all of the user's; resolves when the first state is there. */
export async function openDashboard(
  url: string,
  token: string,
  printers: 'all' | readonly number[],
  index: number,
): Promise<Dashboard> {
  const base = requireLoopback(url).origin.replace('http', 'ws')
  const socket = new WebSocket(`${base}/ws/live/`, 'live.v1', {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    localAddress: addressOf(FIRST_ADDRESS + index),
  })
  await once(socket, 'open')
  const ages: number[] = []
  let count = 0
  const first = once(socket, 'message')
  socket.send(JSON.stringify({ subscribe: { printers } }))
  // The floor has no state to tell.
  if (token !== '') await first
  socket.on('message', (data: Buffer) => {
    const { printer } = JSON.parse(data.toString()) as Shown
    const sentAt = printer?.changes.status?._ts
    if (sentAt === undefined) return
    count += 1
    ages.push(Date.now() - sentAt * MS)
  })
  return {
    ages,
    seen: () => count,
    forget() {
      ages.length = 0
      count = 0
    },
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return
      socket.terminate()
      await once(socket, 'close')
    },
  }
}
