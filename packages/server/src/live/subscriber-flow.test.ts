import { LiveMessage, LiveState } from '@printwarden/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { Viewer } from '../prints/view.js'
import { type FactsFlow, factsFlow } from '../printers/facts-flow.js'
import { STATUS_TTL_MS } from '../printers/live-keys.js'
import { type PrinterNotice, printerSubject, userSubject } from '../printers/notices.js'
import { NOW, sampleStatus } from '../printers/sample.js'
import { deletePrinter, type PrinterRow, updatePrinter } from '../printers/store.js'
import { openTestWorld, type TestWorld } from '../printers/testing.js'
import { type FeedFlow, feedFlow } from './feed-flow.js'
import { SLOW_BYTES, STUCK_AFTER_MS } from './pace.js'
import { subscriberFlow } from './subscriber-flow.js'
import { type ViewingFlow, viewingFlow } from './viewing-flow.js'

let world: TestWorld
let facts: FactsFlow
let feeds: FeedFlow
let viewing: ViewingFlow
let userId: number
let left: PrinterRow
let right: PrinterRow
let opened: { close: () => void }[]

const Cursor = z.looseObject({ cursor: z.string() }).optional()
const WithCursor = z.looseObject({ state: Cursor, printer: Cursor, removed: Cursor })

const detection = { ready: () => true }
const viewer: Viewer = { origin: 'http://a', mediaUrl: (key) => `http://a/${key}`, canWrite: true }

beforeAll(async () => {
  world = await openTestWorld()
})

afterAll(async () => {
  await world.close()
})

beforeEach(async () => {
  world.clock.time = NOW
  opened = []
  facts = factsFlow({ ...world, secrets: { decrypt: () => 'token' }, detection })
  feeds = feedFlow({ ...world, facts, detection })
  viewing = viewingFlow(world)
  userId = await world.addUser()
  left = await world.addPrinter(userId, 'Left')
  right = await world.addPrinter(userId, 'Right')
})

afterEach(async () => {
  for (const one of opened) one.close()
  await feeds.close()
  expect(world.log.errors).toEqual([])
})

/** A subscriber whose socket is a list. */
function subscriber() {
  const messages: LiveMessage[] = []
  const sink = {
    buffered: 0,
    isGivenUp: false,
    send: (text: string) => void messages.push(LiveMessage.parse(JSON.parse(text))),
  }
  const flow = subscriberFlow(
    { feeds, viewing, clock: world.clock },
    {
      userId,
      viewer,
      sink: {
        send: sink.send,
        buffered: () => sink.buffered,
        giveUp: () => {
          sink.isGivenUp = true
        },
      },
    },
  )
  opened.push(flow)
  const subscribe = (printers: 'all' | number[], since?: string) =>
    flow.request({ subscribe: { printers }, ...(since === undefined ? {} : { since }) })
  /** Waits until there are this many messages. */
  const reach = async (count: number): Promise<LiveMessage[]> => {
    await expect.poll(() => messages.length).toBeGreaterThanOrEqual(count)
    return messages
  }
  return { messages, sink, subscribe, reach, close: flow.close }
}

const tell = (printer: PrinterRow, notice: PrinterNotice): void => world.bus.publish(printerSubject(printer.id), notice)
const tellStatus = (printer: PrinterRow, completion: number): void =>
  tell(printer, { type: 'status', status: sampleStatus('Printing', completion) })

const stateOf = (message: LiveMessage | undefined) => LiveState.parse(message).state

function cursorOf(message: LiveMessage | undefined): string {
  const { state, printer, removed } = WithCursor.parse(message)
  return (state ?? printer ?? removed)?.cursor ?? 'none'
}

const BY_NOBODY = { initiator: null, initiator_name: null, reason: null, alert_id: null } as const

test('what changed while nobody could be told is shown in the end', async () => {
  const one = subscriber()
  await one.subscribe('all')
  await one.reach(1)
  tellStatus(left, 12)
  await one.reach(2)
  await updatePrinter(world.db, left.id, { name: 'Renamed' })
  await deletePrinter(world.db, right.id)
  const added = await world.addPrinter(userId, 'New')
  await feeds.catchUpAll()
  await one.reach(5)
  expect(one.messages.slice(2)).toMatchObject([
    { removed: { id: right.id } },
    { printer: { id: left.id, changes: { name: 'Renamed' } } },
    { printer: { id: added.id, changes: { name: 'New' } } },
  ])
  // What was heard is kept: it may be newer than what is stored.
  const again = subscriber()
  await again.subscribe([left.id])
  const [state] = await again.reach(1)
  expect(stateOf(state).printers[0]).toMatchObject({ name: 'Renamed', status: { progress: { completion: 12 } } })
})

test('of what is told while all is read again, the newer stays', async () => {
  const one = subscriber()
  await one.subscribe('all')
  await one.reach(1)
  const ofUser = facts.ofUser
  let readOn = (): void => {}
  vi.spyOn(facts, 'ofUser').mockImplementationOnce(async (...args) => {
    const old = await ofUser(...args)
    await new Promise<void>((resolve) => (readOn = resolve))
    return old
  })
  const caughtUp = feeds.catchUpAll()
  await vi.waitFor(() => expect(facts.ofUser).toHaveBeenCalledOnce())
  await updatePrinter(world.db, left.id, { name: 'Newer' })
  tell(left, { type: 'row' })
  await one.reach(2)
  await deletePrinter(world.db, right.id)
  tell(right, { type: 'removed' })
  await one.reach(3)
  readOn()
  await caughtUp
  const again = subscriber()
  await again.subscribe('all')
  const [state] = await again.reach(1)
  expect(stateOf(state).printers.map(({ name }) => name)).toEqual(['Newer'])
})

test('the full state first, then what changes', async () => {
  const one = subscriber()
  await one.subscribe('all')
  const [first] = await one.reach(1)
  expect(stateOf(first).printers).toMatchObject([
    { id: left.id, name: 'Left', auth_token: 'token', status: null },
    { id: right.id, name: 'Right' },
  ])
  tellStatus(right, 12)
  const [, second] = await one.reach(2)
  expect(second).toMatchObject({ printer: { id: right.id, changes: { status: { progress: { completion: 12 } } } } })
  expect(second).not.toHaveProperty('printer.changes.name')
})

test('only the printers asked for, and none of anybody else', async () => {
  const stranger = await world.addPrinter(await world.addUser(), 'Stranger')
  const one = subscriber()
  await one.subscribe([right.id, stranger.id, 999_999])
  const [first] = await one.reach(1)
  expect(stateOf(first).printers.map(({ id }) => id)).toEqual([right.id])
  tellStatus(stranger, 1)
  tellStatus(left, 1)
  tellStatus(right, 2)
  const [, second] = await one.reach(2)
  expect(second).toMatchObject({ printer: { id: right.id } })
  expect(one.messages).toHaveLength(2)
})

test('a burst of changes is one message with the newest values', async () => {
  const one = subscriber()
  await one.subscribe('all')
  await one.reach(1)
  for (let completion = 1; completion <= 100; completion += 1) tellStatus(left, completion)
  const messages = await one.reach(2)
  expect(messages).toHaveLength(2)
  expect(messages[1]).toMatchObject({ printer: { changes: { status: { progress: { completion: 100 } } } } })
})

test('changes of a row are read and told', async () => {
  const one = subscriber()
  await one.subscribe('all')
  await one.reach(1)
  await world.addCurrentPrint(left, { filename: 'vase.gcode' })
  await updatePrinter(world.db, left.id, { name: 'Renamed' })
  for (let times = 0; times < 5; times += 1) tell(left, { type: 'row' })
  const [, second] = await one.reach(2)
  expect(second).toMatchObject({
    printer: { id: left.id, changes: { name: 'Renamed', current_print: { filename: 'vase.gcode' } } },
  })
})

test('added, archived, brought back, deleted', async () => {
  const one = subscriber()
  await one.subscribe('all')
  await one.reach(1)
  const added = await world.addPrinter(userId, 'New')
  world.bus.publish(userSubject(userId), { type: 'printer_added', printer_id: added.id })
  expect((await one.reach(2))[1]).toMatchObject({ printer: { id: added.id, changes: { name: 'New', settings: {} } } })
  await updatePrinter(world.db, added.id, { archived_at: NOW })
  tell(added, { type: 'row' })
  expect((await one.reach(3))[2]).toMatchObject({ removed: { id: added.id } })
  await updatePrinter(world.db, added.id, { archived_at: null })
  tell(added, { type: 'row' })
  expect((await one.reach(4))[3]).toMatchObject({ printer: { id: added.id, changes: { name: 'New' } } })
  await deletePrinter(world.db, added.id)
  tell(added, { type: 'removed' })
  expect((await one.reach(5))[4]).toMatchObject({ removed: { id: added.id } })
})

test('one who comes back with a cursor is told only what it missed', async () => {
  const one = subscriber()
  await one.subscribe('all')
  const since = cursorOf((await one.reach(1))[0])
  one.close()
  tellStatus(left, 30)
  tell(left, { type: 'gauge', normalized_p: 0.5 })
  const two = subscriber()
  await two.subscribe('all', since)
  const [first] = await two.reach(1)
  expect(first).toMatchObject({ printer: { id: left.id, changes: { status: { progress: { completion: 30 } } } } })
  expect(two.messages).toHaveLength(1)
})

test('one who missed nothing is told so, without the state', async () => {
  const one = subscriber()
  await one.subscribe('all')
  const since = cursorOf((await one.reach(1))[0])
  await one.subscribe('all', since)
  expect((await one.reach(2))[1]).toEqual({ printer: { cursor: since, id: left.id, changes: {} } })
})

test.each([
  { name: 'a printer was deleted meanwhile', change: async () => tell(right, { type: 'removed' }) },
  {
    name: 'a printer was archived meanwhile',
    change: async () => {
      await updatePrinter(world.db, right.id, { archived_at: NOW })
      tell(right, { type: 'row' })
    },
  },
])('full state again: $name', async ({ change }) => {
  const one = subscriber()
  await one.subscribe('all')
  const since = cursorOf((await one.reach(1))[0])
  await change()
  await one.reach(2)
  one.close()
  const two = subscriber()
  await two.subscribe('all', since)
  expect(stateOf((await two.reach(1))[0]).printers.map(({ id }) => id)).toEqual([left.id])
})

test('full state for a cursor of another server', async () => {
  const one = subscriber()
  await one.subscribe('all', 'abcdef012345.3.all')
  expect(stateOf((await one.reach(1))[0]).printers).toHaveLength(2)
})

test('within one round only the last frame has the new cursor, so that nothing is lost between them', async () => {
  const one = subscriber()
  await one.subscribe('all')
  const before = cursorOf((await one.reach(1))[0])
  tellStatus(left, 1)
  tellStatus(right, 2)
  const [, second, third] = await one.reach(3)
  expect(cursorOf(second)).toBe(before)
  expect(cursorOf(third)).not.toBe(before)
  const two = subscriber()
  await two.subscribe('all', cursorOf(second))
  await two.reach(2)
  expect(two.messages).toHaveLength(2)
})

test('commands and events go through, with the picture URL of the subscriber', async () => {
  const one = subscriber()
  await one.subscribe([left.id])
  await one.reach(1)
  const command = {
    id: '0a5bd2f6-6fd4-4b39-9e3e-7c8f3f4f7d10',
    printer_id: left.id,
    cmd: 'pause',
    initiator: 'web',
    ...{ initiator_name: null, reason: null, alert_id: null },
    status: 'sent',
    error: null,
    result: null,
    created_at: new Date(NOW).toISOString(),
    acked_at: null,
    done_at: null,
  } as const
  const event = {
    id: 1,
    event_type: 'FAILURE_ALERTED',
    event_class: 'ERROR',
    event_title: 'x',
    event_text: null,
    image_url: null,
    info_url: null,
    created_at: new Date(NOW).toISOString(),
    print: null,
    printer: left.id,
    ...BY_NOBODY,
  } as const
  tell(left, { type: 'command', command })
  tell(left, { type: 'event', event, image_key: 'printers/1/e.jpg' })
  tell(right, { type: 'event', event: { ...event, printer: right.id }, image_key: null })
  const [, second, third] = await one.reach(3)
  expect(second).toEqual({ command })
  expect(third).toEqual({ event: { ...event, image_url: 'http://a/printers/1/e.jpg' } })
  expect(one.messages).toHaveLength(3)
})

test('a slow subscriber is skipped, then told the newest values once', async () => {
  const one = subscriber()
  await one.subscribe('all')
  await one.reach(1)
  one.sink.buffered = SLOW_BYTES + 1
  for (let completion = 1; completion <= 50; completion += 1) tellStatus(left, completion)
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(one.messages).toHaveLength(1)
  one.sink.buffered = 0
  const messages = await one.reach(2)
  expect(messages).toHaveLength(2)
  expect(messages[1]).toMatchObject({ printer: { changes: { status: { progress: { completion: 50 } } } } })
  expect(one.sink.isGivenUp).toBe(false)
})

test('a slow subscriber that missed an event is given the full state', async () => {
  const one = subscriber()
  await one.subscribe('all')
  await one.reach(1)
  one.sink.buffered = SLOW_BYTES + 1
  const event = {
    id: 1,
    event_type: 'PAUSED',
    event_class: 'INFO',
    event_title: '',
    event_text: '',
    image_url: null,
  } as const
  const rest = { info_url: null, created_at: new Date(NOW).toISOString(), print: null, printer: left.id, ...BY_NOBODY }
  tell(left, { type: 'event', event: { ...event, ...rest }, image_key: null })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(one.messages).toHaveLength(1)
  one.sink.buffered = 0
  expect(stateOf((await one.reach(2))[1]).printers).toHaveLength(2)
})

test('a subscriber whose socket takes nothing any more is given up', async () => {
  const one = subscriber()
  await one.subscribe('all')
  await one.reach(1)
  one.sink.buffered = SLOW_BYTES + 1
  tellStatus(left, 1)
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(one.sink.isGivenUp).toBe(false)
  world.clock.time += STUCK_AFTER_MS
  await expect.poll(() => one.sink.isGivenUp).toBe(true)
})

test('a printer whose agent falls silent goes offline by itself', async () => {
  const one = subscriber()
  await one.subscribe('all')
  await one.reach(1)
  tellStatus(left, 1)
  await one.reach(2)
  world.clock.time += STATUS_TTL_MS
  await feeds.ageAll()
  expect((await one.reach(3))[2]).toMatchObject({ printer: { id: left.id, changes: { status: null } } })
})

test('agents are told when the first looks and when the last looks away', async () => {
  const agent = world.connectAgent(left.id)
  const [one, two] = [subscriber(), subscriber()]
  await one.subscribe('all')
  await two.subscribe([left.id])
  await two.reach(1)
  expect(await viewing.isViewed(left.id)).toBe(true)
  await one.subscribe([right.id])
  await one.reach(2)
  expect(agent.received).toEqual([{ type: 'remote_status', viewing: true }])
  two.close()
  await expect
    .poll(() => agent.received)
    .toEqual([
      { type: 'remote_status', viewing: true },
      { type: 'remote_status', viewing: false },
    ])
  expect(await viewing.isViewed(left.id)).toBe(false)
  expect(await viewing.isViewed(right.id)).toBe(true)
})

test('an agent is not told that nobody looks while somebody does at another node', async () => {
  const agent = world.connectAgent(left.id)
  const elsewhere = viewingFlow(world)
  elsewhere.look(left.id)
  const one = subscriber()
  await one.subscribe('all')
  await one.reach(1)
  one.close()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(agent.received).not.toContainEqual({ type: 'remote_status', viewing: false })
  elsewhere.lookAway(left.id)
})
