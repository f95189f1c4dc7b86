import { WebSocket } from 'ws'
import { readRetryAfter } from './errors.js'
import type { LivePlatform, SocketEnd } from './live-socket.js'

const HANDSHAKE_MS = 15_000

/** Live sockets in Node, through `ws`. */
export const livePlatform: LivePlatform = {
  canSendHeaders: true,

  openSocket(url, protocol, headers, events) {
    const socket = new WebSocket(url, [protocol], {
      headers,
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
    })
    let refusal: Pick<SocketEnd, 'httpStatus' | 'retryAfterSeconds'> = {}
    let isOver = false
    socket.on('open', () => events.onOpen())
    socket.on('ping', () => events.onAlive())
    socket.on('message', (data) => {
      // Text frames arrive as one Buffer, since `binaryType` is left at its default.
      if (!isOver && Buffer.isBuffer(data)) events.onText(data.toString('utf8'))
    })
    socket.on('unexpected-response', (request, response) => {
      const { statusCode = 0, headers: answered } = response
      const retryAfterSeconds = readRetryAfter(answered['retry-after'] ?? null, Date.now())
      refusal = { httpStatus: statusCode, retryAfterSeconds }
      response.resume()
      request.destroy()
      end(1006, '')
    })
    // `close` always follows and says enough; without a listener an error would be thrown.
    socket.on('error', () => undefined)
    socket.on('close', (code, reason) => end(code, reason.toString('utf8')))

    function end(code: number, reason: string): void {
      if (isOver) return
      isOver = true
      events.onEnd({ code, reason, ...refusal })
    }

    return {
      send: (text) => socket.send(text, () => undefined),
      drop() {
        isOver = true
        if (socket.readyState === WebSocket.OPEN) socket.close(1000)
        else socket.terminate()
        // A peer that is gone answers no close frame.
        setTimeout(() => socket.terminate(), 1000).unref()
      },
    }
  },

  onWake: () => () => undefined,
}
