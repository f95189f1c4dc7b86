import { expect, test } from 'vitest'
import { displayedBy, noticeOfEvent, noticeOfPlugin } from './notices.js'

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

test('a question comes with its choices', () => {
  const data = { action: 'show', text: 'Filament runout?', choices: ['Yes', 'No'] }
  expect(noticeOfPlugin('action_command_prompt', data)).toEqual({
    about: 'question',
    title: 'The printer asks',
    text: 'Filament runout? (Yes / No)',
  })
})

test.each([
  { plugin: 'action_command_prompt', data: { action: 'close' } },
  { plugin: 'another', data: { action: 'show', text: 'hello' } },
  { plugin: 'action_command_notification', data: { message: 'hello' } },
])('$plugin $data asks nothing', ({ plugin, data }) => {
  expect(noticeOfPlugin(plugin, data)).toBeUndefined()
})

test.each([
  { plugin: 'action_command_notification', data: { message: ' Heating ' }, shown: 'Heating' },
  { plugin: 'action_command_notification', data: {}, shown: null },
  { plugin: 'action_command_prompt', data: { message: 'x' }, shown: undefined },
])('$plugin $data shows $shown', ({ plugin, data, shown }) => {
  expect(displayedBy(plugin, data)).toBe(shown)
})
