import { expect, test } from 'vitest'
import { displayedBy, noticeOfEvent, promptAfter, questionNotice } from './notices.js'

test.each([
  { event: 'FilamentChange', payload: {}, about: 'filament_change', says: 'filament' },
  { event: 'Error', payload: { error: 'Thermal Runaway, system stopped!' }, about: 'error', says: 'Thermal Runaway' },
  { event: 'Error', payload: { error: 7 }, about: 'error', says: 'OctoPrint reports an error' },
  { event: 'EStop', payload: {}, about: 'error', says: 'emergency stop' },
])('$event $payload is a notice', ({ event, payload, about, says }) => {
  expect(noticeOfEvent(event, payload)).toMatchObject({ about, text: expect.stringContaining(says) })
})

test.each(['PrintStarted', 'Disconnected', 'Home', ''])('%s is none', (event) => {
  expect(noticeOfEvent(event, {})).toBeUndefined()
})

const ASKED = { id: 'q', text: 'Filament runout?', choices: ['Yes', 'No'] }

test('a question comes with its choices', () => {
  const data = { action: 'show', text: 'Filament runout?', choices: ['Yes', 'No', 7] }
  expect(promptAfter(undefined, 'action_command_prompt', data, 'q')).toEqual(ASKED)
  expect(questionNotice(ASKED)).toMatchObject({ about: 'question', text: 'Filament runout? (Yes / No)' })
})

test.each([
  ['its close ends it', 'action_command_prompt', { action: 'close' }, undefined],
  ['another question takes its place', 'action_command_prompt', { action: 'show', text: 'Now?' }, 'Now?'],
  ['a show of nothing ends it', 'action_command_prompt', { action: 'show' }, undefined],
  ['another plugin says nothing of it', 'another', { action: 'show', text: 'hello' }, ASKED.text],
  ['nor does the display', 'action_command_notification', { message: 'hello' }, ASKED.text],
])('of a question: %s', (_, plugin, data, text) => {
  expect(promptAfter(ASKED, plugin, data, 'next')?.text).toBe(text)
})

test.each([
  { plugin: 'action_command_notification', data: { message: ' Heating ' }, shown: 'Heating' },
  { plugin: 'action_command_notification', data: {}, shown: null },
  { plugin: 'action_command_prompt', data: { message: 'x' }, shown: undefined },
])('$plugin $data shows $shown', ({ plugin, data, shown }) => {
  expect(displayedBy(plugin, data)).toBe(shown)
})
