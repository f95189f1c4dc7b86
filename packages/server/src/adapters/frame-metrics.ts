import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { FRAME_OUTCOMES, type DetectionFlow, type FrameOutcome } from '../detection/flow.js'
import type { FrameTimes } from '../detection/frame.js'

/** Seconds: a picture takes tens of milliseconds; waiting for a turn, and a pause that nobody takes, can last longer. */
const BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]

/** What the detection tells about frames. */
export interface FrameMetrics {
  readonly observe: (times: FrameTimes) => void
  readonly count: (outcome: FrameOutcome) => void
}

/** Counts in `registry` how long analysed frames take, what of it, and what became of all that were offered. */
export function frameMetrics(registry: Registry): FrameMetrics {
  const seconds = new Histogram({
    name: 'printwarden_detection_seconds',
    help: 'How long analysed snapshots take from their arrival to the alert, by part',
    labelNames: ['part'],
    buckets: BUCKETS,
    registers: [registry],
  })
  const frames = new Counter({
    name: 'printwarden_detection_frames_total',
    help: 'Snapshots that were offered to the detection, by what became of them',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // All of them from the start: what is missing would look like what never happens.
  for (const outcome of FRAME_OUTCOMES) frames.inc({ outcome }, 0)
  return {
    observe({ queueMs, decodeMs, inferenceMs, drawMs, restMs, totalMs }) {
      const parts = {
        queue: queueMs,
        decode: decodeMs,
        inference: inferenceMs,
        draw: drawMs,
        rest: restMs,
        total: totalMs,
      }
      for (const [part, ms] of Object.entries(parts)) seconds.observe({ part }, ms / 1000)
    },
    count: (outcome) => frames.inc({ outcome }),
  }
}

/** Shows in `registry` what waits for the detector at the moment it is asked, and whether the detector works. */
export function detectionGauges(registry: Registry, detection: Pick<DetectionFlow, 'waiting' | 'ready'>): void {
  const gauges = {
    detection_queue_frames: ['Snapshots that wait for the detector', () => detection.waiting().frames],
    detection_queue_age_seconds: [
      'How long the oldest snapshot has waited for the detector',
      () => detection.waiting().oldestMs / 1000,
    ],
    detector_ready: ['Whether snapshots can be looked at', () => (detection.ready() ? 1 : 0)],
  } as const
  for (const [name, [help, read]] of Object.entries(gauges)) {
    const gauge = new Gauge({
      name: `printwarden_${name}`,
      help,
      registers: [],
      collect() {
        this.set(read())
      },
    })
    registry.registerMetric(gauge)
  }
}

/** Counts self-tests in `registry`. */
export function selfTestMetrics(registry: Registry): (result: 'passed' | 'failed') => void {
  const tests = new Counter({
    name: 'printwarden_self_tests_total',
    help: 'Known pictures of a failure that were sent the way of a camera, by whether the failure was found',
    labelNames: ['result'],
    registers: [registry],
  })
  for (const result of ['passed', 'failed']) tests.inc({ result }, 0)
  return (result) => tests.inc({ result })
}
