import { randomBytes } from 'node:crypto'
import { CLOSE_CODES } from '@printwarden/protocol'
import type { Bus } from '../../ports.js'
import { agentSubject, type JanusNotice, janusSubject, type ToAgent } from '../../printers/notices.js'
import { settingsView } from '../../printers/settings-view.js'
import { SLOW_BYTES } from '../pace.js'
import type { UserFeed } from '../user-feed-flow.js'
import type { Talk, TalkSink } from './connection-socket.js'
import { guestRule, janusDialogue, MAX_JANUS_BYTES, ownerRule } from './janus-dialogue.js'
import { cameraStreams } from './guest-view.js'
import { isGuest, type Seat } from './seat.js'

/** How long the node that holds the agent's socket may take to write a frame to it. */
const HAND_OVER_TIMEOUT_MS = 2000

/** One viewer who talks to the video gateway beside the printer: signalling alone, pictures never come this way. */
export function janusFlow(bus: Bus, seat: Seat, source: UserFeed, sink: TalkSink): Talk {
  const { printer_id: printerId } = seat
  const dialogue = janusDialogue(
    `${randomBytes(9).toString('base64url')}.`,
    isGuest(seat) ? guestRule(streams) : ownerRule,
  )
  // Keeps the feed open, where a guest's cameras are looked up.
  const detach = source.attach({ changed() {}, told() {} })
  const stop = bus.subscribe(janusSubject(printerId), (notice) => pass(notice as JanusNotice))
  let isClosed = false

  function streams(): ReadonlySet<number> {
    const settings = source.feed.printers.get(printerId)?.facts.printer.settings
    return settings === undefined ? new Set() : cameraStreams(settingsView(settings))
  }

  function pass({ janus }: JanusNotice): void {
    const text = dialogue.toViewer(janus)
    if (text === undefined) return
    // A session of which a part is missing is of no use; the viewer comes again.
    if (sink.buffered() > SLOW_BYTES) return sink.giveUp()
    sink.send(text)
  }

  function receive(bytes: Buffer, isBinary: boolean): void {
    if (isBinary) return sink.close(CLOSE_CODES.notJson, 'send text')
    if (bytes.byteLength > MAX_JANUS_BYTES) return sink.close(CLOSE_CODES.tooLarge, 'a message may have 64 KiB')
    const text = bytes.toString('utf8')
    const relayed = dialogue.toGateway(text)
    if (relayed.type === 'answer') return sink.send(relayed.text)
    void forward(relayed.text, text)
  }

  async function forward(janus: string, asked: string): Promise<void> {
    const frame: ToAgent = { type: 'janus', janus }
    if ((await bus.request(agentSubject(printerId), frame, HAND_OVER_TIMEOUT_MS)) === true || isClosed) return
    sink.send(dialogue.undelivered(asked))
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    detach()
    stop()
    for (const janus of dialogue.ends()) {
      const frame: ToAgent = { type: 'janus', janus }
      bus.publish(agentSubject(printerId), frame)
    }
  }

  return { receive, tick() {}, close }
}
