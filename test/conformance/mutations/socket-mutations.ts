import { editFrame, editJson, isObject, type Json, type Mutation, objectsIn, problem } from './mutation.js'

// Actions, the agent's websocket, and the live one.

const ACTION = /\/printers\/\d+\/(cancel_print|pause_print|resume_print|mute_current_print|acknowledge_alert)\/$/

const statusOf = (frame: Json): Json | undefined => (isObject(frame['status']) ? frame['status'] : undefined)
const tsOf = (frame: Json): number => Number(statusOf(frame)?.['_ts'] ?? Number.NaN)

/** Changes what agents send. */
const fromAgent = (edit: (frame: Json) => void) => ({
  toServer: (text: string, { kind }: { kind: string }) => (kind === 'agent' ? editFrame(text, edit) : text),
})

/** Changes what agents receive. */
const toAgent = (edit: (frame: Json) => void) => ({
  toClient: (text: string, { kind }: { kind: string }) => (kind === 'agent' ? editFrame(text, edit) : text),
})

/** The event of one type reaches the server as another. */
const takesFor = (type: string, other: string) =>
  fromAgent(({ event }) => {
    if (isObject(event) && event['event_type'] === type) event['event_type'] = other
  })

const succeeded =
  (value: boolean): Mutation['hooks'] =>
  () => ({
    answer: (answer, { path }) => {
      if (!ACTION.test(path)) return
      editJson(answer, (body) => (isObject(body) && 'succeeded' in body ? { ...body, succeeded: value } : body))
    },
  })

/** Lives of live sockets: frames with this key are not sent. */
const withoutLive = (key: string) => ({
  toClient: (text: string, { kind }: { kind: string }) =>
    kind === 'live' && text.startsWith(`{"${key}"`) ? undefined : text,
})

export const socketMutations: readonly Mutation[] = [
  {
    id: 'always-succeeded',
    breaks: 'succeeded is always true',
    cases: ['printer-actions/idle-pause-print', 'printer-actions/no-alert'],
    hooks: succeeded(true),
  },
  {
    id: 'never-succeeded',
    breaks: 'succeeded is always false',
    cases: ['printer-actions/sent-pause', 'printer-actions/mute'],
    hooks: succeeded(false),
  },
  {
    id: 'action-lacks-printer',
    breaks: 'the answer to an action lacks the printer',
    cases: ['printer-actions/sent-cancel', 'printer-actions/idle-cancel-print'],
    hooks: () => ({
      answer: (answer, { path }) => {
        if (ACTION.test(path)) editJson(answer, (body) => isObject(body) && void delete body['printer'])
      },
    }),
  },
  {
    id: 'action-by-get',
    breaks: 'actions are carried out by GET too',
    cases: ['printer-actions/by-get'],
    hooks: () => ({
      request: (request) => {
        if (request.method === 'GET' && ACTION.test(request.path)) request.method = 'POST'
      },
    }),
  },
  {
    id: 'idle-action-is-409',
    breaks: 'an action on a printer that prints nothing is 409',
    cases: ['printer-actions/idle-pause-print'],
    hooks: () => ({
      answer: (answer, { path }) => {
        if (ACTION.test(path) && answer.body.includes('"succeeded":false'))
          Object.assign(answer, problem(409, 'conflict'))
      },
    }),
  },
  {
    id: 'mute-unmutes',
    breaks: 'mute_current_print without a query turns detection on',
    cases: ['printer-actions/mute'],
    hooks: () => ({
      request: (request) => {
        if (request.path.endsWith('/mute_current_print/') && !request.query.has('mute_alert')) {
          request.url = `${request.path}?mute_alert=false`
        }
      },
    }),
  },
  {
    id: 'command-not-sent',
    breaks: 'a command is said to be sent, but does not reach the agent',
    cases: ['printer-actions/sent-pause'],
    hooks: () => toAgent((frame) => void delete frame['commands']),
  },
  {
    id: 'pause-for-cancel',
    breaks: 'the agent gets pause when the user wants to cancel',
    cases: ['printer-actions/sent-cancel'],
    hooks: () =>
      toAgent(({ commands }) => {
        for (const command of objectsIn(commands)) if (command['cmd'] === 'cancel') command['cmd'] = 'pause'
      }),
  },
  {
    id: 'pause-without-arguments',
    breaks: 'pause does not say how to park',
    cases: ['printer-actions/pause-arguments'],
    hooks: () =>
      toAgent(({ commands }) => {
        for (const command of objectsIn(commands)) if ('args' in command) command['args'] = {}
      }),
  },
  {
    id: 'acks-ignored',
    breaks: 'acknowledgements of commands are not read',
    cases: ['printer-actions/command-life'],
    hooks: () => ({ toServer: (text) => (text.startsWith('{"ack"') ? undefined : text) }),
  },
  {
    id: 'event-ack-missing',
    breaks: 'events are not acknowledged',
    cases: ['agent-socket/event-acknowledged'],
    hooks: () => toAgent((frame) => void delete frame['ack']),
  },
  {
    id: 'older-status-wins',
    breaks: 'a status with an older _ts overrides a newer one',
    cases: ['transitions/older-status'],
    hooks: () => {
      const original = new Map<number, number>()
      let last = 0
      return {
        ...fromAgent((frame) => {
          const status = statusOf(frame)
          const ts = tsOf(frame)
          if (status === undefined || Number.isNaN(ts)) return
          if (ts < last) {
            last += 0.001
            original.set(last, ts)
            status['_ts'] = last
          } else last = ts
        }),
        answer: (answer) =>
          editJson(answer, (body) => {
            for (const object of objectsIn(body)) {
              const told = original.get(Number(object['_ts']))
              if (told !== undefined) object['_ts'] = told
            }
          }),
      }
    },
  },
  {
    id: 'equal-status-dropped',
    breaks: 'a status with an equal _ts is not applied',
    cases: ['transitions/equal-status'],
    hooks: () => {
      const seen = new Set<number>()
      return {
        toServer: (text) => {
          let isNew = true
          editFrame(text, (frame) => {
            isNew = !seen.has(tsOf(frame))
            seen.add(tsOf(frame))
          })
          return isNew ? text : undefined
        },
      }
    },
  },
  {
    id: 'late-event-lost',
    breaks: 'the event of a late message is lost',
    cases: ['transitions/late-event'],
    hooks: () => {
      let newest = 0
      return fromAgent((frame) => {
        const ts = tsOf(frame)
        if (ts < newest) delete frame['event']
        else newest = ts
      })
    },
  },
  {
    id: 'new-print-not-noticed',
    breaks: 'another current_print_ts does not begin a new print',
    cases: ['transitions/new-print'],
    hooks: () => {
      const first = new Map<number, unknown>()
      return {
        toServer: (text, { number }) =>
          editFrame(text, (frame) => {
            if (Number(frame['current_print_ts']) < 0) return
            if (!first.has(number)) first.set(number, frame['current_print_ts'])
            frame['current_print_ts'] = first.get(number)
          }),
      }
    },
  },
  {
    id: 'connection-makes-a-print',
    breaks: 'each connection of the agent begins a new print',
    cases: ['transitions/same-print'],
    hooks: () => ({
      toServer: (text, { number }) =>
        editFrame(text, (frame) => {
          const ts = Number(frame['current_print_ts'])
          if (ts > 0) frame['current_print_ts'] = ts + number
        }),
    }),
  },
  {
    id: 'cancelled-is-finished',
    breaks: 'a cancelled print counts as finished',
    cases: ['transitions/PrintCancelled'],
    hooks: () => takesFor('PrintCancelled', 'PrintDone'),
  },
  {
    id: 'failed-is-finished',
    breaks: 'a failed print counts as finished',
    cases: ['transitions/PrintFailed'],
    hooks: () => takesFor('PrintFailed', 'PrintDone'),
  },
  {
    id: 'pause-ends-print',
    breaks: 'a pause ends the print',
    cases: ['transitions/PrintPaused', 'transitions/PrintResumed'],
    hooks: () => takesFor('PrintPaused', 'PrintCancelled'),
  },
  {
    id: 'unknown-fields-dropped',
    breaks: 'unknown fields of a status are dropped',
    cases: ['status-message/unknown-fields'],
    hooks: () => fromAgent((frame) => void delete statusOf(frame)?.['ours']),
  },
  {
    id: 'event-age-ignored',
    breaks: 'age_ms of an event is ignored',
    cases: ['transitions/event-age'],
    hooks: () => fromAgent(({ event }) => isObject(event) && void delete event['age_ms']),
  },
  {
    id: 'invalid-message-closes',
    breaks: 'an invalid message closes the socket',
    cases: ['status-message/error-then-valid'],
    hooks: () => ({
      toClient: (text, { kind }) => (kind === 'agent' && text.includes('"error"') ? { closeWith: 4400 } : text),
    }),
  },
  {
    id: 'error-without-path',
    breaks: 'the error about a message does not name the field',
    cases: ['status-message/error-then-valid'],
    hooks: () => toAgent(({ error }) => isObject(error) && void delete error['path']),
  },
  {
    id: 'first-socket-stays',
    breaks: 'an older socket of the same agent is not closed',
    cases: ['agent-socket/replaced'],
    hooks: () => ({ close: (code) => (code === 4321 ? undefined : code) }),
  },
  {
    id: 'other-close-code',
    breaks: 'a replaced socket is closed with 1000',
    cases: ['agent-socket/replaced'],
    hooks: () => ({ close: (code) => (code === 4321 ? 1000 : code) }),
  },
  {
    id: 'wrong-agent-let-in',
    breaks: 'a wrong auth_token opens the socket',
    cases: ['agent-socket/refused'],
    hooks: () => ({
      upgrade: ({ headers }, { target }) => {
        if (headers['authorization'] === `Bearer ${'0'.repeat(40)}`) {
          headers['authorization'] = `Bearer ${target.printer.auth_token}`
        }
      },
    }),
  },
  {
    id: 'refused-with-403',
    breaks: 'a wrong auth_token is 403 at the upgrade',
    cases: ['agent-socket/refused', 'live/refused'],
    hooks: () => ({ refusal: (status) => (status === 401 ? 403 : status) }),
  },
  {
    id: 'no-subprotocol',
    breaks: 'the server does not answer the subprotocol',
    cases: ['agent-socket/open-bearer', 'live/state'],
    hooks: () => ({ subprotocol: () => '' }),
  },
  {
    id: 'scheme-token-refused',
    breaks: 'Authorization: Token is not understood',
    cases: ['agent-socket/open-token'],
    hooks: () => ({
      upgrade: ({ headers }) => {
        if (headers['authorization']?.startsWith('Token ')) delete headers['authorization']
      },
    }),
  },
  {
    id: 'live-ticket-twice',
    breaks: 'the ticket of a live socket can be used twice',
    cases: ['live/ticket'],
    hooks: () => ({
      upgrade: async (request, { target, ask }) => {
        const ticket = request.query.get('ticket')
        if (ticket === null || ticket === 'no-such-ticket') return
        const { body } = await ask('POST', '/api/v1/live/ticket/', {
          authorization: `Bearer ${target.tokens.read_write}`,
        })
        const fresh = (JSON.parse(body.toString()) as { ticket: string }).ticket
        request.url = `${request.path}?ticket=${encodeURIComponent(fresh)}`
      },
    }),
  },
  {
    id: 'live-without-removal',
    breaks: 'live sockets are not told that a printer was deleted',
    cases: ['live/removed'],
    hooks: () => withoutLive('removed'),
  },
  {
    id: 'live-without-events',
    breaks: 'live sockets are not told of events',
    cases: ['live/print'],
    hooks: () => withoutLive('event'),
  },
]
