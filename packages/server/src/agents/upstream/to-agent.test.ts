import { expect, test } from 'vitest'
import { readToAgent } from '../to-agent.js'
import { atOrigin } from './origin.js'
import { answerFrame, toUpstream } from './to-agent.js'

const id = 'a1b2c3d4-0000-4000-8000-000000000001'
const command = (cmd: string, args: object = {}) => {
  const payload = readToAgent({ type: 'command', id, cmd, args, initiator: 'web', expires_in_ms: 30_000 })
  if (payload === undefined) throw new Error(`${cmd} is no command`)
  return payload
}
const FILE = {
  ...{ g_code_file_id: 7, filename: 'My boat (1).gcode', num_bytes: 3, sha256: 'ab' },
  url: 'http://desk.local:3000/media/a%20b?expires=1&signature=s',
}

test.each([
  {
    name: 'a pause has four arguments, two of them only when they are on',
    payload: command('pause', { retract: 6.5, lift_z: 2.5, tools_off: true, bed_off: false, ours: 1 }),
    frame: { commands: [{ cmd: 'pause', args: { retract: 6.5, lift_z: 2.5, tools_off: true }, initiator: 'web' }] },
  },
  {
    name: 'a pause without any',
    payload: command('pause'),
    frame: { commands: [{ cmd: 'pause', args: {}, initiator: 'web' }] },
  },
  {
    name: 'a resume',
    payload: command('resume', { ours: 1 }),
    frame: { commands: [{ cmd: 'resume', args: {}, initiator: 'web' }] },
  },
  {
    name: 'a cancel',
    payload: command('cancel'),
    frame: { commands: [{ cmd: 'cancel', args: {}, initiator: 'web' }] },
  },
  {
    name: 'a print is a download',
    payload: command('print', FILE),
    frame: {
      passthru: {
        ...{ target: 'file_downloader', func: 'download', ref: 'ref' },
        args: [{ id: 7, url: FILE.url, filename: 'My boat (1).gcode', safe_filename: 'My_boat__1_.gcode' }],
      },
    },
  },
  {
    name: 'remote_status without our additions',
    payload: { type: 'remote_status' as const, viewing: true, interval_ms: 500 },
    frame: { remote_status: { viewing: true } },
  },
  {
    name: 'a passthru as it is',
    payload: { type: 'passthru' as const, passthru: { target: '_printer', func: 'home', args: [['x']], ref: 'b' } },
    frame: { passthru: { target: '_printer', func: 'home', args: [['x']], ref: 'b' } },
  },
  {
    name: 'Janus text',
    payload: { type: 'janus' as const, janus: '{"janus":"create"}' },
    frame: { janus: '{"janus":"create"}' },
  },
])('$name', ({ payload, frame }) => {
  expect(toUpstream(payload, 'ref')).toMatchObject({ type: 'frame', frame })
  const told = toUpstream(payload, 'ref')
  // Nothing beside it: agents fail on what they do not know.
  expect(told.type === 'frame' && told.frame).toEqual(frame)
})

test.each([
  {
    name: 'our own additions alone',
    payload: { type: 'remote_status' as const, interval_ms: 5 },
    told: { type: 'nothing' },
  },
  { name: 'a snapshot is a look', payload: command('snapshot'), told: { type: 'look', id } },
  {
    name: 'connect is refused',
    payload: command('connect'),
    told: { type: 'refused', id, detail: expect.any(String) },
  },
  {
    name: 'a print of nothing is refused',
    payload: command('print'),
    told: { type: 'refused', id, detail: expect.any(String) },
  },
])('$name', ({ payload, told }) => {
  expect(toUpstream(payload, 'ref')).toEqual(told)
})

test('of an answer the agent gets what it knows', () => {
  expect(answerFrame({ ack: { events: [] }, remote_status: { should_watch: true } })).toEqual({
    remote_status: { should_watch: true },
  })
  expect(answerFrame({ error: { code: 'x', detail: 'y' } })).toBeUndefined()
})

test('a file is fetched where the agent reaches the server', () => {
  const moved = atOrigin(command('print', FILE), 'https://prints.example')
  expect(moved).toMatchObject({ args: { url: 'https://prints.example/media/a%20b?expires=1&signature=s' } })
  expect(atOrigin(command('pause'), 'https://prints.example')).toEqual(command('pause'))
})
