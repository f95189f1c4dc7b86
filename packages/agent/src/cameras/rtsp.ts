import type { Camera } from '../camera.js'
import type { CameraLogin } from '../config/camera-config.js'
import { ffmpegPicture, rtspRun } from './ffmpeg.js'

/** A network camera that streams by RTSP. Each capture connects and waits for the next whole picture of the video. */
export function openRtspCamera({ url, login }: { url: string; login?: CameraLogin | undefined }): Camera {
  const target = new URL(url)
  if (login) {
    target.username = encodeURIComponent(login.user)
    target.password = encodeURIComponent(login.password)
  }
  const run = rtspRun(target.href)
  return { capture: (signal) => ffmpegPicture(run, signal) }
}
