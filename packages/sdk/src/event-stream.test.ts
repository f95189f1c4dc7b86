import { expect, test } from 'vitest'
import { eventReader, type ServerSentEvent } from './event-stream.js'

/** What a stream says that comes in these pieces. */
function readAll(pieces: Iterable<string>): ServerSentEvent[] {
  const push = eventReader()
  return [...pieces].flatMap(push)
}

test.each([
  { name: 'name and data', text: 'event: delta\ndata: {"a":1}\n\n', events: [{ name: 'delta', data: '{"a":1}' }] },
  { name: 'without a name it is a message', text: 'data: x\n\n', events: [{ name: 'message', data: 'x' }] },
  { name: 'CRLF', text: 'event: a\r\ndata: x\r\n\r\n', events: [{ name: 'a', data: 'x' }] },
  { name: 'CR alone', text: 'event: a\rdata: x\r\r', events: [{ name: 'a', data: 'x' }] },
  {
    name: 'each line ends in its own way',
    text: 'event: a\rdata: x\r\ndata: y\n\r\n',
    events: [{ name: 'a', data: 'x\ny' }],
  },
  {
    name: 'data of several lines',
    text: 'data: x\ndata:\ndata:  y\n\n',
    events: [{ name: 'message', data: 'x\n\n y' }],
  },
  { name: 'no space after the colon', text: 'event:a\ndata:x\n\n', events: [{ name: 'a', data: 'x' }] },
  { name: 'data with a colon', text: 'data: a: b\n\n', events: [{ name: 'message', data: 'a: b' }] },
  { name: 'comments say nothing', text: ': here\n\ndata: x\n: there\n\n', events: [{ name: 'message', data: 'x' }] },
  {
    name: 'other fields say nothing',
    text: 'id: 7\nretry: 1\nnothing\ndata: x\n\n',
    events: [{ name: 'message', data: 'x' }],
  },
  {
    name: 'a name without data is no event, and is forgotten',
    text: 'event: a\n\ndata: x\n\n',
    events: [{ name: 'message', data: 'x' }],
  },
  {
    name: 'empty lines between',
    text: '\n\ndata: x\n\n\n\ndata: y\n\n',
    events: [
      { name: 'message', data: 'x' },
      { name: 'message', data: 'y' },
    ],
  },
  { name: 'what is not ended is none', text: 'data: x\n\ndata: y\n', events: [{ name: 'message', data: 'x' }] },
  { name: 'an empty datum is one', text: 'data\n\n', events: [{ name: 'message', data: '' }] },
])('$name, however it is cut', ({ text, events }) => {
  expect(readAll([text])).toEqual(events)
  expect(readAll(text)).toEqual(events)
  for (let cut = 0; cut <= text.length; cut += 1) {
    expect(readAll([text.slice(0, cut), '', text.slice(cut)]), `cut at ${cut}`).toEqual(events)
  }
})

test('a line of a million pieces is read in time', () => {
  const pieces = Array.from({ length: 1_000_000 }, () => 'x')
  const began = performance.now()
  const [event] = readAll(['data: ', ...pieces, '\n\n'])
  expect(event?.data.length).toBe(1_000_000)
  // Looking at the whole line again with each piece would take hours.
  expect(performance.now() - began).toBeLessThan(20_000)
})
