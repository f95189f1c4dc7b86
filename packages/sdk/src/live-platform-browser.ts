import type { LivePlatform } from './live-socket.js'

/** Live sockets in browsers, through their own `WebSocket`. */
export const livePlatform: LivePlatform = {
  canSendHeaders: false,

  openSocket(url, protocol, _headers, events) {
    const socket = new WebSocket(url, [protocol])
    let isOver = false
    socket.addEventListener('open', () => {
      if (!isOver) events.onOpen()
    })
    socket.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (!isOver && typeof event.data === 'string') events.onText(event.data)
    })
    socket.addEventListener('close', (event) => {
      if (isOver) return
      isOver = true
      events.onEnd({ code: event.code, reason: event.reason })
    })
    return {
      send(text) {
        if (socket.readyState === WebSocket.OPEN) socket.send(text)
      },
      drop() {
        isOver = true
        socket.close()
      },
    }
  },

  onWake(wake) {
    const target = typeof window === 'undefined' ? undefined : window
    if (target === undefined) return () => undefined
    const onVisible = () => {
      if (target.document.visibilityState === 'visible') wake()
    }
    target.addEventListener('online', wake)
    target.document.addEventListener('visibilitychange', onVisible)
    return () => {
      target.removeEventListener('online', wake)
      target.document.removeEventListener('visibilitychange', onVisible)
    }
  },
}
