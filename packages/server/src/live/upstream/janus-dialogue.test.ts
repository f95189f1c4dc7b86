import { describe, expect, test } from 'vitest'
import { guestRule, janusDialogue, ownerRule } from './janus-dialogue.js'

const json = JSON.stringify

type Answer = Record<string, unknown>

/** A gateway in a few lines: it numbers sessions, and answers whoever asked under the transaction that was given. */
function gateway(firstId = 100) {
  let id = firstId
  return (text: string): string => {
    const { janus, transaction, session_id } = JSON.parse(text) as Answer
    if (janus === 'create') return json({ janus: 'success', transaction, data: { id: id++ } })
    if (janus === 'attach') return json({ janus: 'success', session_id, transaction, data: { id: 9 } })
    return json({ janus: 'ack', session_id, transaction })
  }
}

function viewer(mark: string, rule = ownerRule) {
  const dialogue = janusDialogue(mark, rule)
  return {
    ...dialogue,
    /** What goes to the gateway; throws when it is answered here. */
    forwarded(request: object): string {
      const relayed = dialogue.toGateway(json(request))
      if (relayed.type !== 'forward') throw new Error(relayed.text)
      return relayed.text
    },
    refused(request: object | string): Answer {
      const relayed = dialogue.toGateway(typeof request === 'string' ? request : json(request))
      if (relayed.type !== 'answer') throw new Error(`forwarded: ${relayed.text}`)
      return JSON.parse(relayed.text) as Answer
    },
    shown: (text: string): unknown => {
      const shown = dialogue.toViewer(text)
      return shown === undefined ? undefined : JSON.parse(shown)
    },
  }
}

test('a viewer is answered under its own transaction, and its request is changed in nothing else', () => {
  const one = viewer('one.')
  const ask = gateway()
  const request = { janus: 'create', transaction: 'abc', token: 't', opaque_id: 'x' }
  const sent = one.forwarded(request)
  expect(JSON.parse(sent)).toEqual({ ...request, transaction: 'one.abc' })
  expect(one.shown(ask(sent))).toEqual({ janus: 'success', transaction: 'abc', data: { id: 100 } })
})

test('two viewers who choose the same transactions see each their own session, and nothing of the other', () => {
  const ask = gateway()
  const [one, two] = [viewer('one.'), viewer('two.')]
  const create = { janus: 'create', transaction: '1' }
  const answers = [ask(one.forwarded(create)), ask(two.forwarded(create))]
  const seen = [one, two].map(({ shown }) => answers.map((answer) => shown(answer)))
  expect(seen).toEqual([
    [{ janus: 'success', transaction: '1', data: { id: 100 } }, undefined],
    [undefined, { janus: 'success', transaction: '1', data: { id: 101 } }],
  ])
  // What the gateway says by itself, without a transaction.
  const event = json({ janus: 'event', session_id: 100, sender: 9, jsep: { type: 'offer', sdp: 'v=0' } })
  expect(one.shown(event)).toEqual(JSON.parse(event))
  expect(two.shown(event)).toBeUndefined()
  // The other's session can neither be steered nor claimed.
  for (const janus of ['keepalive', 'message', 'destroy', 'claim', 'attach']) {
    expect(two.refused({ janus, transaction: '2', session_id: 100 })).toMatchObject({
      ...{ janus: 'error', transaction: '2', session_id: 100, error: { code: 458 } },
    })
  }
  expect(JSON.parse(one.forwarded({ janus: 'attach', transaction: '2', session_id: 100 }))).toMatchObject({
    session_id: 100,
  })
})

test('a handle is no session', () => {
  const ask = gateway()
  const one = viewer('one.')
  one.shown(ask(one.forwarded({ janus: 'create', transaction: '1' })))
  one.shown(ask(one.forwarded({ janus: 'attach', transaction: '2', session_id: 100 })))
  expect(one.shown(json({ janus: 'event', session_id: 9 }))).toBeUndefined()
})

test.each([
  { name: 'an answer to nobody', text: json({ janus: 'error', error: { code: 454 } }) },
  { name: "another's mark in front", text: json({ janus: 'ack', transaction: 'one' }) },
  { name: 'the mark elsewhere', text: json({ janus: 'ack', transaction: 'x one.' }) },
  { name: 'an unknown session', text: json({ janus: 'timeout', session_id: 5 }) },
  { name: 'no JSON', text: '{' },
  { name: 'a list', text: '[]' },
  { name: 'nothing', text: '' },
])('the gateway says $name: not shown', ({ text }) => {
  expect(viewer('one.').shown(text)).toBeUndefined()
})

test('a session that timed out is no session any more', () => {
  const ask = gateway()
  const one = viewer('one.')
  one.shown(ask(one.forwarded({ janus: 'create', transaction: '1' })))
  expect(one.ends().map((text) => JSON.parse(text) as Answer)).toMatchObject([{ janus: 'destroy', session_id: 100 }])
  expect(one.shown(json({ janus: 'timeout', session_id: 100 }))).toEqual({ janus: 'timeout', session_id: 100 })
  expect(one.shown(json({ janus: 'event', session_id: 100 }))).toBeUndefined()
  expect(one.ends()).toEqual([])
})

test('an error to a create makes no session, and a viewer may try again without end', () => {
  const one = viewer('one.')
  for (let count = 0; count < 50; count += 1) {
    const { transaction } = JSON.parse(one.forwarded({ janus: 'create', transaction: 'x' })) as Answer
    one.shown(json({ janus: 'error', transaction, error: { code: 403 } }))
  }
  expect(one.ends()).toEqual([])
})

test('a viewer cannot have sessions without end, but one after another', () => {
  const ask = gateway()
  const one = viewer('one.')
  const create = (transaction: string) => one.shown(ask(one.forwarded({ janus: 'create', transaction })))
  for (let count = 0; count < 8; count += 1) create(String(count))
  expect(one.refused({ janus: 'create', transaction: '8' })).toMatchObject({ error: { code: 403 } })
  one.forwarded({ janus: 'destroy', transaction: 'd', session_id: 100 })
  expect(create('9')).toMatchObject({ janus: 'success' })
  // The gateway was started again and knows none of them.
  const transaction = 'one.k'
  one.shown(
    JSON.stringify({ janus: 'error', session_id: 101, transaction, error: { code: 458, reason: 'No such session' } }),
  )
  expect(create('10')).toMatchObject({ janus: 'success' })
})

test('what was never answered, or never arrived, does not count', () => {
  const ask = gateway()
  const one = viewer('one.')
  for (let count = 0; count < 30; count += 1) one.forwarded({ janus: 'create', transaction: `lost ${count}` })
  const request = { janus: 'create', transaction: 'x' }
  one.forwarded(request)
  expect(JSON.parse(one.undelivered(JSON.stringify(request)))).toMatchObject({ transaction: 'x', error: { code: 490 } })
  expect(one.shown(ask(one.forwarded({ janus: 'create', transaction: 'y' })))).toMatchObject({ data: { id: 100 } })
})

test('whatever an answer holds is passed on as it is', () => {
  const answered = { janus: 'server_info', transaction: 'i', data: [1], error: 'none', plugins: { a: null } }
  expect(viewer('one.').shown(JSON.stringify({ ...answered, transaction: 'one.i' }))).toEqual(answered)
})

test.each([
  { name: 'no JSON', request: '{', code: 454 },
  { name: 'a list', request: '[]', code: 454 },
  { name: 'no transaction', request: json({ janus: 'create' }), code: 456 },
  { name: 'a transaction that is no text', request: json({ janus: 'create', transaction: 5 }), code: 456 },
  { name: 'a session that is none', request: json({ janus: 'x', transaction: '1', session_id: {} }), code: 456 },
])('$name is answered here with $code', ({ request, code }) => {
  expect(viewer('one.').refused(request)).toMatchObject({ janus: 'error', error: { code } })
})

describe('a guest', () => {
  const rule = guestRule(() => new Set([1, 2]))
  const message = (body: unknown) => ({ janus: 'message', body })
  test.each([
    { name: 'create', request: { janus: 'create' }, allowed: true },
    { name: 'keepalive', request: { janus: 'keepalive' }, allowed: true },
    { name: 'trickle', request: { janus: 'trickle' }, allowed: true },
    { name: 'destroy', request: { janus: 'destroy' }, allowed: true },
    { name: 'attach to streaming', request: { janus: 'attach', plugin: 'janus.plugin.streaming' }, allowed: true },
    { name: 'info of a camera', request: message({ request: 'info', id: 1 }), allowed: true },
    { name: 'watch a camera', request: message({ request: 'watch', id: 2, offer_video: true }), allowed: true },
    { name: 'start', request: message({ request: 'start' }), allowed: true },
    { name: 'stop', request: message({ request: 'stop' }), allowed: true },
    { name: 'attach to another plugin', request: { janus: 'attach', plugin: 'janus.plugin.textroom' }, allowed: false },
    { name: 'attach to nothing', request: { janus: 'attach' }, allowed: false },
    { name: 'claim', request: { janus: 'claim' }, allowed: false },
    { name: 'info of the gateway', request: { janus: 'info' }, allowed: false },
    { name: 'watch a stream that is no camera', request: message({ request: 'watch', id: 389 }), allowed: false },
    { name: 'watch whatever there is', request: message({ request: 'watch' }), allowed: false },
    { name: 'watch by text', request: message({ request: 'watch', id: '1' }), allowed: false },
    { name: 'start another stream', request: message({ request: 'start', id: 389 }), allowed: false },
    { name: 'list', request: message({ request: 'list' }), allowed: false },
    { name: 'switch', request: message({ request: 'switch', id: 1 }), allowed: false },
    { name: 'create a stream', request: message({ request: 'create', id: 1 }), allowed: false },
    { name: 'record', request: message({ request: 'recording', id: 1 }), allowed: false },
    { name: 'a message without a body', request: { janus: 'message' }, allowed: false },
    { name: 'an admin request', request: { janus: 'list_sessions' }, allowed: false },
  ])('$name: $allowed', ({ request, allowed }) => {
    expect(rule(request) === undefined).toBe(allowed)
  })

  test('is told why not, under its transaction', () => {
    const guest = viewer('guest.', rule)
    expect(guest.refused({ janus: 'info', transaction: '1' })).toEqual({
      ...{ janus: 'error', transaction: '1', error: { code: 403, reason: 'A guest may only watch.' } },
    })
  })
})
