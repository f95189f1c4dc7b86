import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { listPrinterEvents } from '../prints/events-store.js'
import { findPrint } from '../prints/store.js'
import { type ActionFlow, actionFlow } from './action-flow.js'
import { type PrinterFlow, printerFlow } from './flow.js'
import { picKey, statusKey } from './live-keys.js'
import { printerSubject, REVOKED_SUBJECT } from './notices.js'
import { NOW } from './sample.js'
import { findPrinter, type PrinterRow } from './store.js'
import { openTestWorld, type TestWorld } from './testing.js'

let world: TestWorld
let printers: PrinterFlow
let actions: ActionFlow
let printer: PrinterRow
/** What was looked at afresh, and what blobs went. */
let warmedUp: number[]
let removed: string[]

beforeAll(async () => {
  world = await openTestWorld()
})

afterAll(async () => {
  await world.close()
})

beforeEach(async () => {
  warmedUp = []
  removed = []
  printers = printerFlow(world)
  const detection = { warmUp: (id: number) => void warmedUp.push(id) }
  const remove = async (key: string): Promise<void> => void removed.push(key)
  const blobs = { removeAll: remove, remove }
  const teaching = { answerPrint: async () => {} }
  actions = actionFlow({ ...world, printers, detection, teaching, blobs })
  printer = await world.addPrinter(await world.addUser())
})

afterEach(() => {
  printers.close()
  expect(world.log.errors).toEqual([])
})

const anna = { initiator: 'web', initiator_name: 'Anna Berg' } as const
const app = { initiator: 'api', initiator_name: 'OrcaSlicer' } as const
const ALERTED = { alerted_at: NOW - 5000 }
const FAILED = { succeeded: false, command_id: null }
const SUCCEEDED = { succeeded: true, command_id: null }
const events = async () =>
  (await listPrinterEvents(world.db, printer.user_id, {}, { start: 0, limit: 12 })).map((e) => e.event_type)

test.each(['pause', 'resume', 'cancel'] as const)('%s without a print is not even tried', async (action) => {
  const agent = world.connectAgent(printer.id)
  expect(await actions[action](printer, anna)).toEqual(FAILED)
  expect(agent.received).toEqual([])
})

test.each([
  { action: 'pause', args: { retract: 6.5, lift_z: 2.5, tools_off: true } },
  { action: 'resume', args: {} },
  { action: 'cancel', args: {} },
] as const)('$action reaches the agent', async ({ action, args }) => {
  const agent = world.connectAgent(printer.id)
  await world.addCurrentPrint(printer)
  const outcome = await actions[action](printer, anna)
  expect(outcome).toEqual({ succeeded: true, command_id: expect.any(String) })
  expect(agent.received).toMatchObject([{ cmd: action, args, initiator: 'web', id: outcome.command_id }])
})

test.each([
  { action: 'pause', answered: { alert_acknowledged_at: null, alert_overwrite: null } },
  { action: 'resume', answered: { alert_acknowledged_at: NOW, alert_overwrite: 'NOT_FAILED' } },
  { action: 'cancel', answered: { alert_acknowledged_at: NOW, alert_overwrite: 'FAILED' } },
] as const)('$action of a print with an alert', async ({ action, answered }) => {
  const print = await world.addCurrentPrint(printer, ALERTED)
  const heard = world.hearAll(printerSubject(printer.id))
  await actions[action](printer, app)
  expect(await findPrint(world.db, print.id)).toMatchObject({ alert_acknowledged_at: null })

  world.connectAgent(printer.id)
  await actions[action](printer, app)
  expect(await findPrint(world.db, print.id)).toMatchObject(answered)
  expect(heard.filter((notice) => (notice as { type: string }).type === 'row')).toHaveLength(action === 'pause' ? 0 : 1)
  expect(warmedUp).toEqual(action === 'pause' ? [] : [printer.id])
})

test('acknowledging needs a print and an alert, but no agent', async () => {
  expect(await actions.acknowledgeAlert(printer, 'FAILED', anna)).toEqual(FAILED)
  const print = await world.addCurrentPrint(printer)
  expect(await actions.acknowledgeAlert(printer, 'FAILED', anna)).toEqual(FAILED)
  expect(await findPrint(world.db, print.id)).toMatchObject({ alert_acknowledged_at: null, alert_overwrite: null })
})

test('acknowledging an alert, then saying something else about it', async () => {
  const print = await world.addCurrentPrint(printer, ALERTED)
  expect(await actions.acknowledgeAlert(printer, 'FAILED', anna)).toEqual(SUCCEEDED)
  expect(await findPrint(world.db, print.id)).toMatchObject({ alert_acknowledged_at: NOW, alert_overwrite: 'FAILED' })
  world.clock.time += 1000
  expect(await actions.acknowledgeAlert(printer, 'NOT_FAILED', anna)).toEqual(SUCCEEDED)
  expect(await findPrint(world.db, print.id)).toMatchObject({
    alert_acknowledged_at: NOW,
    alert_overwrite: 'NOT_FAILED',
  })
  world.clock.time = NOW
})

test('muting and un-muting tell history, subscribers and agent, each once', async () => {
  expect(await actions.mute(printer, true)).toEqual(FAILED)
  const print = await world.addCurrentPrint(printer)
  const agent = world.connectAgent(printer.id)
  const heard = world.hearAll(printerSubject(printer.id))
  for (const isMuted of [true, true, false, false]) expect(await actions.mute(printer, isMuted)).toEqual(SUCCEEDED)
  expect(await findPrint(world.db, print.id)).toMatchObject({ alert_muted_at: null })
  expect(await events()).toEqual(['ALERT_UNMUTED', 'ALERT_MUTED'])
  expect(heard).toMatchObject([
    { type: 'row' },
    { type: 'event', event: { event_type: 'ALERT_MUTED', print: print.id, printer: printer.id } },
    { type: 'row' },
    { type: 'event', event: { event_type: 'ALERT_UNMUTED' } },
  ])
  expect(agent.received).toEqual([
    { type: 'remote_status', should_watch: false },
    { type: 'remote_status', should_watch: true },
  ])
})

test('muting stays muted in the row', async () => {
  const print = await world.addCurrentPrint(printer)
  await actions.mute(printer, true)
  expect(await findPrint(world.db, print.id)).toMatchObject({ alert_muted_at: NOW })
})

test('re-arming needs a print', async () => {
  expect(await actions.rearm(printer)).toEqual(FAILED)
  const print = await world.addCurrentPrint(printer, { auto_paused_at: NOW - 1000, paused_at: NOW - 1000 })
  expect(await actions.rearm(printer)).toEqual(SUCCEEDED)
  expect(await findPrint(world.db, print.id)).toMatchObject({ rearmed_at: NOW, paused_at: NOW - 1000 })
  expect(warmedUp).toEqual([printer.id])
})

test('turning the watching off is told to the agent; a new name is not', async () => {
  await world.addCurrentPrint(printer)
  const agent = world.connectAgent(printer.id)
  expect(await actions.update(printer, { name: 'Right' })).toMatchObject({ name: 'Right' })
  expect(await actions.update(printer, { watching_enabled: 0 })).toMatchObject({ watching_enabled: 0 })
  await Promise.resolve()
  expect(agent.received).toEqual([{ type: 'remote_status', should_watch: false }])
})

test("somebody else's printer is not changed", async () => {
  const told = world.hearAll(printerSubject(printer.id))
  const other = { id: printer.id, user_id: await world.addUser() }
  expect(await actions.update(other, { name: 'Mine now' })).toBeUndefined()
  expect(await actions.update(other, {})).toBeUndefined()
  expect(await actions.update(printer, {})).toMatchObject({ name: printer.name })
  expect(await findPrinter(world.db, printer.id)).toMatchObject({ name: printer.name })
  expect(told).toEqual([{ type: 'row' }])
})

test('deleting takes everything along', async () => {
  const print = await world.addCurrentPrint(printer)
  await actions.mute(printer, true)
  for (const key of [statusKey(printer.id), picKey(printer.id)]) await world.live.put(key, {}, { ts: 1, ttlMs: 1e6 })
  const told = world.hearAll(printerSubject(printer.id))
  const revoked = world.hearAll(REVOKED_SUBJECT)
  const both = await Promise.all([actions.remove(printer), actions.remove(printer)])
  expect(both.filter(Boolean)).toEqual([true])
  expect(await findPrinter(world.db, printer.id)).toBeUndefined()
  expect(await findPrint(world.db, print.id)).toBeUndefined()
  expect(await events()).toEqual([])
  expect(await world.live.getMany([statusKey(printer.id), picKey(printer.id)])).toEqual([undefined, undefined])
  expect(removed).toEqual([`printers/${printer.id}/`, `prints/${print.id}/`])
  expect(told).toEqual([{ type: 'removed' }])
  expect(revoked).toEqual([{ type: 'printer', printer_id: printer.id }])
  expect(await actions.update(printer, { name: 'x' })).toBeUndefined()
})
