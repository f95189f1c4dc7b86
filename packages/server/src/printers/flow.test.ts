import { setTimeout as sleep } from 'node:timers/promises'
import { flagsOf, type StateText } from '@printwarden/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ACK_TIMEOUT_MS } from './commands.js'
import { findCommand, insertCommand } from './commands-store.js'
import { type PrinterFlow, printerFlow } from './flow.js'
import { STATUS_TTL_MS, statusKey } from './live-keys.js'
import { printerSubject } from './notices.js'
import { NOW } from './sample.js'
import type { PrinterRow } from './store.js'
import { countStatements, openTestWorld, type TestWorld } from './testing.js'

let world: TestWorld
let flow: PrinterFlow
let printer: PrinterRow

beforeAll(async () => {
  world = await openTestWorld()
})

afterAll(async () => {
  await world.close()
})

beforeEach(async () => {
  world.clock.time = NOW
  flow = printerFlow(world)
  printer = await world.addPrinter(await world.addUser())
})

afterEach(async () => {
  flow.close()
  expect(world.log.errors).toEqual([])
})

const PAUSE = { cmd: 'pause', args: { retract: 1 }, initiator: 'web' } as const
const status = (text: StateText) => ({ _ts: NOW / 1000, state: { text, flags: flagsOf(text) } })
const stateOf = async (id: string) => (await findCommand(world.db, printer.id, id))?.status

/** The steps of a command that subscribers were told. */
function steps(heard: unknown[]): unknown[] {
  return heard.map((notice) => (notice as { command: { status: string } }).command.status)
}

test('a command goes to the agent, is acknowledged, and is done once the state shows it', async () => {
  const agent = world.connectAgent(printer.id)
  const heard = world.hearAll(printerSubject(printer.id))
  const { succeeded, command_id } = await flow.send(printer, PAUSE)
  expect(succeeded).toBe(true)
  const sent = { type: 'command', id: command_id, ...PAUSE, expires_in_ms: 30_000 }
  expect(agent.received).toEqual([sent])

  await flow.commandsSeen(printer.id, status('Printing'))
  await flow.commandAcked(printer.id, command_id, {})
  world.clock.time += 60_000
  await flow.commandsSeen(printer.id, status('Pausing'))
  expect(await stateOf(command_id)).toBe('acked')
  await flow.commandsSeen(printer.id, status('Paused'))
  expect(await findCommand(world.db, printer.id, command_id)).toMatchObject({
    status: 'done',
    acked_at: NOW,
    done_at: NOW + 60_000,
  })
  expect(steps(heard)).toEqual(['sent', 'acked', 'done'])
})

test('without an agent a command fails at once, and says so', async () => {
  const { succeeded, command_id } = await flow.send(printer, PAUSE)
  expect(succeeded).toBe(false)
  expect(await findCommand(world.db, printer.id, command_id)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^not_connected: /),
  })
})

test('an agent that will not', async () => {
  world.connectAgent(printer.id)
  const { command_id } = await flow.send(printer, PAUSE)
  await flow.commandAcked(printer.id, command_id, { error: { code: 'not_printing', detail: 'Nothing is printed.' } })
  expect(await findCommand(world.db, printer.id, command_id)).toMatchObject({
    status: 'failed',
    error: 'not_printing: Nothing is printed.',
    done_at: NOW,
  })
})

test.each([
  { name: 'an agent that never answers', isAcked: false, after: ACK_TIMEOUT_MS },
  { name: 'a printer that never obeys', isAcked: true, after: 10 * 60_000 },
])('$name: out of time, and nothing after that counts', async ({ isAcked, after }) => {
  world.connectAgent(printer.id)
  const { command_id } = await flow.send(printer, PAUSE)
  if (isAcked) await flow.commandAcked(printer.id, command_id, {})
  const before = await stateOf(command_id)
  world.clock.time += after - 1
  await flow.sweep()
  expect(await stateOf(command_id)).toBe(before)
  world.clock.time += 1
  await flow.sweep()
  expect(await stateOf(command_id)).toBe('timed_out')
  await flow.commandAcked(printer.id, command_id, {})
  await flow.commandsSeen(printer.id, status('Paused'))
  expect(await stateOf(command_id)).toBe('timed_out')
})

test('an answer to a command of another printer changes nothing', async () => {
  world.connectAgent(printer.id)
  const other = await world.addPrinter(printer.user_id)
  const { command_id } = await flow.send(printer, PAUSE)
  await flow.commandAcked(other.id, command_id, {})
  await flow.commandAcked(printer.id, '00000000-0000-4000-8000-000000000000', {})
  expect(await stateOf(command_id)).toBe('sent')
})

test('a snapshot is done when the agent takes it', async () => {
  world.connectAgent(printer.id)
  const { command_id } = await flow.send(printer, { cmd: 'snapshot', args: {}, initiator: 'api' })
  await flow.commandAcked(printer.id, command_id, {})
  expect(await stateOf(command_id)).toBe('done')
})

test('a restarted server goes on waiting, and ends what nobody waited for', async () => {
  const row = { printer_id: printer.id, cmd: 'pause', initiator: 'api', created_at: NOW }
  const [acked, late, old] = ['a', 'b', 'c'].map((letter) => `00000000-0000-4000-8000-00000000000${letter}`)
  await insertCommand(world.db, { ...row, id: acked ?? '', status: 'acked', acked_at: NOW })
  await insertCommand(world.db, { ...row, id: late ?? '', status: 'sent' })
  await insertCommand(world.db, { ...row, id: old ?? '', status: 'done', created_at: NOW - 40 * 24 * 3_600_000 })
  world.clock.time += ACK_TIMEOUT_MS
  await flow.start()
  expect(await stateOf(late ?? '')).toBe('timed_out')
  expect(await stateOf(old ?? '')).toBeUndefined()
  await flow.commandsSeen(printer.id, status('Paused'))
  expect(await stateOf(acked ?? '')).toBe('done')
})

test('a status costs no SQL when nothing is awaited', async () => {
  world.connectAgent(printer.id)
  const { database, count } = countStatements(world.database)
  const counted = printerFlow({ ...world, database })
  const { command_id } = await counted.send(printer, PAUSE)
  await counted.commandsSeen(printer.id, status('Paused'))
  expect(await stateOf(command_id)).toBe('done')
  expect(count.statements).toBe(2)
  await counted.commandsSeen(printer.id, status('Paused'))
  expect(count.statements).toBe(2)
  counted.close()
})

test('the same command at another node: the acknowledgement there is not taken for silence here', async () => {
  const elsewhere = printerFlow(world)
  world.connectAgent(printer.id)
  const { command_id } = await flow.send(printer, PAUSE)
  await elsewhere.commandAcked(printer.id, command_id, {})
  world.clock.time += ACK_TIMEOUT_MS
  await flow.sweep()
  expect(await stateOf(command_id)).toBe('acked')
  await elsewhere.commandsSeen(printer.id, status('Paused'))
  expect(await stateOf(command_id)).toBe('done')
  elsewhere.close()
})

test('a file that is fetched for long, as only another node is told: its print is not given up', async () => {
  const downloads = async (text: StateText): Promise<void> => {
    const options = { ts: world.clock.time, ttlMs: STATUS_TTL_MS }
    await world.live.put(statusKey(printer.id), status(text), options)
  }
  world.connectAgent(printer.id)
  const { command_id } = await flow.send(printer, { ...PAUSE, cmd: 'print' })
  for (let minute = 0; minute < 10; minute += 1) {
    world.clock.time += 60_000
    await downloads('G-Code Downloading')
    await flow.sweep()
  }
  expect(await stateOf(command_id)).toBe('sent')
  // The agent has given up without a word.
  await downloads('Operational')
  world.clock.time += 120_000
  await flow.sweep()
  expect(await stateOf(command_id)).toBe('timed_out')
})

test('an agent that changes from one node to another is waited for; one that is gone is not', async () => {
  let isMoving = true
  const moving = printerFlow({ ...world, isMoving: async () => isMoving })
  const sending = moving.send(printer, PAUSE)
  const agent = world.connectAgent(printer.id)
  const { succeeded, command_id } = await sending
  expect(succeeded).toBe(true)
  expect(agent.received).toMatchObject([{ id: command_id, cmd: 'pause' }])
  agent.leave()
  isMoving = false
  expect((await moving.send(printer, PAUSE)).succeeded).toBe(false)
  moving.close()
})

test('a node that stops waits for an agent on its way to another one for seconds, and no longer', async () => {
  const moving = printerFlow({ ...world, isMoving: async () => true })
  moving.hurry()
  const begun = performance.now()
  const sending = moving.send(printer, PAUSE)
  await sleep(500)
  const agent = world.connectAgent(printer.id)
  expect((await sending).succeeded).toBe(true)
  agent.leave()
  expect((await moving.send(printer, PAUSE)).succeeded).toBe(false)
  expect(performance.now() - begun).toBeLessThan(7000)
  moving.close()
})

test('what one node began another goes on with, once the agent is there', async () => {
  world.connectAgent(printer.id)
  const { command_id } = await flow.send(printer, PAUSE)
  const other = printerFlow(world)
  await other.commandsSeen(printer.id, status('Paused'))
  expect(await stateOf(command_id)).toBe('sent')
  await other.adopt(printer.id)
  await other.commandsSeen(printer.id, status('Paused'))
  expect(await stateOf(command_id)).toBe('done')
  other.close()
})
