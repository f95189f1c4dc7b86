import { WebSocket } from 'ws'
import type { Clock } from '../../time/clock.js'
import { reasonOf } from '../../uplink/connection-reason.js'
import { frameText } from '../../uplink/frame-text.js'

/** One connection to OctoPrint's push socket. */
export interface Push {
  send(message: object): void
  close(): void
}

export interface PushListener {
  onFrame(data: string): void
  /** The connection has ended or was never made; called once. */
  onClosed(why: string): void
}

const HANDSHAKE_TIMEOUT_MS = 10_000
const PING_MS = 15_000
/** The first frame holds the whole terminal and temperature history. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024

/** Opens the push socket of the OctoPrint at `url`. A peer that answers no ping is taken for gone. */
export function openPush(url: string, clock: Clock, listener: PushListener): Push {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/sockjs/websocket`, {
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
  })
  let isClosed = false
  let isAlive = true

  const stopPings = clock.every(PING_MS, () => {
    if (socket.readyState !== WebSocket.OPEN) return
    if (!isAlive) return end('silent')
    isAlive = false
    socket.ping()
  })

  function end(why: string): void {
    if (isClosed) return
    isClosed = true
    stopPings()
    socket.terminate()
    listener.onClosed(why)
  }

  const alive = () => {
    isAlive = true
  }
  socket.on('pong', alive)
  socket.on('ping', alive)
  socket.on('message', (data, isBinary) => {
    isAlive = true
    if (!isClosed && !isBinary) listener.onFrame(frameText(data))
  })
  socket.on('error', (error) => end(reasonOf(error)))
  socket.on('close', (code) => end(`closed with ${code}`))

  return {
    send: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
    },
    close: () => {
      isClosed = true
      stopPings()
      socket.terminate()
    },
  }
}
