import { type CommandName, flagsOf, type PrinterStatus, type StateFlags, type StateText } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import {
  ACK_TIMEOUT_MS,
  afterAck,
  deadlineOf,
  isSeenIn,
  isWorkedOn,
  type PendingCommand,
  pauseArgs,
  readAnswer,
} from './commands.js'

const statusOf = (text: StateText, flags: Partial<StateFlags> = {}): PrinterStatus => ({
  _ts: 1,
  state: { text, flags: { ...flagsOf(text), ...flags } },
})

test.each<{ name: string; cmd: CommandName; status: PrinterStatus; seen: boolean }>([
  { name: 'still printing', cmd: 'pause', status: statusOf('Printing'), seen: false },
  { name: 'pausing is not paused', cmd: 'pause', status: statusOf('Pausing', { printing: true }), seen: false },
  { name: 'paused', cmd: 'pause', status: statusOf('Paused'), seen: true },
  { name: 'still paused', cmd: 'resume', status: statusOf('Paused'), seen: false },
  { name: 'resuming', cmd: 'resume', status: statusOf('Printing', { resuming: true }), seen: false },
  { name: 'still pausing', cmd: 'resume', status: statusOf('Pausing', { printing: true }), seen: false },
  { name: 'printing again', cmd: 'resume', status: statusOf('Printing'), seen: true },
  { name: 'cancelling', cmd: 'cancel', status: statusOf('Cancelling', { printing: true }), seen: false },
  { name: 'paused, not cancelled', cmd: 'cancel', status: statusOf('Paused'), seen: false },
  { name: 'idle', cmd: 'cancel', status: statusOf('Operational'), seen: true },
  { name: 'a lost printer was not seen to cancel', cmd: 'cancel', status: statusOf('Offline'), seen: false },
  { name: 'downloading', cmd: 'print', status: statusOf('G-Code Downloading'), seen: false },
  { name: 'printing', cmd: 'print', status: statusOf('Printing'), seen: true },
  { name: 'printing', cmd: 'print_file', status: statusOf('Printing'), seen: true },
  { name: 'still printing', cmd: 'emergency_stop', status: statusOf('Printing'), seen: false },
  { name: 'idle is not stopped', cmd: 'emergency_stop', status: statusOf('Operational'), seen: false },
  { name: 'down', cmd: 'emergency_stop', status: statusOf('Offline'), seen: true },
  { name: 'down', cmd: 'restart_firmware', status: statusOf('Offline'), seen: false },
  { name: 'up again', cmd: 'restart_firmware', status: statusOf('Operational'), seen: true },
  { name: 'shows in no state', cmd: 'list_files', status: statusOf('Operational'), seen: false },
  { name: 'shows in no state', cmd: 'exclude_object', status: statusOf('Printing'), seen: false },
  { name: 'a snapshot shows in no state', cmd: 'snapshot', status: statusOf('Printing'), seen: false },
])('$cmd: $name', ({ cmd, status, seen }) => {
  expect(isSeenIn(cmd, status)).toBe(seen)
})

test.each<{ cmd: CommandName; text: StateText; working: boolean }>([
  { cmd: 'print', text: 'G-Code Downloading', working: true },
  { cmd: 'print', text: 'Operational', working: false },
  { cmd: 'pause', text: 'G-Code Downloading', working: false },
])('$cmd while $text: worked on $working', ({ cmd, text, working }) => {
  expect(isWorkedOn(cmd, statusOf(text))).toBe(working)
})

const pending = (changes: Partial<PendingCommand>): PendingCommand => ({
  id: '0a5bd2f6-6fd4-4b39-9e3e-7c8f3f4f7d10',
  printer_id: 1,
  cmd: 'pause',
  status: 'sent',
  created_at: 1000,
  acked_at: null,
  ...changes,
})

test.each([
  { name: 'an agent has 30 seconds', command: pending({}), deadline: 1000 + ACK_TIMEOUT_MS },
  {
    name: 'an agent that fetches a file has until it is silent for long',
    command: pending({ cmd: 'print', working_at: 500_000 }),
    deadline: 620_000,
  },
  {
    name: 'a pause may wait for a heat-up',
    command: pending({ status: 'acked', acked_at: 2000 }),
    deadline: 2000 + 600_000,
  },
  {
    name: 'a resume may have to heat again',
    command: pending({ cmd: 'resume', status: 'acked', acked_at: 2000 }),
    deadline: 2000 + 900_000,
  },
])('$name', ({ command, deadline }) => {
  expect(deadlineOf(command)).toBe(deadline)
})

test.each([
  { cmd: 'pause', error: undefined, status: 'acked' },
  { cmd: 'pause', error: { code: 'not_printing', detail: '' }, status: 'failed' },
  { cmd: 'snapshot', error: undefined, status: 'done' },
] as const)('an acknowledged $cmd is $status', ({ cmd, error, status }) => {
  expect(afterAck(cmd, error)).toBe(status)
})

test('a pause is told how to park, and only the switches that are on', () => {
  const printer = { retract_on_pause: 6.5, lift_z_on_pause: 2.5, tools_off_on_pause: 1, bed_off_on_pause: 0 }
  expect(pauseArgs(printer)).toEqual({ retract: 6.5, lift_z: 2.5, tools_off: true })
})

const FILES = { files: [{ path: 'a.gcode', origin: 'local', size: 5, date: null }], is_cut: false }
const REFUSED = { code: 'unsupported', detail: 'no' }

test.each<{
  name: string
  cmd: CommandName
  answer: Parameters<typeof readAnswer>[1]
  read: { result: unknown; error: unknown }
}>([
  { name: 'files are kept', cmd: 'list_files', answer: { result: FILES }, read: { result: FILES, error: null } },
  {
    name: 'of files nothing else is kept',
    cmd: 'list_files',
    answer: { result: { ...FILES, more: 1 } },
    read: { result: FILES, error: null },
  },
  {
    name: 'no list is no answer',
    cmd: 'list_files',
    answer: { result: 'ok' },
    read: { result: null, error: 'bad_answer' },
  },
  {
    name: 'too many files are no answer',
    cmd: 'list_files',
    answer: { result: { files: Array.from({ length: 501 }, () => FILES.files[0]), is_cut: false } },
    read: { result: null, error: 'bad_answer' },
  },
  { name: 'a refusal', cmd: 'list_files', answer: { error: REFUSED }, read: { result: null, error: 'unsupported' } },
  { name: 'others have no result', cmd: 'pause', answer: { result: FILES }, read: { result: null, error: null } },
])('$cmd: $name', ({ cmd, answer, read }) => {
  const { result, error } = readAnswer(cmd, answer)
  expect({ result: result === null ? null : JSON.parse(result), error: error?.code ?? null }).toEqual(read)
})
