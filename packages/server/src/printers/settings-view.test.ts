import { expect, test } from 'vitest'
import { settingsView } from './settings-view.js'

const PLAIN = {
  webcam_flipV: false,
  webcam_flipH: false,
  webcam_rotation: 0,
  webcam_rotate90: false,
  webcam_streamRatio: '16:9',
  ratio169: true,
}

test.each([
  { name: 'nothing was ever reported', stored: {} },
  { name: 'no camera', stored: { webcams: [] } },
  { name: 'null for cameras', stored: { webcams: null } },
])('$name', ({ stored }) => {
  expect(settingsView(JSON.stringify(stored))).toEqual({ ...stored, ...PLAIN })
})

test('text that is no object counts as nothing', () => {
  expect(settingsView('[1')).toEqual(PLAIN)
  expect(settingsView('[1]')).toEqual(PLAIN)
})

test("the first camera's picture decides the flat fields", () => {
  const webcams = [
    { name: 'bed', stream_id: 1, flipH: true, rotation: 270, streamRatio: '4:3' },
    { name: 'nozzle', stream_id: 2, flipV: true },
  ]
  expect(settingsView(JSON.stringify({ webcams }))).toEqual({
    webcams,
    webcam_flipV: false,
    webcam_flipH: true,
    webcam_rotation: 270,
    webcam_rotate90: true,
    webcam_streamRatio: '4:3',
    ratio169: false,
  })
})

test('what the agent reported stays readable beside the fields that clients know', () => {
  const stored = {
    agent: { name: 'printwarden', version: '1' },
    temperature: { profiles: [{ name: 'PLA', bed: 60 }] },
    data_channel_id: 389,
    installed_plugins: ['a'],
  }
  expect(settingsView(JSON.stringify(stored))).toEqual({
    ...stored,
    ...PLAIN,
    temp_profiles: [{ name: 'PLA', bed: 60 }],
    data_channel_id: '389',
    installed_plugins: '["a"]',
  })
})
