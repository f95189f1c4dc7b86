import { editFrame, editJson, isObject, type Json, type Mutation, objectsIn } from './mutation.js'

// Orders to a printer: what its agent is sent, and what is told of them.

const ORDERS = new Set(['connect', 'emergency_stop', 'restart_firmware', 'list_files', 'answer_prompt', 'print_file'])

const commandsOf = ({ commands }: Json): Json[] => (Array.isArray(commands) ? commands.filter(isObject) : [])

export const orderMutations: readonly Mutation[] = [
  {
    id: 'orders-unsent',
    breaks: 'orders are told to be sent and are not',
    cases: ['printer-orders/emergency-stop', 'printer-orders/list-files'],
    hooks: () => ({
      toClient: (text, { kind }) =>
        kind !== 'agent'
          ? text
          : editFrame(text, (frame) => {
              if (!('commands' in frame)) return
              frame['commands'] = commandsOf(frame).filter(({ cmd }) => !ORDERS.has(String(cmd)))
            }),
    }),
  },
  {
    id: 'order-args-lost',
    breaks: 'the agent gets orders without what they are about',
    cases: ['printer-orders/answer-prompt', 'printer-orders/print-file', 'printer-orders/exclude-object'],
    hooks: () => ({
      toClient: (text, { kind }) =>
        kind !== 'agent'
          ? text
          : editFrame(text, (frame) => {
              for (const command of commandsOf(frame)) command['args'] = {}
            }),
    }),
  },
  {
    id: 'order-result-lost',
    breaks: 'the list of files that the agent has answered is nowhere',
    cases: ['printer-orders/files'],
    hooks: () => ({
      answer(answer, { path }) {
        if (path.includes('/commands/')) editJson(answer, (body) => (isObject(body) ? { ...body, result: null } : body))
      },
    }),
  },
  {
    id: 'order-by-nobody',
    breaks: 'the history does not say who ordered an emergency stop',
    cases: ['printer-orders/who'],
    hooks: () => ({
      answer(answer, { path }) {
        if (path !== '/api/v1/printer_events/') return
        editJson(answer, (body) => {
          for (const event of objectsIn(body)) if ('initiator' in event) event['initiator'] = null
        })
      },
    }),
  },
  {
    id: 'print-file-while-printing',
    breaks: 'a file is printed although the printer prints',
    cases: ['printer-orders/print-file-busy'],
    hooks: () => ({
      answer(answer, { path }) {
        if (path.endsWith('/print_file/'))
          editJson(answer, (body) => (isObject(body) ? { ...body, succeeded: true } : body))
      },
    }),
  },
]
