import { CameraError } from '../camera.js'
import type { Resolution } from '../config/camera-config.js'
import { runProgram, type ProgramRun } from './run-program.js'

const QUIET = ['-hide_banner', '-loglevel', 'error', '-threads', '1']
/** One picture to the standard output, in the quality of a webcam. */
const ONE_JPEG = ['-an', '-frames:v', '1', '-c:v', 'mjpeg', '-q:v', '4', '-f', 'image2pipe', 'pipe:1']

/** How ffmpeg takes a picture from a device of this machine. */
export function deviceRun(path: string, { width, height }: Resolution): ProgramRun {
  return {
    program: 'ffmpeg',
    args: [...QUIET, '-f', 'v4l2', '-video_size', `${width}x${height}`, '-i', path, ...ONE_JPEG],
    input: '',
  }
}

/** How ffmpeg takes a picture from a network camera. Only whole pictures are decoded: those between are what costs. */
export function rtspRun(url: string): ProgramRun {
  const isSecret = new URL(url).username !== ''
  const from = isSecret ? BY_INPUT : ['-rtsp_transport', 'tcp', '-i', url]
  return {
    program: 'ffmpeg',
    args: [...QUIET, '-skip_frame', 'nokey', ...from, ...ONE_JPEG],
    input: isSecret ? `ffconcat version 1.0\nfile '${url.replaceAll("'", '%27')}'\noption rtsp_transport tcp\n` : '',
  }
}

/**
 * The address is read from the standard input, as a list of one file: everybody on this machine can read the command lines of
 * others. Needs ffmpeg 5.
 */
const BY_INPUT = [
  ...['-f', 'concat', '-safe', '0'],
  ...['-protocol_whitelist', 'pipe,rtsp,rtsps,rtp,tcp,udp,tls,crypto'],
  ...['-i', 'pipe:0'],
]

/**
 * Runs ffmpeg for one picture.
 *
 * @throws {CameraError} when it gives none
 */
export async function ffmpegPicture(run: ProgramRun, signal: AbortSignal): Promise<Buffer> {
  const { output, complaint } = await runProgram(run, signal)
  if (output.length === 0) throw new CameraError(`the camera gives no picture (${withoutAddress(complaint)})`)
  return output
}

/** ffmpeg names the address in what it says. */
function withoutAddress(complaint: string): string {
  return complaint.replace(/\S+:\/\/\S+?(?=[:,]?(\s|$))/g, 'its address') || 'ffmpeg says nothing'
}
