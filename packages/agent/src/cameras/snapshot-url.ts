import type { Camera } from '../camera.js'
import { openHttpCamera, readBody } from './fetch-picture.js'
import type { CameraAddress } from './login.js'

/** A camera that answers each request with one picture. */
export function openSnapshotCamera(address: CameraAddress): Camera {
  const ask = openHttpCamera(address)
  return {
    capture: async (signal) => {
      const { body } = await ask(signal)
      return readBody(body, signal)
    },
  }
}
