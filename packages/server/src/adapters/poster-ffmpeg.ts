import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { promisify } from 'node:util'
import { type GrabPoster, NoVideoError } from '../timelapse/encoder.js'

const TIMEOUT_MS = 30_000
const MAX_PIXELS = 8192 * 4320

/** How far into the video its picture is looked for, in seconds: a shorter one shows its beginning. */
const INTO_VIDEO = ['5', '0']

/**
 * Looks into a video with the ffmpeg of this machine. The file comes from a user, so it is read as MP4 and nothing else: other formats
 * name further files and addresses.
 */
export function ffmpegPoster(program = 'ffmpeg'): GrabPoster {
  return async (file) => {
    const poster = `${file}.jpg`
    try {
      for (const seconds of INTO_VIDEO) {
        await run(program, argumentsOf(file, poster, seconds))
        const bytes = await readFile(poster).catch(() => undefined)
        if (bytes !== undefined && bytes.length > 0) return bytes
      }
      throw new NoVideoError('the file has no picture')
    } catch (error) {
      if (isAbsent(error)) return null
      throw error instanceof NoVideoError ? error : new NoVideoError('the file cannot be read', { cause: error })
    } finally {
      await rm(poster, { force: true })
    }
  }
}

function argumentsOf(file: string, poster: string, seconds: string): string[] {
  return [
    ...['-hide_banner', '-loglevel', 'error', '-y', '-threads', '1', '-max_pixels', String(MAX_PIXELS)],
    ...['-protocol_whitelist', 'file', '-ss', seconds, '-f', 'mov', '-i', `file:${file}`],
    ...['-an', '-frames:v', '1', '-vf', "scale='min(1280,iw)':-2", '-q:v', '4', '-f', 'image2', '-update', '1', poster],
  ]
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const running = promisify(execFile)(program, args, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' })
  try {
    if (running.child.pid !== undefined) setPriority(running.child.pid, constants.priority.PRIORITY_LOW)
  } catch {
    // It ended at once, or this system has no priorities.
  }
  await running
}

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
