import { randomUUID } from 'node:crypto'
import { editFrame, isObject, type Json, type Mutation, objectsIn } from './mutation.js'

// What a broken agent does, seen from the server: the proxy stands between our own agent and the scripted server. The last of the cases
// must notice; one before it makes something to look at.

/** Changes what the agent sends. */
const sends =
  (edit: (frame: Json) => void): Mutation['hooks'] =>
  () => ({ toServer: (text) => editFrame(text, edit) })

/** Changes what the agent receives. */
const receives =
  (edit: (frame: Json) => void): Mutation['hooks'] =>
  () => ({ toClient: (text) => editFrame(text, edit) })

/** Changes what the agent answers to commands; undefined keeps it to itself. */
const answers =
  (edit: (ack: Json, cmd: string, sent: readonly string[]) => Json | undefined): Mutation['hooks'] =>
  () => {
    const cmds = new Map<unknown, string>()
    return {
      toClient: (text) =>
        editFrame(text, ({ commands }) => {
          for (const { id, cmd } of objectsIn(commands)) if (typeof cmd === 'string') cmds.set(id, cmd)
        }),
      toServer(text) {
        let isKept = true
        const edited = editFrame(text, (frame) => {
          if (!isObject(frame['ack'])) return
          const ack = edit(frame['ack'], cmds.get(frame['ack']['id']) ?? '', [...cmds.values()])
          isKept = ack !== undefined
          frame['ack'] = ack
        })
        return isKept ? edited : undefined
      },
    }
  }

/** The same answer as if the command had been carried out. */
const asDone = ({ id }: Json): Json => ({ id, result: 'ok' })

const ORDERS = new Set(['connect', 'restart_firmware', 'exclude_object', 'answer_prompt', 'list_files', 'print_file'])

const stateOf = ({ status }: Json): Json | undefined =>
  isObject(status) && isObject(status['state']) ? status['state'] : undefined

const typeOf = ({ event }: Json): unknown => (isObject(event) ? event['event_type'] : undefined)

/** Some print with pause and resume, after which there is something to look at. */
const A_PRINT = 'agent-commands/acknowledged'

export const agentMutations: readonly Mutation[] = [
  {
    id: 'agent-without-token',
    breaks: 'the agent does not show its token',
    cases: ['agent-connection/authorization'],
    hooks: () => ({ upgrade: ({ headers }) => void delete headers['authorization'] }),
  },
  {
    id: 'agent-token-in-address',
    breaks: 'the token stands in the address',
    cases: ['agent-connection/token-not-in-address'],
    hooks: () => ({
      upgrade: (request) => {
        request.url += `?token=${request.headers['authorization']?.split(' ')[1] ?? ''}`
      },
    }),
  },
  {
    id: 'agent-idle-is-zero',
    breaks: 'an idle printer is told with current_print_ts 0',
    cases: ['agent-messages/idle'],
    hooks: sends((frame) => void (frame['current_print_ts'] === -1 && (frame['current_print_ts'] = 0))),
  },
  {
    id: 'agent-print-ts-wanders',
    breaks: 'current_print_ts changes within a print',
    cases: ['agent-prints/same-ts'],
    hooks: () => {
      let count = 0
      return {
        toServer: (text) =>
          editFrame(text, (frame) => {
            const ts = Number(frame['current_print_ts'])
            if (ts > 0) frame['current_print_ts'] = ts + (count += 1)
          }),
      }
    },
  },
  {
    id: 'agent-one-print-ts',
    breaks: 'every print has the same current_print_ts',
    cases: ['agent-prints/another-ts'],
    hooks: sends((frame) => void (Number(frame['current_print_ts']) > 0 && (frame['current_print_ts'] = 7))),
  },
  {
    id: 'agent-flag-missing',
    breaks: 'the flag resuming is missing',
    cases: ['agent-messages/first'],
    hooks: sends((frame) => {
      const flags = stateOf(frame)?.['flags']
      if (isObject(flags)) delete flags['resuming']
    }),
  },
  {
    id: 'agent-nameless',
    breaks: 'the settings do not name the agent',
    cases: ['agent-messages/settings'],
    hooks: sends(({ settings }) => {
      if (isObject(settings) && isObject(settings['agent'])) settings['agent']['name'] = ''
    }),
  },
  {
    id: 'agent-seq-stands',
    breaks: 'seq does not rise',
    cases: [A_PRINT, 'agent-all-messages/seq'],
    hooks: sends((frame) => void ('seq' in frame && (frame['seq'] = 1))),
  },
  {
    id: 'agent-time-goes-back',
    breaks: '_ts goes back',
    cases: [A_PRINT, 'agent-all-messages/ts-rises'],
    hooks: () => {
      let ts = 2_000_000_000
      return {
        toServer: (text) =>
          editFrame(text, ({ status }) => {
            if (isObject(status)) status['_ts'] = ts -= 1
          }),
      }
    },
  },
  {
    id: 'agent-started-unsaid',
    breaks: 'the message with PrintStarted has not the flag printing',
    cases: ['agent-prints/started'],
    hooks: sends((frame) => {
      const flags = stateOf(frame)?.['flags']
      if (typeOf(frame) === 'PrintStarted' && isObject(flags)) flags['printing'] = false
    }),
  },
  {
    id: 'agent-pause-without-event',
    breaks: 'a pause is told without an event',
    cases: ['agent-prints/paused'],
    hooks: sends((frame) => void (typeOf(frame) === 'PrintPaused' && delete frame['event'])),
  },
  {
    id: 'agent-cancelled-is-done',
    breaks: 'a cancelled print is told with PrintDone',
    cases: ['agent-prints/cancelled'],
    hooks: sends(({ event }) => {
      if (isObject(event) && event['event_type'] === 'PrintCancelled') event['event_type'] = 'PrintDone'
    }),
  },
  {
    id: 'agent-commands-unanswered',
    breaks: 'commands are not acknowledged',
    cases: ['agent-commands/several'],
    hooks: () => ({ toServer: (text) => (text.startsWith('{"ack"') ? undefined : text) }),
  },
  {
    id: 'agent-always-succeeds',
    breaks: 'every command is acknowledged with a result',
    cases: ['agent-commands/refused'],
    hooks: sends(({ ack }) => {
      if (!isObject(ack) || !('error' in ack)) return
      delete ack['error']
      ack['result'] = 'ok'
    }),
  },
  {
    id: 'agent-obeys-late',
    breaks: 'a command is carried out although its time is over',
    cases: ['agent-commands/expired'],
    hooks: receives(({ commands }) => {
      for (const command of objectsIn(commands)) if ('expires_in_ms' in command) command['expires_in_ms'] = 60_000
    }),
  },
  {
    id: 'agent-orders-unanswered',
    breaks: 'orders to stop, restart, list or print are not answered',
    cases: ['agent-orders/answered'],
    hooks: answers((ack, cmd) => (ORDERS.has(cmd) ? undefined : ack)),
  },
  {
    id: 'agent-answers-nobody',
    breaks: 'an answer to a question that is not asked is told to be given',
    cases: ['agent-orders/answered'],
    hooks: answers((ack, cmd) => (cmd === 'answer_prompt' ? asDone(ack) : ack)),
  },
  {
    id: 'agent-boasts',
    breaks: 'a command that the agent cannot carry out is told to be done',
    cases: ['agent-orders/unsupported'],
    hooks: answers((ack, cmd) => (cmd === 'exclude_object' ? asDone(ack) : ack)),
  },
  {
    id: 'agent-orders-late',
    breaks: 'an order is carried out although its time is over',
    cases: ['agent-orders/late'],
    hooks: receives(({ commands }) => {
      for (const command of objectsIn(commands))
        if (ORDERS.has(String(command['cmd']))) command['expires_in_ms'] = 60_000
    }),
  },
  {
    id: 'agent-files-unlisted',
    breaks: 'the answer to list_files is no list',
    cases: ['agent-orders/files'],
    hooks: answers((ack, cmd) => (cmd === 'list_files' ? asDone(ack) : ack)),
  },
  {
    id: 'agent-prints-anything',
    breaks: 'a file that leaves its folder is told to be printed',
    cases: ['agent-orders/files'],
    hooks: answers((ack, cmd) => (cmd === 'print_file' ? asDone(ack) : ack)),
  },
  {
    id: 'agent-stop-spares-the-rest',
    breaks: 'what waits behind an emergency stop is carried out after it',
    cases: ['agent-orders/emergency-stop'],
    hooks: answers((ack, _cmd, sent) => (sent.includes('emergency_stop') ? asDone(ack) : ack)),
  },
  {
    id: 'agent-download-unsaid',
    breaks: 'the state G-Code Downloading is not told',
    cases: ['agent-commands/downloading'],
    hooks: sends((frame) => {
      const state = stateOf(frame)
      if (state?.['text'] === 'G-Code Downloading') state['text'] = 'Operational'
    }),
  },
  {
    id: 'agent-file-id-lost',
    breaks: 'the id of the stored file is not told',
    cases: ['agent-commands/stored-file'],
    hooks: sends((frame) => {
      for (const object of objectsIn(frame)) delete object['service_g_code_file_id']
    }),
  },
  {
    id: 'agent-event-id-anew',
    breaks: 'an event has another id each time it is sent',
    cases: ['agent-events/sent-again'],
    hooks: sends(({ event }) => void (isObject(event) && (event['id'] = randomUUID()))),
  },
  {
    id: 'agent-age-frozen',
    breaks: 'an event does not grow older',
    cases: ['agent-events/sent-again'],
    hooks: sends(({ event }) => void (isObject(event) && (event['age_ms'] = 0))),
  },
  {
    id: 'agent-events-forgotten',
    breaks: 'an event that was not acknowledged is not sent again',
    cases: ['agent-events/sent-again'],
    hooks: () => {
      const sent = new Map<unknown, number>()
      return {
        toServer: (text, { number }) =>
          editFrame(text, (frame) => {
            if (!isObject(frame['event'])) return
            const { id } = frame['event']
            if (!sent.has(id)) sent.set(id, number)
            if (sent.get(id) !== number) delete frame['event']
          }),
      }
    },
  },
  {
    id: 'agent-events-for-ever',
    breaks: 'an event that was acknowledged is sent again',
    cases: ['agent-events/until-acknowledged'],
    hooks: receives((frame) => void delete frame['ack']),
  },
  {
    id: 'agent-pictures-without-token',
    breaks: 'pictures are uploaded without the token',
    cases: ['agent-pictures/authorization'],
    hooks: () => ({ request: ({ headers }) => void delete headers['authorization'] }),
  },
  {
    id: 'agent-picture-misnamed',
    breaks: 'the picture is not in the field pic',
    cases: ['agent-pictures/snapshot'],
    hooks: () => ({
      request: (request) => {
        request.body = Buffer.from(request.body.toString('latin1').replace('name="pic"', 'name="img"'), 'latin1')
      },
    }),
  },
  {
    id: 'agent-viewers-ignored',
    breaks: 'somebody who looks on gets no picture',
    cases: ['agent-pictures/viewing'],
    hooks: receives((frame) => void delete frame['remote_status']),
  },
  {
    id: 'agent-dies-of-news',
    breaks: 'a frame that the agent does not know ends the connection',
    cases: ['agent-messages/unknown-fields'],
    hooks: () => ({ toClient: (text) => (text.includes('something_new') ? { closeWith: 1000 } : text) }),
  },
  {
    id: 'agent-stays-away',
    breaks: 'the agent does not come back',
    cases: ['agent-connection/back-after-restart'],
    hooks: () => ({ close: () => undefined }),
  },
  {
    id: 'agent-fights',
    breaks: 'the agent comes back after it was replaced',
    cases: ['agent-refusals/replaced'],
    hooks: () => ({ close: (code) => (code === 4321 ? 1012 : code) }),
  },
  {
    id: 'agent-insists',
    breaks: 'the agent comes back after its token was revoked',
    cases: ['agent-refusals/unauthorized'],
    hooks: () => ({ close: (code) => (code === 4401 ? 1012 : code) }),
  },
]
