import { expect, test } from 'vitest'
import { diagnosticsOf } from './diagnostics.js'

const printer = {
  ...{ id: 4711, agent_name: 'printwarden-agent', agent_version: '0.1.0' },
  ...{ watching_enabled: 1, archived_at: null, current_print_id: 8 },
}
const source = {
  ...{ version: '0.1.0', node: 'v20', platform: 'linux x64' },
  printers: [printer],
  states: new Map([[4711, 'Printing']]),
  deviations: [{ printer_id: 4711, kind: 'flag_missing', count: 3 }],
  events: [{ printer_id: 4711, event_type: 'PAUSED', event_class: 'WARNING', created_at: 0 }],
}

test('versions, states, counts and kinds, by printers that are numbered anew', () => {
  expect(JSON.parse(diagnosticsOf(source))).toEqual({
    server: { version: '0.1.0', node: 'v20', platform: 'linux x64' },
    printers: [
      {
        ...{ printer: 1, agent: 'printwarden-agent', agent_version: '0.1.0', state: 'Printing' },
        ...{ is_watched: true, is_archived: false, is_printing: true, deviations: { flag_missing: 3 } },
      },
    ],
    events: [{ printer: 1, type: 'PAUSED', class: 'WARNING', at: '1970-01-01T00:00:00.000Z' }],
  })
})

test.each([
  'http://192.168.1.5/',
  '192.168.1.5',
  'someone@example.test',
  '<script>',
  'a b c d e f',
  'x'.repeat(41),
  'line\nbreak',
  '/home/someone/secret.gcode',
])('%s is left out, wherever an agent puts it', (text) => {
  const told = diagnosticsOf({
    ...source,
    printers: [{ ...printer, agent_name: text, agent_version: text }],
    states: new Map([[4711, text]]),
    events: [{ printer_id: 1, event_type: text, event_class: text, created_at: 0 }],
  })
  expect(told).not.toContain(JSON.stringify(text).slice(1, -1))
  expect(told).toContain('left out')
})
