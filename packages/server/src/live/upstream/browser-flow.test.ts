import { afterEach, expect, test } from 'vitest'
import { memoryBus } from '../../adapters/bus-memory.js'
import { agentSubject, type ToAgent } from '../../printers/notices.js'
import { sampleFacts } from '../../printers/sample.js'
import { keptLog } from '../../testing.js'
import { emptyRound } from '../encoded.js'
import { emptyFeed, putFacts } from '../feed.js'
import { viewingFlow } from '../viewing-flow.js'
import { browserFlow } from './browser-flow.js'
import type { Talk } from './connection-socket.js'

// Presence over minutes, which the test alone lets pass.

let talk: Talk | undefined
afterEach(() => talk?.close())

function begin() {
  const log = keptLog()
  const bus = memoryBus(log)
  const clock = { ms: 1_795_251_649_000, now: () => clock.ms }
  const feed = emptyFeed('epoch')
  putFacts(feed, sampleFacts(), clock.now())
  const toldAgent: ToAgent[] = []
  bus.subscribe(agentSubject(7), (frame) => void toldAgent.push(frame as ToAgent))
  const sent: string[] = []
  const sink = { send: (text: string) => void sent.push(text), buffered: () => 0, giveUp() {}, close() {} }
  const source = {
    ...{ feed, round: emptyRound(), attach: () => () => {} },
    ...{ know: async () => {}, catchUp: async () => {}, age() {}, close() {} },
  }
  const viewer = { origin: '', mediaUrl: (key: string) => key, canWrite: true }
  const seat = { printer_id: 7, user_id: 1, by: { type: 'auth_token' }, viewer } as const
  talk = browserFlow({ viewing: viewingFlow({ bus }), bus, clock }, seat, source, sink)
  const told = (...viewing: boolean[]) =>
    expect.poll(() => toldAgent).toEqual(viewing.map((one) => ({ type: 'remote_status', viewing: one })))
  return { talk, clock, sent, told }
}

test('who says nothing for two minutes does not look any more, until they say something again', async () => {
  const { talk: browser, clock, told } = begin()
  await told(true)
  clock.ms += 119_000
  browser.tick()
  await told(true)
  clock.ms += 1000
  browser.tick()
  await told(true, false)
  browser.receive(Buffer.from('{}'), false)
  await told(true, false, true)
  browser.close()
  browser.close()
  await told(true, false, true, false)
})

test('who says that they are there is told again only when that was long ago', async () => {
  const { talk: browser, clock, sent } = begin()
  await expect.poll(() => sent).toHaveLength(1)
  clock.ms += 45_000
  browser.receive(Buffer.from('{}'), false)
  clock.ms += 1000
  browser.receive(Buffer.from('{}'), false)
  await expect.poll(() => sent).toHaveLength(2)
})
