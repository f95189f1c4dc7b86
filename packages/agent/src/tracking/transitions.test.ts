import { readFile } from 'node:fs/promises'
import { NO_PRINT } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { currentPrintTs } from './print-tracker.js'
import { TRANSITIONS, transitionTable } from './transitions.js'
import { eventsOf, openPlayer } from './transitions-testing.js'

test.each(TRANSITIONS)('$from → $to: $trigger', ({ from, given, causes, events, to, flags, print }) => {
  const player = openPlayer()
  for (const cause of given) player.cause(cause)
  const before = currentPrintTs(player.tracker)
  expect(player.messages.at(-1)?.status.state.text).toBe(from)

  const already = player.messages.length
  for (const cause of causes) player.cause(cause)
  const messages = player.messages.slice(already)
  expect(eventsOf(messages)).toEqual(events)
  const last = messages.at(-1)
  expect(last?.status.state.text).toBe(to)
  const { state } = last?.status ?? {}
  const isTrue = Object.entries(state?.flags ?? {}).flatMap(([flag, value]) => (value ? [flag] : []))
  expect(isTrue.sort()).toEqual([...flags].sort())

  const after = last?.current_print_ts ?? 0
  if (print === 'none') expect(after).toBe(NO_PRINT)
  if (print === 'same') expect(after).toBe(before)
  if (print === 'new') expect(after).toBeGreaterThan(Math.max(0, before))
  // The event is told with the state that it leads to.
  const told = messages.findLast(({ event }) => event !== undefined)
  if (told) expect(told.status.state.text).toBe(to)
})

test('the table in the documentation is this one', async () => {
  const page = await readFile(new URL('../../../../docs/printer-states.md', import.meta.url), 'utf8')
  const [table] = page.slice(page.indexOf('| From |')).split('\n\n')
  expect(table).toBe(transitionTable())
})
