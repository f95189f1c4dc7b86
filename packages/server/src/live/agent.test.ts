import { once } from 'node:events'
import { type Command, flagsOf, LiveCommand, ServerToAgent, type StateText } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startTestServer, type TestServer } from '../testing.js'
import { connectLive } from './testing.js'

// From an agent's socket to a subscriber's and back, through the whole server.

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(async () => {
  await server.close()
})

async function connectAgent(token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const socket = new WebSocket(`${server.wsUrl}/ws/agent/`, ['agent.v1'], { headers })
  const received: ServerToAgent[] = []
  socket.on('message', (data: Buffer) => received.push(ServerToAgent.parse(JSON.parse(data.toString()))))
  await once(socket, 'open')
  const send = (message: object): void => socket.send(JSON.stringify(message))
  const report = (text: StateText, rest: object = {}): void => {
    const file = { name: 'boat.gcode', path: 'boat.gcode', display: 'boat' }
    const status = { _ts: server.clock.now() / 1000, state: { text, flags: flagsOf(text) }, job: { file } }
    send({ current_print_ts: 1_795_251_000, status, ...rest })
  }
  return { socket, received, send, report }
}

const viewings = (received: readonly ServerToAgent[]): (boolean | undefined)[] =>
  received.flatMap(({ remote_status }) => (remote_status?.viewing === undefined ? [] : [remote_status.viewing]))

test('a print is watched, paused from afar, and the agent leaves', async () => {
  const { printer, auth_token } = await server.addPrinter(server.owner.id)
  const agent = await connectAgent(auth_token)
  const viewer = connectLive(server)
  await viewer.subscribe()
  await viewer.reach(1)
  await expect.poll(() => viewings(agent.received)).toEqual([false, true])

  agent.report('Printing', { event: { event_type: 'PrintStarted' } })
  const told = (what: object) => expect.poll(() => viewer.messages).toContainEqual(expect.objectContaining(what))
  await told({ event: expect.objectContaining({ event_type: 'STARTED', printer: printer.id }) })
  const shown = () => viewer.messages.flatMap((message) => ('printer' in message ? [message.printer] : []))
  await expect
    .poll(() => Object.assign({}, ...shown().map((change) => (change as { changes: object }).changes)))
    .toMatchObject({ status: { state: { text: 'Printing' } }, current_print: { filename: 'boat.gcode' } })

  const { json } = await server.call('POST', `/api/v1/printers/${printer.id}/pause_print/`)
  const { command_id, succeeded } = json as { command_id: string; succeeded: boolean }
  expect(succeeded).toBe(true)
  await expect
    .poll(() => agent.received.flatMap(({ commands }) => commands ?? []))
    .toMatchObject([{ id: command_id, cmd: 'pause', initiator: 'api' }])
  agent.send({ ack: { id: command_id, result: null } })
  await expect.poll(() => steps(viewer.messages)).toEqual(['sent', 'acked'])
  agent.report('Paused', { event: { event_type: 'PrintPaused' } })
  await expect.poll(() => steps(viewer.messages)).toEqual(['sent', 'acked', 'done'])

  agent.socket.close()
  await expect.poll(() => shown().at(-1)).toMatchObject({ id: printer.id, changes: { status: null } })

  const again = await connectAgent(auth_token)
  await expect.poll(() => viewings(again.received)).toEqual([true])
  viewer.socket.close()
  await expect.poll(() => viewings(again.received)).toEqual([true, false])
  again.socket.close()
})

function steps(messages: readonly unknown[]): Command['status'][] {
  return messages.flatMap((message) => LiveCommand.safeParse(message).data?.command.status ?? [])
}

test('a deleted printer closes its agent and leaves the subscriber', async () => {
  const { printer, auth_token } = await server.addPrinter(server.owner.id)
  const agent = await connectAgent(auth_token)
  const viewer = connectLive(server)
  await viewer.subscribe([printer.id])
  // Who was never shown it is not told that it is gone.
  await expect.poll(() => JSON.stringify(viewer.messages)).toContain(`"id":${printer.id},`)
  const ended = once(agent.socket, 'close')
  await server.call('DELETE', `/api/v1/printers/${printer.id}/`)
  expect((await ended)[0]).toBe(4401)
  await expect.poll(() => viewer.messages.at(-1)).toMatchObject({ removed: { id: printer.id } })
  viewer.socket.close()
})
