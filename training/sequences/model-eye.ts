import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { openOnnxDetector } from '../../packages/server/src/adapters/detector-onnx.js'
import type { LookOptions } from '../../packages/server/src/detection/cameras/look-options.js'
import type { Detector, Findings } from '../../packages/server/src/detection/detector.js'
import type { Log } from '../../packages/server/src/ports.js'

const QUIET: Log = {
  debug: () => {},
  info: () => {},
  warn: (...args: unknown[]) => process.stderr.write(`${JSON.stringify(args)}\n`),
  error: (...args: unknown[]) => process.stderr.write(`${JSON.stringify(args)}\n`),
}

const WAIT_MS = 100
const MAX_WAITS = 600

/** The server's own detector worker with a model, which is waited for, and the model's SHA-256. */
export async function openEye(modelPath: string) {
  const modelHash = createHash('sha256')
    .update(await readFile(modelPath))
    .digest('hex')
  // Where all answers are known, the model is never loaded.
  let opened: Detector | undefined

  async function detect(picture: Uint8Array, options?: LookOptions): Promise<Findings> {
    opened ??= openOnnxDetector(modelPath, QUIET)
    const detector = opened
    for (let waits = 0; !detector.ready(); waits++) {
      if (waits > MAX_WAITS) throw new Error(`the model ${modelPath} cannot be used`)
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS))
    }
    return detector.detect(picture, options)
  }

  return { modelHash, detect, close: async () => opened?.close() }
}
