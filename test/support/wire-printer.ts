import { once } from 'node:events'
import { AGENT_SOCKET_PATH, AGENT_SUBPROTOCOL, flagsOf, ServerToAgent, type StateText } from '@printwarden/protocol'
import { WebSocket } from 'ws'

// A printer and its agent at the wire of a real server: it says what the test says, and obeys commands at once.

/** A connected printer. */
export interface WirePrinter {
  startPrint(filename: string): Promise<void>
  endPrint(how: 'finished' | 'cancelled' | 'failed'): Promise<void>
  close(): void
}

const EVENT_OF = { finished: 'PrintDone', cancelled: 'PrintCancelled', failed: 'PrintFailed' } as const
const STATE_AFTER: Readonly<Record<string, StateText>> = { pause: 'Paused', resume: 'Printing', cancel: 'Operational' }

/**
 * Connects an agent, idle. Resolves when the server has taken its first message.
 *
 * @param settings what it says of itself and its cameras
 */
export async function connectWirePrinter(
  url: string,
  authToken: string,
  obedience: 'obey' | 'refuse' | 'ignore',
  settings?: object,
): Promise<WirePrinter> {
  const headers = { authorization: `Bearer ${authToken}` }
  const socket = new WebSocket(url.replace('http', 'ws') + AGENT_SOCKET_PATH, [AGENT_SUBPROTOCOL], { headers })
  let print = -1
  let lastStart = 0
  let filename = 'none.gcode'
  let clock = Date.now() / 1000
  const waiting: (() => void)[] = []

  function say(text: StateText, event?: string): Promise<void> {
    // Two messages within a millisecond must still be told apart.
    clock = Math.max(clock + 0.001, Date.now() / 1000)
    const id = crypto.randomUUID()
    const file = { name: filename, path: filename, display: filename }
    const status = { _ts: clock, state: { text, flags: flagsOf(text) }, job: { file } }
    socket.send(
      JSON.stringify({
        current_print_ts: print,
        ...(event === undefined ? {} : { event: { event_type: event, id } }),
        ...(settings === undefined ? {} : { settings }),
        status,
      }),
    )
    // What is no message is answered by an error, after everything before it was applied.
    return new Promise((resolve) => {
      waiting.push(resolve)
      socket.send(JSON.stringify({ ack: { id: 'no-such-id' } }))
    })
  }

  function carryOut(id: string, cmd: string, args: Readonly<Record<string, unknown>>): void {
    if (obedience === 'ignore') return
    if (obedience === 'refuse') {
      const error = { code: 'refused', detail: 'the printer refused' }
      return socket.send(JSON.stringify({ ack: { id, error } }))
    }
    socket.send(JSON.stringify({ ack: { id, result: null } }))
    if (cmd === 'print') return void begin(String(args['filename']))
    const state = STATE_AFTER[cmd]
    if (state === undefined) return
    const event = { pause: 'PrintPaused', resume: 'PrintResumed', cancel: 'PrintCancelled' }[cmd]
    void say(state, event).then(() => {
      if (cmd === 'cancel') print = -1
    })
  }

  async function begin(name: string): Promise<void> {
    filename = name
    // Its start names a print, so no two may have the same one.
    lastStart = Math.max(lastStart + 1, Math.floor(clock))
    print = lastStart
    await say('Printing', 'PrintStarted')
  }

  socket.on('message', (data: Buffer) => {
    const frame = ServerToAgent.parse(JSON.parse(data.toString()))
    if (frame.error !== undefined) waiting.shift()?.()
    for (const { id, cmd, args } of frame.commands ?? []) carryOut(id, cmd, args)
  })
  await once(socket, 'open')
  await say('Operational')

  return {
    startPrint: begin,
    async endPrint(how) {
      await say('Operational', EVENT_OF[how])
      print = -1
      await say('Operational')
    },
    close: () => socket.terminate(),
  }
}
