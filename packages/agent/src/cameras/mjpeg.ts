import { CameraError, type Camera } from '../camera.js'
import { cameraError, openHttpCamera, readBody, type PictureBody } from './fetch-picture.js'
import { LiveStream } from './live-stream.js'
import type { CameraAddress } from './login.js'

/** How long a stream that nobody takes a picture of stays open: beyond the usual interval, well below that of a printer at rest. */
const LINGER_MS = 15_000

/**
 * A camera that streams pictures without end. The stream stays open from one picture to the next while they are wanted often, and a
 * capture takes the next one that arrives. Whatever goes wrong, the next capture connects anew.
 */
export function openMjpegCamera(address: CameraAddress): Camera {
  const ask = openHttpCamera(address)
  let stream: LiveStream | undefined
  let linger: NodeJS.Timeout | undefined

  function hangUp(): void {
    clearTimeout(linger)
    stream?.close()
    stream = undefined
  }

  return {
    capture: async (signal) => {
      clearTimeout(linger)
      if (stream?.isStale) hangUp()
      try {
        if (!stream) {
          const connection = new AbortController()
          const giveUp = () => connection.abort()
          signal.addEventListener('abort', giveUp, { once: true })
          const { contentType, body } = await ask(connection.signal).finally(() => {
            signal.removeEventListener('abort', giveUp)
          })
          // Some people give the address of single pictures; there is no reason to be strict.
          if (contentType.startsWith('image/')) return await readBodyWithin(body, signal)
          if (contentType.startsWith('text/html')) {
            body.destroy()
            throw new CameraError('the answer is no MJPEG stream')
          }
          stream = new LiveStream(body)
        }
        return await stream.next(signal)
      } catch (error) {
        hangUp()
        throw error instanceof CameraError ? error : cameraError(error, signal)
      } finally {
        if (stream) linger = setTimeout(hangUp, LINGER_MS).unref()
      }
    },
    close: hangUp,
  }
}

async function readBodyWithin(body: PictureBody, signal: AbortSignal): Promise<Buffer> {
  const giveUp = () => body.destroy()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await readBody(body, signal)
  } finally {
    signal.removeEventListener('abort', giveUp)
    body.destroy()
  }
}
