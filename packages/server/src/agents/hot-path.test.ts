import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { statusKey } from '../printers/live-keys.js'
import { countStatements, type StatementCount } from '../printers/testing.js'
import { framesPrefix } from '../timelapse/frames.js'
import { type AgentServer, newEventId, startAgentServer, statusMessage, type TestAgent } from './testing.js'

// What a busy server does thousands of times a second, counted at its ports: statements of the database, writes of blobs.

const T = 1_795_000_000
const MESSAGES = 200

let server: AgentServer
let count: StatementCount

beforeAll(async () => {
  server = await startAgentServer({
    wrap: (database) => {
      const counted = countStatements(database)
      count = counted.count
      return counted.database
    },
  })
})

afterAll(() => server.close())

/** An agent in the middle of a print. */
async function printing(): Promise<{ id: number; token: string; agent: TestAgent }> {
  const { id, token } = await server.addAgent()
  const agent = await server.connect(token)
  await agent.next('remote_status')
  await tell(agent, 'PrintStarted')
  return { id, token, agent }
}

async function tell(agent: TestAgent, event_type: string): Promise<void> {
  const event = { event_type, id: newEventId() }
  agent.send(statusMessage(server.clock.time, 'Printing', T, { event }))
  expect(await agent.next('ack')).toEqual({ events: [event.id] })
}

const SETTINGS = { settings: { webcams: [], agent: { name: 'moonraker_obico', version: '1.2.3' } } }

/** The status of a print that goes on: everything in it changes but what is stored. */
const goingOn = (index: number) => ({
  ...statusMessage(server.clock.time + index, 'Printing', T, {
    status: {
      progress: { completion: index / 10, filepos: index * 100, printTime: index, printTimeLeft: 5000 - index },
      temperatures: { tool0: { actual: 200 + index / 7, target: 215, offset: 0 } },
      currentZ: index / 5,
    },
  }),
  // Agents of existing kinds repeat their settings.
  ...(index % 10 === 0 ? SETTINGS : {}),
})

test('messages that change nothing durable cost no statement, however many come', async () => {
  const { id, agent } = await printing()
  agent.send(goingOn(0))
  await agent.settled()
  const before = count.statements
  for (let index = 1; index <= MESSAGES; index++) agent.send(goingOn(index))
  await agent.settled()
  expect(count.statements - before).toBe(0)
  expect(await server.live.get(statusKey(id))).toMatchObject({ progress: { completion: MESSAGES / 10 } })
  // The counter counts: an event is durable.
  await tell(agent, 'PrintPaused')
  expect(count.statements).toBeGreaterThan(before)
})

test('the temperatures of an hour of printing are a row a minute, and the messages cost no statement', async () => {
  const { id, agent } = await printing()
  agent.send(goingOn(0))
  await agent.settled()
  await server.temperatures.flush()
  const before = { ...count }
  for (let second = 20; second <= 3600; second += 20) {
    server.clock.time += 20_000
    agent.send(goingOn(0))
    await agent.settled()
  }
  await server.temperatures.flush()
  // 180 messages: they wait together, with those of other printers, and are written every five seconds of the real time.
  expect(count.statements - before.statements).toBeLessThanOrEqual(5)
  const { id: printId } = await server.db
    .selectFrom('prints')
    .select('id')
    .where('printer_id', '=', id)
    .executeTakeFirstOrThrow()
  const rows = await server.db.selectFrom('print_temperatures').selectAll().where('print_id', '=', printId).execute()
  expect(rows).toHaveLength(61)
  expect(rows[0]).toMatchObject({ heaters: JSON.stringify({ tool0: [200, 215] }) })
  // They go with their print.
  await server.db.deleteFrom('prints').where('id', '=', printId).execute()
  expect(await server.db.selectFrom('print_temperatures').selectAll().execute()).toEqual([])
})

test('an agent that comes back in the middle of a print costs no write', async () => {
  const { token, agent } = await printing()
  await agent.kill()
  const before = { ...count }
  const back = await server.connect(token)
  await back.next('remote_status')
  back.send(goingOn(1))
  await back.settled()
  expect(count.writes).toBe(before.writes)
  expect(count.statements).toBeGreaterThan(before.statements)
})

test('a snapshot of a running print is written once, and its time-lapse has the same bytes', async () => {
  const { id, token } = await printing()
  const put = vi.spyOn(server.blobs, 'putNew')
  const replace = vi.spyOn(server.blobs, 'put')
  const copy = vi.spyOn(server.blobs, 'copy')
  const picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#a17' } })
    .jpeg()
    .toBuffer()
  for (let upload = 0; upload < 3; upload++) {
    server.clock.time += 10_000
    const body = new FormData()
    body.set('pic', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'pic.jpg')
    expect((await server.request('/api/v1/agent/pic/', token, { method: 'POST', body })).status).toBe(200)
  }
  expect(put.mock.calls.map(([key]) => key)).toEqual(Array(3).fill(expect.stringContaining(`printers/${id}/pic/`)))
  expect(copy).toHaveBeenCalledTimes(3)
  expect(replace).not.toHaveBeenCalled()
  const print = await server.db.selectFrom('prints').select('id').where('printer_id', '=', id).executeTakeFirstOrThrow()
  const frames = await server.blobs.list(framesPrefix(print.id))
  expect(frames.map(({ size }) => size)).toEqual(Array(3).fill(picture.length))
  put.mockRestore()
  replace.mockRestore()
  copy.mockRestore()
})

test('no part of it was a defect', () => {
  expect(server.log.errors).toEqual([])
})
