import { fileURLToPath } from 'node:url'
import { type Detector, DetectorError } from '../detection/detector.js'
import { packageFile } from '../package-files.js'
import type { Log } from '../ports.js'
import type { DetectorWorkerData } from './detector-onnx-messages.js'
import { DetectorThread } from './detector-onnx-thread.js'
import { startWorker } from './worker-thread.js'

/** The model that comes with the server. */
export const SHIPPED_MODEL = fileURLToPath(packageFile('models/detector.onnx'))

/**
 * A detector that runs an ONNX model in worker threads, each with a model of its own and one picture at a time. Opens at once: until
 * the model is loaded, and for good where it cannot be (a missing file or runtime, a layout that is not known), `ready` is false,
 * `problem` and the log say why.
 *
 * @param threads how many cores it may take when there is enough to do
 * @param after when to begin to load the model; at once where it is left out
 */
export function openOnnxDetector(modelPath: string, log: Log, threads = 1, after?: Promise<void>): Detector {
  const workerData: DetectorWorkerData = { modelPath }
  const start = () => startWorker('detector-onnx-worker', workerData)
  const all = Array.from({ length: threads }, () => new DetectorThread({ start, log, after }))

  /** The one that will be free first. */
  function freest(): DetectorThread | undefined {
    return all.filter(({ isReady }) => isReady).sort((a, b) => a.load - b.load)[0]
  }

  const problem = (): string | null => (freest() === undefined ? (all[0]?.problem ?? null) : null)

  return {
    // One more than can be looked at, so that no thread waits for the next picture.
    capacity: threads + 1,
    detect: async (picture, options) => {
      const thread = freest()
      if (thread === undefined) throw new DetectorError('unavailable', problem() ?? 'the detector is not ready')
      return thread.detect(picture, options)
    },
    ready: () => freest() !== undefined,
    problem,
    close: async () => {
      await Promise.all(all.map((thread) => thread.close()))
    },
  }
}
