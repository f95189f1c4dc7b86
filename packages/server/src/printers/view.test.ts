import { Printer } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { type Viewer, viewerOf } from '../prints/view.js'
import { NOW, sampleFacts, samplePrint, samplePrinter, sampleStatus } from './sample.js'
import { commandView, eventNotice, printerView } from './view.js'

const viewer: Viewer = {
  origin: 'https://farm.example',
  mediaUrl: (key) => `https://farm.example/media/${key}`,
  canWrite: true,
}

test('a printer in the middle of a print', () => {
  const printer = printerView(sampleFacts(), viewer, NOW)
  expect(Printer.parse(printer)).toEqual(printer)
  expect(printer).toMatchObject({
    id: 7,
    watching_enabled: true,
    bed_off_on_pause: false,
    not_watching_code: null,
    not_watching_reason: null,
    created_at: new Date(NOW - 1_000_000).toISOString(),
    pic: {
      img_url: 'https://farm.example/media/printers/7/pic/2.jpg',
      raw_url: 'https://farm.example/media/printers/7/pic/1.jpg',
      ts: NOW / 1000 - 5,
    },
    status: { progress: { completion: 10 } },
    current_print: { id: 70, filename: 'boat.gcode', prediction_json_url: null, need_alert_overwrite: true },
    normalized_p: 0.1,
  })
})

test('an idle, offline printer', () => {
  const facts = sampleFacts({ print: null, live: { status: null, pic: null, normalized_p: 0.9 } })
  expect(printerView(facts, viewer, NOW)).toMatchObject({
    current_print: null,
    status: null,
    pic: null,
    normalized_p: 0,
    not_watching_code: 'offline',
    not_watching_reason: 'The printer is offline.',
  })
})

test.each([
  { scopes: ['read', 'write'], shown: 'ab'.repeat(20) },
  { scopes: ['write'], shown: 'ab'.repeat(20) },
  { scopes: ['read'], shown: null },
] as const)('the auth_token with $scopes', ({ scopes, shown }) => {
  const caller = viewerOf({ scopes }, 'http://a', { urls: () => (key) => key })
  expect(printerView(sampleFacts(), caller, NOW).auth_token).toBe(shown)
})

test('a print with predictions says where they are', () => {
  const facts = sampleFacts({ print: samplePrint({ has_predictions: 1, alert_overwrite: 'FAILED' }) })
  expect(printerView(facts, viewer, NOW).current_print).toMatchObject({
    prediction_json_url: 'https://farm.example/api/v1/prints/70/prediction_json/',
    alert_overwrite: 'FAILED',
    need_alert_overwrite: false,
  })
})

test('the status goes through as the agent sent it', () => {
  const status = { ...sampleStatus('Paused'), vendor_field: { deep: [1] } }
  const facts = sampleFacts({ live: { status, pic: null, normalized_p: 0 } })
  expect(printerView(facts, viewer, NOW).status).toEqual(status)
})

test('a value that no release ever wrote is a defect, not a wire value', () => {
  const facts = sampleFacts({ printer: samplePrinter({ action_on_failure: 'EXPLODE' }) })
  expect(() => printerView(facts, viewer, NOW)).toThrow()
})

test('a command', () => {
  const row = {
    id: '0a5bd2f6-6fd4-4b39-9e3e-7c8f3f4f7d10',
    printer_id: 7,
    cmd: 'pause',
    initiator: 'web',
    initiator_name: 'Anna',
    reason: null,
    alert_id: null,
    status: 'acked',
    error: null,
    result: null,
    created_at: 1000,
    acked_at: 2000,
    done_at: null,
  }
  expect(commandView(row)).toEqual({
    ...row,
    created_at: '1970-01-01T00:00:01.000Z',
    acked_at: '1970-01-01T00:00:02.000Z',
  })
})

test('an event is told without a picture URL, but with the key of the picture', () => {
  const row = {
    id: 1,
    user_id: 1,
    printer_id: 7,
    print_id: null,
    event_type: 'FAILURE_ALERTED',
    event_class: 'ERROR',
    event_title: 'x',
    event_text: null,
    image_key: 'printers/7/events/1.jpg',
    info_url: null,
    ...{ initiator: 'system', initiator_name: null, reason: 'failing', alert_id: 3 },
    created_at: 0,
  }
  expect(eventNotice(row)).toMatchObject({
    type: 'event',
    event: { image_url: null, printer: 7 },
    image_key: row.image_key,
  })
})
