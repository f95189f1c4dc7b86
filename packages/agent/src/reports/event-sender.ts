import type { Clock } from '../time/clock.js'
import { eventMessage, type Outbox, type UnsentEvent } from './outbox.js'
import type { Uplink } from '../uplink/uplink.js'

/** How long an event waits for its acknowledgement before it is sent again on the same connection. */
const REPEAT_MS = 30_000

/** Sends unsent events: all of them on a new connection, and again while the server does not acknowledge them. */
export class EventSender {
  private sentMs = 0

  constructor(
    private readonly clock: Clock,
    /** How many pictures of a print are kept here and follow. */
    private readonly picsToCome: (printTs: number) => number = () => 0,
  ) {}

  send(uplink: Uplink, event: UnsentEvent): void {
    this.sentMs = this.clock.monotonicMs()
    uplink.sendStatus(eventMessage(event, this.clock.monotonicMs(), this.picsToCome(event.printTs)))
  }

  sendAll(uplink: Uplink, outbox: Outbox): void {
    for (const event of outbox) this.send(uplink, event)
  }

  /** To be called now and then. */
  repeat(uplink: Uplink, outbox: Outbox): void {
    if (this.clock.monotonicMs() - this.sentMs >= REPEAT_MS) this.sendAll(uplink, outbox)
  }
}
