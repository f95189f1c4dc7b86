import { CameraError, type Camera } from '../camera.js'
import { cameraError, fetchPicture, readBody } from './fetch-picture.js'
import { MjpegParser } from './mjpeg-parser.js'

/** A camera that streams pictures without end. Each capture connects, takes the first picture and hangs up. */
export function openMjpegCamera(url: string): Camera {
  return {
    capture: async (signal) => {
      const { contentType, body } = await fetchPicture(url, signal)
      try {
        // Some people give the address of single pictures; there is no reason to be strict.
        if (contentType.startsWith('image/')) return await readBody(body, signal)
        return await firstPicture(body, signal)
      } finally {
        body.destroy()
      }
    },
  }
}

async function firstPicture(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Uint8Array> {
  const parser = new MjpegParser()
  try {
    for await (const chunk of body) {
      const picture = parser.push(chunk)
      if (picture) return picture
    }
  } catch (error) {
    throw cameraError(error, signal)
  }
  throw new CameraError('the stream ended before its first picture')
}
