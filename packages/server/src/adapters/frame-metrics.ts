import { Histogram, type Registry } from 'prom-client'
import type { FrameTimes } from '../detection/frame.js'

/** Seconds: a picture takes tens of milliseconds; waiting for a turn, and a pause that nobody takes, can last longer. */
const BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]

/** Counts in `registry` how long analysed frames take, and what of it: hand it to the app as `observeFrame`. */
export function frameMetrics(registry: Registry): (times: FrameTimes) => void {
  const seconds = new Histogram({
    name: 'printwarden_detection_seconds',
    help: 'How long analysed snapshots take from their arrival to the alert, by part',
    labelNames: ['part'],
    buckets: BUCKETS,
    registers: [registry],
  })
  return ({ queueMs, decodeMs, inferenceMs, drawMs, restMs, totalMs }) => {
    const parts = {
      queue: queueMs,
      decode: decodeMs,
      inference: inferenceMs,
      draw: drawMs,
      rest: restMs,
      total: totalMs,
    }
    for (const [part, ms] of Object.entries(parts)) seconds.observe({ part }, ms / 1000)
  }
}
