import { WebSocket } from 'ws'
import type { Clock } from '../../time/clock.js'
import { reasonOf } from '../../uplink/connection-reason.js'
import { frameText } from '../../uplink/frame-text.js'
import { HostError } from '../../host.js'
import { readMessage } from './messages.js'

/** One connection to Moonraker's JSON-RPC websocket. */
export interface Rpc {
  /**
   * Calls a method.
   *
   * @param timeoutMs how long the answer may take; without it, as long as the connection lasts, which is right for all that
   *   waits for G-code
   * @throws {HostError} `unauthorized`, `rejected` with Moonraker's own words, or `unreachable` when the connection ends
   */
  call(method: string, params?: object, timeoutMs?: number): Promise<unknown>
  close(): void
}

export interface RpcListener {
  onOpen(): void
  onNotice(method: string, params: readonly unknown[]): void
  /** The connection has ended or was never made; called once. */
  onClosed(why: string): void
}

interface Pending {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: HostError) => void
}

const HANDSHAKE_TIMEOUT_MS = 10_000
const PING_MS = 15_000
/** The largest message is the list of objects with a long exclude_object, some 100 kB. */
const MAX_FRAME_BYTES = 8 * 1024 * 1024

/** Opens the websocket of the Moonraker at `url`. A peer that answers no ping is taken for gone. */
export function openRpc(url: string, token: string | undefined, clock: Clock, listener: RpcListener): Rpc {
  const query = token === undefined ? '' : `?token=${encodeURIComponent(token)}`
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/websocket${query}`, {
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
  })
  const pending = new Map<number, Pending>()
  let lastId = 0
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
    shut(why)
    listener.onClosed(why)
  }

  function shut(why: string): void {
    isClosed = true
    stopPings()
    socket.terminate()
    for (const { reject } of pending.values()) reject(new HostError('unreachable', `Moonraker at ${url} (${why})`))
    pending.clear()
  }

  function take(text: string): void {
    const message = readMessage(text)
    if (message.type === 'notice') return listener.onNotice(message.method, message.params)
    if (message.type === 'other') return
    const waiting = pending.get(message.id)
    pending.delete(message.id)
    if (message.type === 'answer') waiting?.resolve(message.result)
    else waiting?.reject(failureOf(url, message.message))
  }

  const alive = () => {
    isAlive = true
  }
  socket.on('open', () => {
    if (!isClosed) listener.onOpen()
  })
  socket.on('pong', alive)
  socket.on('ping', alive)
  socket.on('message', (data, isBinary) => {
    isAlive = true
    if (!isClosed && !isBinary) take(frameText(data))
  })
  socket.on('error', (error) => end(reasonOf(error)))
  socket.on('close', (code) => end(`closed with ${code}`))

  return {
    call: (method, params, timeoutMs) => {
      if (isClosed || socket.readyState !== WebSocket.OPEN) {
        return Promise.reject(new HostError('unreachable', `Moonraker at ${url} (not connected)`))
      }
      lastId += 1
      const id = lastId
      return new Promise((resolve, reject) => {
        const stopTimer =
          timeoutMs === undefined
            ? () => undefined
            : clock.after(timeoutMs, () => {
                pending.delete(id)
                reject(new HostError('unreachable', `Moonraker at ${url} (no answer to ${method})`))
              })
        pending.set(id, {
          resolve: (result) => {
            stopTimer()
            resolve(result)
          },
          reject: (error) => {
            stopTimer()
            reject(error)
          },
        })
        socket.send(JSON.stringify({ jsonrpc: '2.0', method, ...(params ? { params } : {}), id }))
      })
    },
    close: () => {
      if (!isClosed) shut('closed')
    },
  }
}

function failureOf(url: string, message: string): HostError {
  if (/^(unauthorized|invalid api key)$/i.test(message)) return unauthorized(url)
  return new HostError('rejected', message || 'Moonraker refused without a reason')
}

/** The error of a Moonraker that wants an API key, or another one. */
export function unauthorized(url: string): HostError {
  return new HostError('unauthorized', `Moonraker at ${url} (it wants an API key, or another one)`)
}
