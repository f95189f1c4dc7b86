import { LIVE_SOCKET_PATH, LIVE_SUBPROTOCOL, LiveMessage } from '#protocol'
import { Socket } from './socket.js'

type MessageOf<Key extends string> = Extract<LiveMessage, Record<Key, unknown>>
type Changes = MessageOf<'printer'>['printer']['changes']

export interface LiveOptions {
  readonly signal: AbortSignal
  readonly token?: string
  readonly ticket?: string
}

/** A subscriber of live updates, reduced to its socket. */
export class LiveClient {
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  /** @throws {UpgradeRefused} */
  static async open(baseUrl: string, { signal, token, ticket }: LiveOptions): Promise<LiveClient> {
    const url = new URL(LIVE_SOCKET_PATH, baseUrl.replace(/^http/, 'ws'))
    if (ticket !== undefined) url.searchParams.set('ticket', ticket)
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return new LiveClient(await Socket.open(url.href, { signal, headers, protocols: [LIVE_SUBPROTOCOL] }))
  }

  get protocol(): string {
    return this.#socket.protocol
  }

  send(request: unknown): void {
    this.#socket.send(JSON.stringify(request))
  }

  sendText(text: string): void {
    this.#socket.send(text)
  }

  /** The next frame with this key. */
  take<Key extends 'state' | 'printer' | 'removed' | 'command' | 'event' | 'error'>(
    key: Key,
  ): Promise<MessageOf<Key>[Key]> {
    return this.#socket.take(`a frame with "${key}"`, (frame) => valueOf(LiveMessage.parse(frame), key))
  }

  /** Follows the changes of one printer until one of them satisfies `isIt`. */
  async takeChange(printerId: number, isIt: (changes: Changes) => boolean): Promise<Changes> {
    for (;;) {
      const { id, changes } = await this.take('printer')
      if (id === printerId && isIt(changes)) return changes
    }
  }

  /** The code with which the server closes the socket. */
  takeClose(): Promise<number> {
    return this.#socket.takeClose()
  }

  close(): Promise<void> {
    return this.#socket.close()
  }
}

function valueOf<Key extends string>(message: LiveMessage, key: Key): MessageOf<Key>[Key] | undefined {
  return key in message ? (message as MessageOf<Key>)[key] : undefined
}
