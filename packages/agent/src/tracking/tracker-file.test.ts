import { mkdtemp, readdir, readFile, writeFile, rm, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fakeClock } from '../time/fake-clock.js'
import { fakeLog } from '../log/fake-log.js'
import { stateOfPhase } from './host-state.js'
import type { UnsentEvent } from '../reports/outbox.js'
import { track, type Tracker } from './print-tracker.js'
import { openTrackerFile } from './tracker-file.js'
import { NEW_RECORD, type TrackerRecord } from './tracker-record.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tracker-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const ID = '7b0d4c0e-51f6-4b0a-9c1e-0d7f6c3d2b1a'

function printing(clock = fakeClock()): { record: TrackerRecord; clock: ReturnType<typeof fakeClock> } {
  const now = { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() }
  const { tracker } = track(NEW_RECORD.tracker, { type: 'print', event: 'started' }, now)
  const event: UnsentEvent = {
    id: ID,
    type: 'PrintStarted',
    printTs: tracker.lastTs,
    atMs: now.monotonicMs,
    status: { _ts: 5, state: stateOfPhase('printing') },
  }
  return { record: { tracker, outbox: [event], notices: [], host: { parked: true } }, clock }
}

test('a printer that was never seen starts afresh', async () => {
  const file = await openTrackerFile(folder, 'mk3', fakeClock(), fakeLog())
  expect(file.initial).toEqual(NEW_RECORD)
})

test('print, unsent events and what the host keeps survive a restart on a machine with another uptime', async () => {
  const { record, clock } = printing()
  await (await openTrackerFile(folder, 'mk3', clock, fakeLog())).save(record)

  const later = fakeClock(clock.wallMs() + 60_000)
  later.advance(500)
  const { initial } = await openTrackerFile(folder, 'mk3', later, fakeLog())
  expect(initial.tracker.print?.ts).toBe(record.tracker.print?.ts)
  expect(initial.tracker).toMatchObject({ lastTs: record.tracker.lastTs, blind: true })
  expect(initial.host).toEqual({ parked: true })
  expect(initial.outbox[0]).toMatchObject({ id: ID, type: 'PrintStarted' })
  expect(later.monotonicMs() - (initial.outbox[0]?.atMs ?? 0)).toBe(60_500)
})

test('an event keeps the age zero when the clock was set back meanwhile', async () => {
  const { record, clock } = printing()
  await (await openTrackerFile(folder, 'mk3', clock, fakeLog())).save(record)
  const earlier = fakeClock(clock.wallMs() - 3_600_000)
  const { initial } = await openTrackerFile(folder, 'mk3', earlier, fakeLog())
  expect(initial.outbox[0]?.atMs).toBe(earlier.monotonicMs())
})

test('an event that waited for its state is told after the restart', async () => {
  const { record, clock } = printing()
  const now = { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() }
  const tracker: Tracker = track(record.tracker, { type: 'print', event: 'cancelled' }, now).tracker
  await (await openTrackerFile(folder, 'mk3', clock, fakeLog())).save({ ...record, tracker })

  const { initial } = await openTrackerFile(folder, 'mk3', clock, fakeLog())
  const step = track(initial.tracker, { type: 'tick' }, now)
  expect(step.events.map(({ type }) => type)).toEqual(['PrintCancelled'])
})

test('saves that come together leave the newest, and all of them are on the disk when they resolve', async () => {
  const { record, clock } = printing()
  const file = await openTrackerFile(folder, 'mk3', clock, fakeLog())
  await Promise.all([1, 2, 3, 4].map((n) => file.save({ ...record, host: n })))
  expect((await openTrackerFile(folder, 'mk3', clock, fakeLog())).initial.host).toBe(4)
})

test.each([
  { name: 'half a file', content: '{"version":1,"print":{"ts":18' },
  { name: 'an empty file', content: '' },
  { name: 'another shape', content: '{"version":1,"print":"yes"}' },
  { name: 'a newer version', content: '{"version":2}' },
])('$name is set aside with a warning', async ({ content }) => {
  await writeFile(join(folder, 'mk3.json'), content)
  const log = fakeLog()
  const file = await openTrackerFile(folder, 'mk3', fakeClock(), log)
  expect(file.initial).toEqual(NEW_RECORD)
  expect(log.texts('warn')).toHaveLength(1)
  const [aside] = await readdir(folder)
  expect(aside).toMatch(/^mk3\.json\.damaged-\d+$/)
  expect(await readFile(join(folder, aside ?? ''), 'utf8')).toBe(content)
})

test('a folder that is none is told as what it is', async () => {
  const notFolder = join(folder, 'file')
  await writeFile(notFolder, '')
  const log = fakeLog()
  const file = await openTrackerFile(notFolder, 'mk3', fakeClock(), log)
  expect(file.initial).toEqual(NEW_RECORD)
  expect(log.texts('warn')).toEqual(['the state file cannot be read: the agent goes on without'])
})

test('what a crash left half-written beside the file is ignored', async () => {
  const { record, clock } = printing()
  await (await openTrackerFile(folder, 'mk3', clock, fakeLog())).save(record)
  await writeFile(join(folder, 'mk3.json.new'), '{"version":')
  const { initial } = await openTrackerFile(folder, 'mk3', clock, fakeLog())
  expect(initial.outbox).toHaveLength(1)
})

test('a disk that cannot be written is told once and does not stop the agent', async () => {
  await mkdir(join(folder, 'mk3.json.new'))
  const { record, clock } = printing()
  const log = fakeLog()
  const file = await openTrackerFile(folder, 'mk3', clock, log)
  await file.save(record)
  await file.save(record)
  expect(log.texts('error')).toHaveLength(1)
})

test('a name with path characters stays inside the folder', async () => {
  const { record, clock } = printing()
  await (await openTrackerFile(folder, '../a/b', clock, fakeLog())).save(record)
  expect(await readdir(folder)).toEqual(['..%2Fa%2Fb.json'])
})
