import type { Camera } from '../camera.js'
import { fetchPicture, readBody } from './fetch-picture.js'

/** A camera that answers each request with one picture. */
export function openSnapshotCamera(url: string): Camera {
  return {
    capture: async (signal) => {
      const { body } = await fetchPicture(url, signal)
      return readBody(body, signal)
    },
  }
}
