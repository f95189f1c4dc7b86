import type { Printer } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { namedForExistingClients, ownAgentName } from './existing-names.js'
import { NOW, sampleFacts, samplePrinter } from './sample.js'
import { printerView } from './view.js'

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

test('agents are called by the name that existing clients know, and everything else stays', () => {
  const before = printer()
  const named = namedForExistingClients(before)
  expect(named).toMatchObject({
    agent_name: 'moonraker_obico',
    settings: { agent: { name: 'moonraker_obico' }, tsd_plugin_version: '1.2' },
  })
  expect(Object.keys(named)).toEqual(Object.keys(before))
  expect({ ...named, agent_name: 1, settings: 1 }).toEqual({ ...before, agent_name: 1, settings: 1 })
})

test.each([null, 'printwarden', 'constructor', '__proto__'])('an agent called %s keeps its name', (agent_name) => {
  expect(namedForExistingClients(printer({ agent_name }))).toMatchObject({ agent_name })
})

test.each([
  { told: 'moonraker_obico', here: 'moonraker_service' },
  { told: 'octoprint_obico', here: 'octoprint_service' },
  { told: 'printwarden', here: 'printwarden' },
  { told: 'constructor', here: 'constructor' },
])('an agent that calls itself $told is called $here', ({ told, here }) => {
  expect(ownAgentName(told)).toBe(here)
})

test("the stored file and the layers are told under existing clients' names too", () => {
  const [status] = [printer().status]
  const told = namedForExistingClients(
    printer({
      status: {
        ...status,
        job: { file: { name: 'a.gcode', service_g_code_file_id: 7 } },
        file_metadata: { service: { totalLayerCount: 50 } },
      } as unknown as Printer['status'],
    }),
  )
  expect(told).toMatchObject({
    status: {
      job: { file: { name: 'a.gcode', service_g_code_file_id: 7, obico_g_code_file_id: 7 } },
      file_metadata: { obico: { totalLayerCount: 50 } },
    },
  })
  expect(namedForExistingClients(printer({ status: null }))).toMatchObject({ status: null })
})

test.each([
  { host_text: 'Opening serial connection', shown: 'Opening serial connection' },
  { host_text: undefined, shown: 'Offline' },
  { host_text: 7, shown: 'Offline' },
])("a host's own word $host_text is the text that is shown: $shown", ({ host_text, shown }) => {
  const state = { text: 'Offline', flags: { operational: false }, ...(host_text === undefined ? {} : { host_text }) }
  const told = namedForExistingClients(printer({ status: { _ts: 1, state } }))
  expect(told.status).toEqual({ _ts: 1, state: { ...state, text: shown } })
})
