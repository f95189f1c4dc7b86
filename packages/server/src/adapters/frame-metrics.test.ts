import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { detectionGauges, frameMetrics } from './frame-metrics.js'

test('the parts of a frame are counted in seconds', async () => {
  const registry = new Registry()
  const { observe } = frameMetrics(registry)
  observe({ queueMs: 1, decodeMs: 5, inferenceMs: 15, drawMs: 0, restMs: 4, totalMs: 25 })
  observe({ queueMs: 1, decodeMs: 5, inferenceMs: 25, drawMs: 0, restMs: 4, totalMs: 35 })
  const text = await registry.metrics()
  expect(text).toContain('printwarden_detection_seconds_sum{part="inference"} 0.04')
  expect(text).toContain('printwarden_detection_seconds_count{part="total"} 2')
  expect(text).toContain('printwarden_detection_seconds_bucket{le="0.02",part="inference"} 1')
})

test('what became of frames is counted, from nought', async () => {
  const registry = new Registry()
  const { count } = frameMetrics(registry)
  for (const outcome of ['analysed', 'dropped', 'dropped'] as const) count(outcome)
  const text = await registry.metrics()
  expect(text).toContain('printwarden_detection_frames_total{outcome="analysed"} 1')
  expect(text).toContain('printwarden_detection_frames_total{outcome="dropped"} 2')
  expect(text).toContain('printwarden_detection_frames_total{outcome="failed"} 0')
})

test('what waits is told as it is when it is asked', async () => {
  const registry = new Registry()
  let oldestMs = 0
  detectionGauges(registry, { waiting: () => ({ frames: 3, oldestMs }), ready: () => false })
  oldestMs = 1500
  const text = await registry.metrics()
  expect(text).toContain('printwarden_detection_queue_frames 3')
  expect(text).toContain('printwarden_detection_queue_age_seconds 1.5')
  expect(text).toContain('printwarden_detector_ready 0')
})
