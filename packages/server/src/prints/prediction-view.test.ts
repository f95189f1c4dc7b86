import { PredictionJson } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { predictionJson } from './prediction-view.js'

const row = {
  id: 1,
  print_id: 70,
  printer_id: 7,
  frame_at: 1_795_251_649_050,
  current_frame_num: 3,
  lifetime_frame_num: 300,
  current_p: 0.6,
  ewm_mean: 0.4,
  rolling_mean_short: 0.2,
  rolling_mean_long: 0.1,
  normalized_p: 0.5,
  detections: '[["failure",0.6,[10,20,5,8]]]',
  detector: 'lite0-224',
  sensitivity: 1.1,
  created_at: 1_795_251_649_090,
  camera_id: null,
  left_out: 0,
  score: null,
  judged_score: null,
}

test('a frame as existing viewers read it, with what we add', () => {
  const json = predictionJson([row])
  expect(PredictionJson.parse(json)).toEqual(json)
  expect(json[0]).toMatchObject({
    model: 'app.printerprediction',
    pk: 7,
    fields: { normalized_p: 0.5, current_frame_num: 3, created_at: '2026-11-21T09:00:49.090Z' },
    frame_ts: 1_795_251_649.05,
    detections: [['failure', 0.6, [10, 20, 5, 8]]],
    detector: 'lite0-224',
    settings: { sensitivity: 1.1 },
  })
})

test('a frame that cannot be read is an empty object, and one that the tagged video lacks is left out', () => {
  const lost = { ...row, detections: '{"cut off' }
  const other = { ...row, detections: '[["failure",2]]' }
  const json = predictionJson([row, lost, { ...row, left_out: 1 }, other])
  expect(PredictionJson.parse(json)).toEqual([predictionJson([row])[0], {}, {}])
})

test('no frames, no elements', () => {
  expect(predictionJson([])).toEqual([])
})
