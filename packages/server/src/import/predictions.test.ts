import { expect, test } from 'vitest'
import { predictionRows } from './predictions.js'

const PRINT = { id: 5, printer_id: 3, started_at: Date.parse('2026-01-01T00:00:00Z') }

const element = (created_at: string, more: object = {}) => ({
  model: 'app.printerprediction',
  pk: 9,
  fields: {
    ...{ current_frame_num: 1, lifetime_frame_num: 100, current_p: 0.4, ewm_mean: 0.2 },
    ...{ rolling_mean_long: 0.02, rolling_mean_short: 0.1, normalized_p: 0.3, created_at, updated_at: created_at },
  },
  ...more,
})

test('frames come with the instants at which they were made', () => {
  const rows = predictionRows([element('2026-01-01T00:00:10.5Z'), element('2026-01-01T00:00:20.000001Z')], PRINT)
  expect(rows?.map(({ frame_at }) => frame_at - PRINT.started_at)).toEqual([10_500, 20_000])
  expect(rows?.[0]).toMatchObject({ print_id: 5, printer_id: 3, current_p: 0.4, normalized_p: 0.3, detections: '[]' })
})

test('lost frames keep their places, and no two have the same instant', () => {
  const rows = predictionRows([{}, element('2026-01-01T00:00:10Z'), {}, element('2026-01-01T00:00:10Z')], PRINT)
  expect(rows?.map(({ frame_at }) => frame_at - PRINT.started_at)).toEqual([0, 10_000, 10_001, 10_002])
  expect(rows?.map(({ detections }) => detections)).toEqual(['null', '[]', 'null', '[]'])
})

test('what only this server tells is kept', () => {
  const more = {
    frame_ts: 1767225605.25,
    detections: [['failure', 0.5, [1, 2, 3, 4]]],
    detector: 'onnx',
    settings: { sensitivity: 1.2 },
  }
  expect(predictionRows([element('2026-01-01T00:00:10Z', more)], PRINT)?.[0]).toMatchObject({
    ...{ frame_at: 1767225605250, detections: '[["failure",0.5,[1,2,3,4]]]', detector: 'onnx', sensitivity: 1.2 },
  })
})

test('numbers and texts that not every database keeps are left out, and the frame stays', () => {
  const odd = element('2026-01-01T00:00:10Z', { detector: 'on\0nx' })
  const fields = { ...odd.fields, current_frame_num: 1.5, lifetime_frame_num: 2 ** 40 }
  expect(predictionRows([{ ...odd, fields }], PRINT)?.[0]).toMatchObject({
    ...{ current_frame_num: 0, lifetime_frame_num: 0, current_p: 0.4, detector: 'onnx' },
  })
  const far = predictionRows([element('2026-01-01T00:00:10Z', { frame_ts: 1e300 })], PRINT)
  expect(far?.[0]).toMatchObject({ frame_at: PRINT.started_at, detections: 'null' })
})

test.each([{}, null, 'x', { detail: 'Not found.' }])('%j is no list of frames', (json) => {
  expect(predictionRows(json, PRINT)).toBeUndefined()
})
