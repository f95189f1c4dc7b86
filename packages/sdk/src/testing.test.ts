import { expect, test } from 'vitest'
import { ApiError, CommandError, NetworkError } from './errors.js'
import { createFakeServer } from './testing.js'

test('an app is tested without a server: an action, and what comes of it, live', async () => {
  const server = createFakeServer()
  const printer = server.addPrinter({ name: 'MK4' })
  printer.startPrint('cube.gcode')
  const client = server.client()
  const events: string[] = []
  const live = client.live({ printers: 'all', onEvent: (event) => events.push(event.event_type) })
  await live.waitFor((printers) => printers.get(printer.id)?.status?.state.text === 'Printing')

  const command = await client.waitFor(await client.pausePrint({ id: printer.id }))
  expect(command).toMatchObject({ cmd: 'pause', status: 'done' })
  await live.waitFor((printers) => printers.get(printer.id)?.status?.state.text === 'Paused')
  printer.endPrint('failed')
  await live.waitFor((printers) => printers.get(printer.id)?.current_print === null)
  expect(events).toEqual(['ENDED'])
  live.close()
  expect(await client.listPrints({ filter: 'failed' })).toMatchObject([
    { filename: 'cube.gcode', printer: { name: 'MK4' } },
  ])
})

test.each([
  { obedience: 'refuse' as const, code: 'failed' },
  { obedience: 'ignore' as const, code: 'timed_out' },
])('a printer may $obedience a command', async ({ obedience, code }) => {
  const server = createFakeServer({ onCommand: () => obedience })
  const printer = server.addPrinter()
  printer.startPrint()
  const client = server.client()
  const sent = await client.cancelPrint({ id: printer.id })
  const waiting = client.waitFor(sent).catch((error: unknown) => error)
  if (obedience === 'ignore') printer.answerCommand(sent.command_id ?? '', 'timed_out')
  const error = await waiting
  expect(error).toBeInstanceOf(CommandError)
  expect(error).toMatchObject({ code, command: { cmd: 'cancel' } })
})

test('a command that was not sent is told apart', async () => {
  const server = createFakeServer()
  const printer = server.addPrinter({ connected: false })
  const client = server.client()
  await expect(client.waitFor(await client.pausePrint({ id: printer.id }))).rejects.toMatchObject({ code: 'not_sent' })
})

test('an operation can be made to answer in another way', async () => {
  const server = createFakeServer()
  const client = server.client()
  const stats = { timezone: 'UTC', from_date: '2026-01-01', to_date: '2026-01-31', group_by: 'month' } as const
  expect(await client.getPrintStats(stats)).toMatchObject({ total_print_count: 0 })
  const none = { print_count_groups: [], print_time_groups: [], filament_used_groups: [] }
  const zero = { longest_print_time: 0, average_print_time: 0, total_filament_used: 0, total_print_time: 0 }
  const counts = { total_print_count: 3, total_cancelled_print_count: 1, total_succeeded_print_count: 2 }
  server.on('getPrintStats', ({ query }) => {
    expect(query.timezone).toBe('UTC')
    return { ...none, ...zero, ...counts }
  })
  expect(await client.getPrintStats(stats)).toMatchObject({ total_print_count: 3 })
})

test('failures are made on demand', async () => {
  const server = createFakeServer()
  const client = server.client({ retry: false })
  server.failNext({ code: 'unavailable', retryAfter: 7 }, 'network')
  await expect(client.getMe()).rejects.toMatchObject({ name: 'ApiError', code: 'unavailable', retryAfterSeconds: 7 })
  await expect(client.getMe()).rejects.toBeInstanceOf(NetworkError)
  expect(await client.getMe()).toMatchObject({ id: server.userId })
})

test('a revoked token ends live subscriptions, as at the real server', async () => {
  const server = createFakeServer()
  server.addPrinter()
  const token = server.addToken()
  const client = server.client({ token })
  const live = client.live({ printers: 'all' })
  await live.waitFor((printers) => printers.size === 1)
  server.revokeToken(token)
  await expect(live.waitFor(() => false)).rejects.toBeInstanceOf(ApiError)
  expect(live.status).toMatchObject({ state: 'closed', error: { code: 'token_revoked' } })
})
