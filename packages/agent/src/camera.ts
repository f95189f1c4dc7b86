import type { CameraSource } from './config/camera-config.js'
import type { SceneView } from './host.js'

/** Takes pictures of the printer. */
export interface Camera {
  /**
   * Takes one picture: a whole JPEG, PNG or WebP. One at a time.
   *
   * @throws {CameraError} when there is none; also when `signal` ends the wait
   */
  capture(signal: AbortSignal): Promise<Uint8Array>
  /** Lets go of what is kept open between pictures. Absent where nothing is. */
  close?(): void
}

/** A camera gave no picture that could be used. The message says why, in the words of the person who set it up. */
export class CameraError extends Error {
  override readonly name = 'CameraError'
}

/** What a camera may know about the printer it looks at. Only made-up cameras ask. */
export interface CameraSubject {
  /** The `current_print_ts` of now. */
  printTs(): number
  scene(): SceneView
}

/** Opens the source of a camera's pictures. Its code is loaded only now. */
export async function openCamera(source: CameraSource, subject: CameraSubject): Promise<Camera> {
  switch (source.type) {
    case 'snapshot': {
      const { openSnapshotCamera } = await import('./cameras/snapshot-url.js')
      const { cameraAddress } = await import('./cameras/login.js')
      return openSnapshotCamera(cameraAddress(source.url, source.login))
    }
    case 'stream': {
      const { openMjpegCamera } = await import('./cameras/mjpeg.js')
      const { cameraAddress } = await import('./cameras/login.js')
      return openMjpegCamera(cameraAddress(source.url, source.login))
    }
    case 'rtsp': {
      const { openRtspCamera } = await import('./cameras/rtsp.js')
      return openRtspCamera(source)
    }
    case 'device': {
      const { openDeviceCamera } = await import('./cameras/device.js')
      return openDeviceCamera(source.path, source.resolution)
    }
    case 'webcam': {
      const { openMoonrakerWebcam } = await import('./cameras/moonraker-webcam.js')
      if (!source.moonraker) throw new CameraError('webcam is for printers with host: moonraker')
      return openMoonrakerWebcam(source.moonraker, source.name, subject)
    }
    case 'pictures': {
      const { openPicturesCamera } = await import('./cameras/pictures.js')
      return openPicturesCamera(source.folder, subject)
    }
    case 'generated': {
      const { openGeneratedCamera } = await import('./cameras/generated.js')
      return openGeneratedCamera(subject)
    }
  }
}
