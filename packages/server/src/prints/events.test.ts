import { PrinterEvent } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { insertPrinterEvent } from './events-store.js'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(async () => {
  await server.close()
})

test('events are listed by page', async () => {
  const { printer } = await server.addPrinter(server.owner.id)
  const line = { user_id: server.owner.id, printer_id: printer.id, event_type: 'PAUSED', event_class: 'INFO' }
  for (let index = 0; index < 3; index += 1) {
    await insertPrinterEvent(server.database.db, { ...line, created_at: server.clock.now() + index })
  }
  const list = `/api/v1/printer_events/?printer_id=${printer.id}`
  const { headers, json } = await server.call('GET', `${list}&limit=2`)
  expect(json).toHaveLength(2)
  expect(headers.get('x-total-count')).toBe('3')
  expect(headers.get('link')).toBe(`<${server.url}${list}&limit=2&start=2>; rel="next"`)
  expect((await server.call('GET', `${list}&limit=201`)).status).toBe(400)
  expect((await server.call('GET', `${list}&start=-1`)).status).toBe(400)
  expect((await server.call('GET', list, { token: server.other.token })).json).toEqual([])
  expect((await server.call('GET', list, { token: null })).status).toBe(401)
  expect((await server.call('GET', list, { token: await server.addToken(server.owner.id, 'write') })).status).toBe(403)
})

test('events count as unseen until the user says otherwise', async () => {
  const { printer } = await server.addPrinter(server.other.id)
  const line = { user_id: server.other.id, printer_id: printer.id, event_type: 'PAUSED', event_class: 'INFO' }
  for (let index = 0; index < 2; index += 1)
    await insertPrinterEvent(server.database.db, { ...line, created_at: index })
  const { token } = server.other
  expect((await server.call('GET', '/api/v1/users/me/', { token })).json).toMatchObject({ unseen_printer_events: 2 })
  const body = { unseen_printer_events: 0 }
  expect((await server.call('PATCH', '/api/v1/users/me/', { token, body })).json).toMatchObject(body)
})

test('events are filtered by class and type, and by groups of types', async () => {
  const { printer } = await server.addPrinter(server.owner.id)
  const events = [
    ['STARTED', 'INFO'],
    ['PAUSED', 'INFO'],
    ['RESUMED', 'INFO'],
    ['FAILURE_ALERTED', 'ERROR'],
    ['ALERT_MUTED', 'WARNING'],
    ['ALERT_UNMUTED', 'INFO'],
    ['PRINTER_ERROR', 'ERROR'],
  ] as const
  const now = server.clock.now()
  for (const [index, [event_type, event_class]] of events.entries()) {
    const line = { user_id: server.owner.id, printer_id: printer.id, event_type, event_class }
    await insertPrinterEvent(server.database.db, { ...line, created_at: now - index })
  }
  const list = async (query: string) => {
    const path = `/api/v1/printer_events/?printer_id=${printer.id}&${query}`
    const { json, headers } = await server.call('GET', path)
    const types = PrinterEvent.array()
      .parse(json)
      .map(({ event_type }) => event_type)
    expect(headers.get('x-total-count')).toBe(String(types.length))
    return types
  }
  expect(await list('')).toHaveLength(7)
  expect(await list('filter_by_classes[]=ERROR')).toEqual(['FAILURE_ALERTED', 'PRINTER_ERROR'])
  expect(await list('filter_by_classes[]=ERROR&filter_by_classes[]=WARNING')).toHaveLength(3)
  expect(await list('filter_by_types[]=PAUSE_RESUME')).toEqual(['PAUSED', 'RESUMED'])
  expect(await list('filter_by_types[]=ALERT')).toEqual(['FAILURE_ALERTED', 'ALERT_MUTED', 'ALERT_UNMUTED'])
  expect(await list('filter_by_types[]=ALERT&filter_by_types[]=STARTED')).toHaveLength(4)
  expect(await list('filter_by_types[]=ALERT&filter_by_classes[]=INFO')).toEqual(['ALERT_UNMUTED'])
  for (const query of ['filter_by_types[]=OTHER', 'filter_by_classes[]=info', 'filter_by_classes[]=']) {
    expect((await server.call('GET', `/api/v1/printer_events/?${query}`)).status).toBe(400)
  }
})
