import type { Worker } from 'node:worker_threads'
import type { VideoEncoder, VideoWriter } from '../timelapse/encoder.js'
import type { EncoderWorkerData, FromEncoderWorker, ToEncoderWorker } from './encoder-wasm-messages.js'
import { startWorker } from './worker-thread.js'

/** The encoder that comes with the server: slower than ffmpeg and with larger files, but always there. */
export function wasmEncoder(): VideoEncoder {
  return {
    name: 'built in',
    open: async (file, form) => openWriter({ file, form }),
  }
}

function openWriter(data: EncoderWorkerData): VideoWriter {
  const worker = startWorker('encoder-wasm-worker', data)
  // A thread that dies is told to whoever asked it something.
  worker.on('error', () => undefined)
  let isGone = false
  worker.once('exit', () => {
    isGone = true
  })

  return {
    async write(rgb) {
      if (isGone) throw new Error('the encoder has stopped')
      await ask(worker, { type: 'frame', rgb })
    },
    async finish() {
      try {
        await ask(worker, { type: 'finish' })
      } finally {
        await worker.terminate()
      }
    },
    async abort() {
      await worker.terminate()
    },
  }
}

/** Sends a message and waits for its answer; one is under way at a time. */
async function ask(worker: Worker, message: ToEncoderWorker): Promise<void> {
  const answer = await new Promise<FromEncoderWorker>((resolve) => {
    const onMessage = (value: FromEncoderWorker): void => settle(value)
    const onError = (err: unknown): void => settle({ type: 'failed', detail: String(err) })
    const onExit = (): void => settle({ type: 'failed', detail: 'the encoder stopped' })
    function settle(value: FromEncoderWorker): void {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      resolve(value)
    }
    worker.once('message', onMessage).once('error', onError).once('exit', onExit)
    worker.postMessage(message)
  })
  if (answer.type === 'failed') throw new Error(`the video could not be encoded: ${answer.detail}`)
}
