import type { Command } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { commandNews, waitForCommand } from './command-waiter.js'
import { ApiError, NetworkError } from './errors.js'

const ID = '7d3c4f0e-0000-4000-8000-000000000001'
const TARGET = { id: ID, printer_id: 3 }

const command = (status: Command['status'], error: string | null = null): Command => ({
  ...TARGET,
  cmd: 'pause',
  initiator: 'api',
  initiator_name: null,
  reason: null,
  alert_id: null,
  status,
  error,
  result: null,
  created_at: '2026-01-01T00:00:00.000Z',
  acked_at: null,
  done_at: null,
})

test('a live subscription tells of the end, and other commands do not', async () => {
  const news = commandNews()
  let asked = 0
  const ask = async (): Promise<Command> => {
    asked += 1
    // What is told while the first question is on its way must not be lost.
    news.tell({ ...command('done'), id: '7d3c4f0e-0000-4000-8000-000000000002' })
    news.tell(command('acked'))
    news.tell(command('done'))
    return command('sent')
  }
  news.follow({}, [3])
  expect(await waitForCommand(TARGET, ask, news)).toMatchObject({ status: 'done' })
  expect(asked).toBe(1)
})

test('without a subscription the server is asked until it is over, through breaks of the network', async () => {
  const answers = [command('sent'), new NetworkError('gone'), command('acked'), command('failed', 'the bed is cold')]
  const ask = async (): Promise<Command> => {
    const next = answers.shift()
    if (next === undefined || next instanceof Error) throw next ?? new Error('asked too often')
    return next
  }
  const waiting = waitForCommand(TARGET, ask, commandNews())
  await expect(waiting).rejects.toMatchObject({ code: 'failed', message: 'the bed is cold' })
  expect(answers).toEqual([])
})

test('a refusal ends the wait', async () => {
  const refusal = new ApiError({ status: 404, code: 'not_found', title: '', detail: '' })
  await expect(waitForCommand(TARGET, () => Promise.reject(refusal), commandNews())).rejects.toBe(refusal)
})

test.each([
  { name: 'all printers', printers: 'all' as const, is: true },
  { name: 'this printer', printers: [1, 3], is: true },
  { name: 'others', printers: [1], is: false },
  { name: 'it no longer', printers: undefined, is: false },
])('a subscription that follows $name', ({ printers, is }) => {
  const news = commandNews()
  const subscription = {}
  news.follow(subscription, 'all')
  news.follow(subscription, printers)
  expect(news.isFollowed(3)).toBe(is)
})
