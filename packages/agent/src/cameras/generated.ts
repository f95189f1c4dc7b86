import type { Camera, CameraSubject } from '../camera.js'
import { renderScene } from './scene.js'
import { loadSharp } from './sharp.js'

/** Draws what the camera of a made-up printer would see. */
export function openGeneratedCamera(subject: Pick<CameraSubject, 'scene'>): Camera {
  let frame = 0
  return {
    capture: async () => {
      const { printing, progress, failure, failedAt, seed = 1 } = subject.scene()
      frame += 1
      const { svg } = renderScene({
        seed,
        progress,
        failure,
        frame,
        printing,
        ...(failedAt === undefined ? {} : { failedAt }),
      })
      const sharp = await loadSharp()
      return sharp(Buffer.from(svg)).jpeg({ quality: 82, optimiseCoding: false }).toBuffer()
    },
  }
}
