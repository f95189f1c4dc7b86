import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { statusKey } from '../../printers/live-keys.js'
import {
  agentSubject,
  janusSubject,
  passthruSubject,
  type PrinterNotice,
  printerSubject,
  REVOKED_SUBJECT,
} from '../../printers/notices.js'
import { type AgentServer, startAgentServer, statusMessage, until } from '../testing.js'
import { UpstreamAgent } from './testing.js'

const T = 1_795_000_000

let server: AgentServer
let printer: { id: number; token: string }

beforeAll(async () => {
  server = await startAgentServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  printer = await server.addAgent()
})

async function connected(scheme = 'bearer'): Promise<UpstreamAgent> {
  const agent = await UpstreamAgent.open(server.url, `${scheme} ${printer.token}`)
  await agent.next('remote_status')
  return agent
}

const settled = (agent: UpstreamAgent) => agent.settled(server.bus, printer.id)
const prints = () =>
  server.db.selectFrom('prints').selectAll().where('printer_id', '=', printer.id).orderBy('id').execute()
const status = () => server.live.get(statusKey(printer.id))
const say = (text: Parameters<typeof statusMessage>[1], ts: number, more: Parameters<typeof statusMessage>[3] = {}) =>
  statusMessage(server.clock.time, text, ts, more)
const start = (ts = T) => say('Printing', ts, { event: { event_type: 'PrintStarted' } })
const PAUSE = { cmd: 'pause', args: { retract: 1, lift_z: 2, tools_off: true }, initiator: 'api' } as const

describe('the door', () => {
  test.each(['bearer', 'Bearer', 'BEARER', 'token', 'Token'])('lets in who comes with %s', async (scheme) => {
    const agent = await UpstreamAgent.open(server.url, `${scheme} ${printer.token}`)
    expect(await agent.next('remote_status')).toEqual({ viewing: false, should_watch: false })
    await agent.close()
  })

  test('is there without the slash, too', async () => {
    const agent = await UpstreamAgent.open(server.url, `bearer ${printer.token}`, '/ws/dev')
    expect(await agent.next('remote_status')).toBeDefined()
    await agent.close()
  })

  test.each(['bearer 0123456789abcdef0123', 'Basic eDp5', ''])('is closed to %s', async (authorization) => {
    await expect(UpstreamAgent.open(server.url, authorization)).rejects.toThrow('401')
  })

  test('of both doors a printer has one socket: the newer one', async () => {
    const upstream = await connected()
    const own = await server.connect(printer.token)
    expect(await upstream.closed).toBe(4321)
    const again = await connected()
    expect(await own.closed).toBe(4321)
    await again.close()
  })

  test('too large a message ends the connection, a long reply does not', async () => {
    const agent = await connected()
    const heard: unknown[] = []
    const stop = server.bus.subscribe(passthruSubject(printer.id), (message) => void heard.push(message))
    const reply = { passthru: { ref: 'files', ret: 'x'.repeat(2 * 1024 * 1024) } }
    agent.say(reply)
    await settled(agent)
    expect(heard[0]).toEqual(reply)
    stop()
    agent.say({ current_print_ts: -1, status: { _ts: 1, filler: 'x'.repeat(1024 * 1024) } })
    expect(await agent.closed).toBe(4413)
  })

  test('what cannot be read is ignored, and counted', async () => {
    const agent = await connected()
    for (const junk of ['not JSON', '[1,2]', '"text"', Buffer.from('not BSON either'), '[['.repeat(40_000)])
      agent.say(junk)
    agent.say(say('Operational', -1))
    await settled(agent)
    expect(await status()).toMatchObject({ state: { text: 'Operational' } })
    const rows = await server.deviations.list(printer.id)
    expect(rows.map(({ kind, count }) => [kind, count])).toEqual([
      ['binary_message', 1],
      ['unreadable', 5],
    ])
    await agent.close()
  })

  test('a binary message is read like any other', async () => {
    const agent = await connected()
    agent.sayBson(say('Operational', -1))
    await settled(agent)
    expect(await status()).toMatchObject({ state: { text: 'Operational' } })
    await agent.close()
  })

  test('a revoked token closes it', async () => {
    const agent = await connected()
    await server.db.updateTable('printers').set({ auth_token_hash: 'other' }).where('id', '=', printer.id).execute()
    server.bus.publish(REVOKED_SUBJECT, { type: 'printer', printer_id: printer.id })
    expect(await agent.closed).toBe(4401)
  })
})

describe('prints', () => {
  test('an empty message shows the printer offline once, and its print stays open', async () => {
    const agent = await connected()
    const told: (PrinterNotice & { type: 'status' })['status'][] = []
    const stop = server.bus.subscribe(printerSubject(printer.id), (notice) => {
      const { type, ...rest } = notice as PrinterNotice
      if (type === 'status') told.push((rest as { status: (typeof told)[0] }).status)
    })
    agent.say(start())
    for (const empty of [{}, {}, {}]) agent.say(empty)
    await settled(agent)
    expect(told.map((value) => value?.state.text ?? null)).toEqual(['Printing', null])
    expect(await status()).toBeUndefined()
    agent.say(say('Printing', T))
    await settled(agent)
    expect(told).toHaveLength(3)
    expect(await prints()).toMatchObject([{ current_print_ts: T, state: 'running' }])
    stop()
    await agent.close()
  })

  test('a print that was lost while its printer was away ends once the grace is over, and not before', async () => {
    const first = await connected()
    first.say(start())
    first.say({})
    await settled(first)
    await first.close()
    const agent = await connected()
    agent.say(say('Operational', -1))
    await settled(agent)
    expect(await prints()).toMatchObject([{ state: 'running' }])
    const idleSince = server.clock.time
    server.clock.time += 30_000
    agent.say(say('Operational', -1))
    await settled(agent)
    expect(await prints()).toMatchObject([{ state: 'cancelled', cancelled_at: idleSince, end_assumed: 1 }])
    await agent.close()
  })

  test('two start times of one print are one print, also across connections', async () => {
    const agent = await connected()
    agent.say(start())
    agent.say(say('Printing', T + 3))
    await settled(agent)
    await agent.close()
    const again = await connected()
    again.say(say('Printing', T + 3))
    again.say(say('Operational', T + 3, { event: { event_type: 'PrintDone' } }))
    again.say(say('Operational', T + 3))
    await settled(again)
    expect(await prints()).toMatchObject([{ current_print_ts: T, state: 'finished' }])
    await again.close()
  })

  test('a late message about an ended print opens nothing', async () => {
    const agent = await connected()
    agent.say(start())
    agent.say(say('Operational', T, { event: { event_type: 'PrintDone' } }))
    agent.say(say('Operational', -1))
    server.clock.time += 10_000
    agent.say(say('Printing', T))
    await settled(agent)
    expect(await prints()).toMatchObject([{ state: 'finished' }])
    await agent.close()
  })

  test('a backlog out of order leaves one print with one end', async () => {
    const agent = await connected()
    const now = server.clock.time
    const older = statusMessage(now - 60_000, 'Printing', T, { event: { event_type: 'PrintStarted' } })
    const old = statusMessage(now - 30_000, 'Operational', T, { event: { event_type: 'PrintDone' } })
    for (const message of [say('Operational', -1), old, older]) agent.say(message)
    await settled(agent)
    expect(await prints()).toMatchObject([{ current_print_ts: T, state: 'finished' }])
    expect(await status()).toMatchObject({ _ts: now / 1000 })
    await agent.close()
  })

  test('a change of filament is a line of the history, once a minute, told to whoever listens', async () => {
    const lines = () =>
      server.db
        .selectFrom('printer_events')
        .select(['event_class', 'print_id', 'created_at'])
        .where('printer_id', '=', printer.id)
        .where('event_type', '=', 'FILAMENT_CHANGE')
        .execute()
    const told: PrinterNotice[] = []
    const stop = server.bus.subscribe(printerSubject(printer.id), (notice) => void told.push(notice as PrinterNotice))
    const agent = await connected()
    const change = say('Printing', T, { event: { event_type: 'FilamentChange' } })
    agent.say(start())
    for (const message of [change, change]) agent.say(message)
    await settled(agent)
    const [print] = await prints()
    const line = { event_class: 'WARNING', print_id: print?.id, created_at: server.clock.time }
    expect(await lines()).toEqual([line])
    expect(told.filter(({ type }) => type === 'event')).toMatchObject([
      { event: { event_type: 'STARTED' } },
      { event: { event_type: 'FILAMENT_CHANGE' } },
    ])
    server.clock.time += 60_000
    agent.say(change)
    await settled(agent)
    expect(await lines()).toEqual([line, { ...line, created_at: server.clock.time }])
    stop()
    await agent.close()
  })

  test('of two statuses of one second the later one counts', async () => {
    const agent = await connected()
    const _ts = Math.floor(server.clock.time / 1000)
    agent.say(say('Pausing', T, { status: { _ts } }))
    agent.say(say('Paused', T, { status: { _ts } }))
    await settled(agent)
    expect(await status()).toMatchObject({ state: { text: 'Paused' } })
    await agent.close()
  })
})

describe('commands', () => {
  const command = async (id: string) =>
    server.db.selectFrom('commands').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  test('a pause is acknowledged when the state shows it, and done when it is paused', async () => {
    const agent = await connected()
    agent.say(start())
    await settled(agent)
    const { succeeded, command_id } = await server.printers.send(printer, PAUSE)
    expect(succeeded).toBe(true)
    expect(await agent.next('commands')).toEqual([PAUSE])
    agent.say(say('Printing', T))
    await settled(agent)
    expect(await command(command_id)).toMatchObject({ status: 'sent' })
    agent.say(say('Pausing', T))
    await settled(agent)
    expect(await command(command_id)).toMatchObject({ status: 'acked' })
    agent.say(say('Paused', T))
    await settled(agent)
    expect(await command(command_id)).toMatchObject({ status: 'done', error: null })
    await agent.close()
  })

  test('what the agent cannot do is refused in words', async () => {
    const agent = await connected()
    const { command_id } = await server.printers.send(printer, { cmd: 'connect', args: {}, initiator: 'web' })
    await until(async () => (await command(command_id)).status === 'failed', 'the refusal')
    expect((await command(command_id)).error).toMatch(/^rejected: .* do it at the printer/)
    expect(agent.received).toEqual([])
    await agent.close()
  })

  test('a busy printer does not take the file, and says so', async () => {
    const agent = await connected()
    const url = 'http://elsewhere.example/media/a?expires=1&signature=s'
    const args = { g_code_file_id: 7, filename: 'a b.gcode', num_bytes: 1, sha256: 'ab', url }
    const { command_id } = await server.printers.send(printer, { cmd: 'print', args, initiator: 'web' })
    const passthru = (await agent.next('passthru')) as { ref: string; args: unknown }
    expect(passthru.args).toEqual([
      { id: 7, url: `${server.url}/media/a?expires=1&signature=s`, filename: 'a b.gcode', safe_filename: 'a_b.gcode' },
    ])
    agent.say({ passthru: { ref: passthru.ref, error: 'Printer busy!' } })
    await settled(agent)
    expect(await command(command_id)).toMatchObject({ status: 'failed', error: 'rejected: Printer busy!' })
    await agent.close()
  })

  test('a snapshot is a look at the printer that ends with the picture', async () => {
    const agent = await connected()
    const { command_id } = await server.printers.send(printer, { cmd: 'snapshot', args: {}, initiator: 'web' })
    expect(await agent.next('remote_status')).toEqual({ viewing: true })
    expect((await command(command_id)).status).toBe('sent')
    server.bus.publish(printerSubject(printer.id), { type: 'pic', pic: null })
    expect(await agent.next('remote_status')).toEqual({ viewing: false })
    await settled(agent)
    expect((await command(command_id)).status).toBe('done')
    await agent.close()
  })

  test('whoever looks at the printer goes on looking', async () => {
    server.viewed.add(printer.id)
    const agent = await UpstreamAgent.open(server.url, `bearer ${printer.token}`)
    expect(await agent.next('remote_status')).toMatchObject({ viewing: true })
    await server.printers.send(printer, { cmd: 'snapshot', args: {}, initiator: 'web' })
    expect(await agent.next('remote_status')).toEqual({ viewing: true })
    server.bus.publish(printerSubject(printer.id), { type: 'pic', pic: null })
    await settled(agent)
    expect(agent.received).toEqual([])
    server.viewed.delete(printer.id)
    await agent.close()
  })
})

describe('what is passed on', () => {
  test('requests reach the agent, its words reach whoever listens', async () => {
    const agent = await connected()
    const passthru = { target: '_printer', func: 'jog', args: [{ x: 10 }], ref: 'browser 1' }
    expect(await server.bus.request(agentSubject(printer.id), { type: 'passthru', passthru }, 1000)).toBe(true)
    expect(await agent.next('passthru')).toEqual(passthru)
    expect(
      await server.bus.request(agentSubject(printer.id), { type: 'janus', janus: '{"janus":"create"}' }, 1000),
    ).toBe(true)
    expect(await agent.next('janus')).toBe('{"janus":"create"}')

    const heard: unknown[] = []
    const stops = [passthruSubject, janusSubject].map((subject) => {
      return server.bus.subscribe(subject(printer.id), (message) => void heard.push(message))
    })
    agent.say({ passthru: { terminal_feed: { msg: 'ok', _ts: 1 } } })
    agent.say({ janus: '{"janus":"success"}' })
    await settled(agent)
    expect(heard.slice(0, 2)).toEqual([
      { passthru: { terminal_feed: { msg: 'ok', _ts: 1 } } },
      { janus: '{"janus":"success"}' },
    ])
    for (const stop of stops) stop()
    await agent.close()
  })

  test('our own door takes neither', async () => {
    const own = await server.connect(printer.token)
    await own.next('remote_status')
    const passthru = { target: '_printer', func: 'jog' }
    expect(await server.bus.request(agentSubject(printer.id), { type: 'passthru', passthru }, 200)).toBeUndefined()
    expect(await server.bus.request(agentSubject(printer.id), { type: 'janus', janus: '{}' }, 200)).toBeUndefined()
    await own.kill()
  })
})
