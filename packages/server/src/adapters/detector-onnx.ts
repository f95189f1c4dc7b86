import { fileURLToPath } from 'node:url'
import type { Detector } from '../detection/detector.js'
import type { Log } from '../ports.js'
import type { DetectorWorkerData } from './detector-onnx-messages.js'
import { DetectorThread } from './detector-onnx-thread.js'
import { startWorker } from './worker-thread.js'

/** The model that comes with the server; the same place from the sources and from the build. */
export const SHIPPED_MODEL = fileURLToPath(new URL('../../models/detector.onnx', import.meta.url))

/**
 * A detector that runs an ONNX model in a worker thread. Opens at once: until the model is loaded, and for good where it cannot
 * be (a missing file or runtime, a layout that is not known), `ready` is false and the log says why.
 */
export function openOnnxDetector(modelPath: string, log: Log): Detector {
  const workerData: DetectorWorkerData = { modelPath }
  const thread = new DetectorThread({
    start: () => startWorker('./detector-onnx-worker', import.meta.url, workerData),
    log,
  })
  return {
    detect: (picture) => thread.detect(picture),
    ready: () => thread.isReady,
    close: () => thread.close(),
  }
}
