import { expect, test } from 'vitest'
import { readServerMessage } from './server-messages.js'

const ID = '7b0d4c0e-51f6-4b0a-9c1e-0d7f6c3d2b1a'
const command = { id: ID, cmd: 'pause', args: { retract: 6.5 }, initiator: 'system', expires_in_ms: 5000 }
const read = (value: unknown) => readServerMessage(JSON.stringify(value))

test('a message with several parts', () => {
  expect(
    read({
      commands: [command],
      ack: { events: [ID] },
      remote_status: { viewing: true },
      error: { code: 'x', detail: 'y' },
    }),
  ).toEqual({
    commands: [command],
    badCommands: [],
    acknowledged: [ID],
    remoteStatus: { viewing: true },
    error: { code: 'x', detail: 'y' },
  })
})

test('a command of a newer server is answered by its id, and spoils none of the others', () => {
  const message = read({ commands: [{ ...command, cmd: 'dance' }, command, { cmd: 'no id' }] })
  expect(message?.commands).toEqual([command])
  expect(message?.badCommands).toEqual([{ id: ID, detail: expect.stringContaining('cmd') }])
})

test.each([
  { name: 'a part that is wrong', value: { remote_status: 5, ack: { events: [ID] } } },
  { name: 'a part that is new', value: { weather: 'fine', ack: { events: [ID] } } },
])('$name does not spoil the others', ({ value }) => {
  expect(read(value)).toMatchObject({ remoteStatus: undefined, acknowledged: [ID] })
})

test.each(['', 'no json', '5', 'null', '[]', '"text"'])('%j is no message', (text) => {
  expect(readServerMessage(text)).toBeUndefined()
})
