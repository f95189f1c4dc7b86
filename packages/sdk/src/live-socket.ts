/** Why a socket ended. */
export interface SocketEnd {
  /** The websocket's close code; 1006 when the connection just broke or was never made. */
  readonly code: number
  readonly reason: string
  /** The HTTP status with which the server refused, where the platform tells it. */
  readonly httpStatus?: number
  /** How long to wait before the next try, as the server's answer says, in seconds; where the platform tells it. */
  readonly retryAfterSeconds?: number | undefined
}

/** What a socket reports. Nothing follows `onEnd`. */
export interface SocketEvents {
  onOpen(): void
  onText(text: string): void
  /** The server gave a sign of life below the messages. */
  onAlive(): void
  onEnd(end: SocketEnd): void
}

/** An open or opening websocket. */
export interface LiveSocket {
  send(text: string): void
  /** Ends it for good; `onEnd` is not called any more. */
  drop(): void
}

/** What the platform gives: Node's sockets can send an `Authorization` header, those of browsers cannot. */
export interface LivePlatform {
  readonly canSendHeaders: boolean
  openSocket(url: string, protocol: string, headers: Record<string, string>, events: SocketEvents): LiveSocket
  /** Calls back when the network or the machine comes back, so that nobody waits out a long delay. Returns how to stop. */
  onWake(wake: () => void): () => void
}
