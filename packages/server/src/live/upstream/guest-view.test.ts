import type { Printer } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { NOW, sampleFacts, samplePrinter } from '../../printers/sample.js'
import { printerView } from '../../printers/view.js'
import { cameraStreams, guestView } from './guest-view.js'

const viewer = { origin: 'http://x', mediaUrl: (key: string) => `http://x/${key}`, canWrite: true }

const SETTINGS = {
  agent: { name: 'moonraker_service', version: '2.1.4' },
  webcams: [
    { name: 'bed', stream_id: 1, is_primary_camera: true, snapshot_url: 'http://user:secret@camera/' },
    { name: 'side' },
    'no camera',
  ],
  data_channel_id: 389,
  service_plugin_version: '1.2',
  platform_uname: ['Linux', 'workshop'],
  installed_plugins: ['a'],
}

function printer(changes: Partial<Printer> = {}): Printer {
  const row = samplePrinter({ agent_name: 'moonraker_service', settings: JSON.stringify(SETTINGS) })
  return { ...printerView(sampleFacts({ printer: row }), viewer, NOW), ...changes }
}

test('a guest is told the name, the picture, and how to show it; nothing of the machine', () => {
  const told = guestView(printer())
  expect(Object.keys(told)).toEqual(['name', 'pic', 'settings'])
  expect(told).toMatchObject({
    name: 'Left',
    pic: { img_url: 'http://x/printers/7/pic/2.jpg' },
    settings: { data_channel_id: '389', webcam_flipH: false, webcam_streamRatio: '16:9', ratio169: true },
  })
  expect((told['settings'] as { webcams: unknown }).webcams).toEqual([
    { name: 'bed', stream_id: 1, is_primary_camera: true },
    { name: 'side' },
  ])
  expect(JSON.stringify(told)).not.toMatch(/secret|workshop|installed_plugins|ab{20}/)
})

test.each([
  { settings: SETTINGS, streams: [1] },
  { settings: {}, streams: [] },
  { settings: { webcams: null }, streams: [] },
])('streams of cameras: $streams', ({ settings, streams }) => {
  expect([...cameraStreams(settings)]).toEqual(streams)
})
