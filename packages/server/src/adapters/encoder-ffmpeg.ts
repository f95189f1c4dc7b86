import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { promisify } from 'node:util'
import type { VideoEncoder, VideoForm, VideoWriter } from '../timelapse/encoder.js'

/** H.264 encoders that an ffmpeg may have, the best one first, with how they are told what quality is wanted. */
const ENCODERS = {
  libx264: ['-preset', 'veryfast', '-crf', '26'],
  libopenh264: ['-b:v', '2M'],
} as const
type EncoderName = keyof typeof ENCODERS

/** Two seconds between whole pictures: a player that seeks has to decode no more. */
const KEY_FRAME_EVERY = 60

const PROBE_TIMEOUT_MS = 10_000
const MAX_COMPLAINT = 2000

/** The ffmpeg of this machine; undefined when there is none that makes H.264. */
export async function findFfmpeg(program = 'ffmpeg'): Promise<VideoEncoder | undefined> {
  try {
    const options = { timeout: PROBE_TIMEOUT_MS, maxBuffer: 4 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)(program, ['-hide_banner', '-v', 'error', '-encoders'], options)
    const name = (Object.keys(ENCODERS) as EncoderName[]).find((known) => stdout.includes(` ${known} `))
    return name === undefined ? undefined : ffmpegEncoder(program, name)
  } catch {
    return undefined
  }
}

function ffmpegEncoder(program: string, encoder: EncoderName): VideoEncoder {
  return {
    name: `ffmpeg (${encoder})`,
    open: async (file, form) => openWriter(program, argumentsOf(encoder, file, form)),
  }
}

function argumentsOf(encoder: EncoderName, file: string, { width, height, framesPerSecond }: VideoForm): string[] {
  return [
    ...['-hide_banner', '-loglevel', 'error', '-nostats', '-y'],
    ...[
      '-f',
      'rawvideo',
      '-pix_fmt',
      'rgb24',
      '-s',
      `${width}x${height}`,
      '-r',
      String(framesPerSecond),
      '-i',
      'pipe:0',
    ],
    ...['-an', '-c:v', encoder, ...ENCODERS[encoder], '-pix_fmt', 'yuv420p', '-g', String(KEY_FRAME_EVERY)],
    ...['-threads', '1', '-movflags', '+faststart', '-f', 'mp4', file],
  ]
}

/** One run of ffmpeg, fed through a pipe. When this process is killed the pipe closes, and ffmpeg ends by itself. */
async function openWriter(program: string, args: readonly string[]): Promise<VideoWriter> {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] })
  const ended = endOf(child)
  // Whoever writes or finishes hears of a failure; before that nobody has to.
  ended.catch(() => undefined)
  await Promise.race([once(child, 'spawn'), ended])
  yieldTo(child)
  const { stdin } = child
  // A pipe that breaks is told by the end of the program, with the reason.
  stdin.on('error', () => undefined)

  return {
    async write(rgb) {
      const broken = await new Promise<unknown>((resolve) => stdin.write(rgb, resolve))
      if (!(broken instanceof Error)) return
      await ended
      throw new Error('ffmpeg ended too early', { cause: broken })
    },
    async finish() {
      stdin.end()
      await ended
    },
    async abort() {
      stdin.destroy()
      child.kill('SIGKILL')
      await ended.catch(() => undefined)
    },
  }
}

/** Resolves when the program has ended well. */
async function endOf(child: ChildProcess): Promise<void> {
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MAX_COMPLAINT)
  })
  const code = await new Promise<unknown>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => resolve(status ?? signal))
  })
  if (code !== 0) throw new Error(`ffmpeg ended with ${String(code)}: ${complaint.trim()}`)
}

/** A time-lapse can wait; pictures and commands cannot. */
function yieldTo({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It ended at once, or this system has no priorities: it goes on as it is.
  }
}
