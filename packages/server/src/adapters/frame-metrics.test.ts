import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { frameMetrics } from './frame-metrics.js'

test('the parts of a frame are counted in seconds', async () => {
  const registry = new Registry()
  const observe = frameMetrics(registry)
  observe({ queueMs: 1, decodeMs: 5, inferenceMs: 15, drawMs: 0, restMs: 4, totalMs: 25 })
  observe({ queueMs: 1, decodeMs: 5, inferenceMs: 25, drawMs: 0, restMs: 4, totalMs: 35 })
  const text = await registry.metrics()
  expect(text).toContain('printwarden_detection_seconds_sum{part="inference"} 0.04')
  expect(text).toContain('printwarden_detection_seconds_count{part="total"} 2')
  expect(text).toContain('printwarden_detection_seconds_bucket{le="0.02",part="inference"} 1')
})
