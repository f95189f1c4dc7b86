import { expect, test } from 'vitest'
import { memoryCounters } from '../adapters/counters-memory.js'
import { uploadLimit } from './upload-limit.js'

const NOW = 1_800_000_000_000
const FEW = { perSecond: 0.01, burst: 3 }
const WIDE = { perSecond: 1e6, burst: 1e6 }

function newLimit(limits: Partial<Parameters<typeof uploadLimit>[0]['limits']>) {
  const clock = { now: () => NOW }
  const noted: string[] = []
  const all = {
    agent_pictures: WIDE,
    agent_picture_bytes: WIDE,
    agent_events: WIDE,
    agent_uploads_at_once: 4,
    ...limits,
  }
  const refusals = { note: (limit: string) => void noted.push(limit) }
  const limit = uploadLimit({ counters: memoryCounters(clock), clock, refusals, limits: all })
  return { noted, send: (bytes: number, receive = async () => 'received') => limit.run(7, 'picture', bytes, receive) }
}

test('an upload that is one too many under way costs nothing', async () => {
  const { send, noted } = newLimit({ agent_pictures: FEW, agent_uploads_at_once: 1 })
  let finish = (_text: string): void => undefined
  const first = send(1, () => new Promise<string>((resolve) => (finish = resolve)))
  for (let count = 0; count < 10; count += 1) await expect(send(1)).rejects.toMatchObject({ code: 'rate_limited' })
  expect(new Set(noted)).toEqual(new Set(['agent_uploads_at_once']))
  finish('at last')
  expect(await first).toBe('at last')
  expect([await send(1), await send(1)]).toEqual(['received', 'received'])
  await expect(send(1)).rejects.toMatchObject({ code: 'rate_limited' })
})

test('a picture that is refused for its bytes does not count as one', async () => {
  const { send, noted } = newLimit({ agent_pictures: FEW, agent_picture_bytes: { perSecond: 0.01, burst: 100 } })
  expect(await send(60)).toBe('received')
  for (let count = 0; count < 10; count += 1) await expect(send(60)).rejects.toMatchObject({ code: 'rate_limited' })
  expect(new Set(noted)).toEqual(new Set(['agent_picture_bytes']))
  expect([await send(1), await send(1)]).toEqual(['received', 'received'])
})

test('what was refused by a rate is under way no more', async () => {
  const { send } = newLimit({ agent_pictures: FEW, agent_uploads_at_once: 1 })
  for (let count = 0; count < 3; count += 1) await send(1)
  for (let count = 0; count < 3; count += 1) {
    await expect(send(1)).rejects.toMatchObject({ message: expect.not.stringContaining('at once') })
  }
})
