import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDiskBlobs } from '../packages/server/src/adapters/blobs-disk.js'
import { findFfmpeg } from '../packages/server/src/adapters/encoder-ffmpeg.js'
import { wasmEncoder } from '../packages/server/src/adapters/encoder-wasm.js'
import type { VideoEncoder } from '../packages/server/src/timelapse/encoder.js'
import { keptFrames } from '../packages/server/src/timelapse/frames.js'
import { UPRIGHT } from '../packages/server/src/timelapse/orientation.js'
import type { Tag } from '../packages/server/src/timelapse/tagging.js'
import { makeVideos } from '../packages/server/src/timelapse/video-flow.js'
import { cpuMicros, rssMegabytes, table } from './measure.js'
import { webcamPicture } from './pictures.js'

// Time-lapses: CPU seconds (of this process and its children) for 1,000 frames with each encoder, plain and tagged, beside a bare ffmpeg over the same files in the same run;
// and the memory of this process meanwhile.

const FRAMES = Number(process.argv[2] ?? 250)
const WIDTH = 640
const HEIGHT = 480

const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))
const blobs = await openDiskBlobs(join(folder, 'blobs'))
const pictures = await Promise.all(Array.from({ length: 25 }, (_, index) => webcamPicture(WIDTH, HEIGHT, index)))
for (let index = 0; index < FRAMES; index++) {
  const picture = pictures[index % pictures.length]
  if (picture !== undefined) await blobs.put(`prints/1/frames/${1_700_000_000_000 + index}.jpg`, picture, 'image/jpeg')
}
const frames = keptFrames(await blobs.list('prints/1/frames/'))
const tag: Tag = { boxes: [{ left: 200, top: 150, right: 340, bottom: 260 }], isMissing: false }
const tags = { plain: new Map<number, Tag>(), both: new Map(frames.map(({ frame_at }) => [frame_at, tag])) }

function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return list.split(' ').filter(Boolean).map(Number)
}

/** CPU time of a process so far; undefined when it has just ended. */
function cpuOf(pid: number): number | undefined {
  try {
    return cpuMicros(pid)
  } catch {
    return undefined
  }
}

interface Measured {
  readonly seconds: number
  readonly peakMegabytes: number
  readonly bytes: number
}

/** Runs `work` and watches the memory of this process; `file` is what it made. */
async function measured(file: string, work: () => Promise<unknown>): Promise<Measured> {
  let peakMegabytes = 0
  const children = new Map<number, number>()
  const look = (): void => {
    peakMegabytes = Math.max(peakMegabytes, rssMegabytes(process.pid))
    for (const pid of childrenOf(process.pid)) children.set(pid, cpuOf(pid) ?? children.get(pid) ?? 0)
  }
  const timer = setInterval(look, 20)
  const begun = cpuMicros(process.pid)
  await work()
  clearInterval(timer)
  // What a child used after the last look is missing: at most a fiftieth of a second.
  const micros = [...children.values()].reduce((sum, used) => sum + used, cpuMicros(process.pid) - begun)
  const seconds = micros / 1e6
  return { seconds, peakMegabytes, bytes: (await stat(file)).size }
}

async function ours(encoder: VideoEncoder, name: keyof typeof tags): Promise<Measured> {
  const scratch = join(folder, `${encoder.name.replaceAll(/\W/g, '')}-${name}`)
  const footage = { frames, tags: tags[name], orientation: UPRIGHT }
  const never = new AbortController().signal
  return measured(join(scratch, 'plain.mp4'), () =>
    makeVideos({ blobs, encoder, folder: scratch }, footage, never, () => undefined),
  )
}

/** The same files, settings and thread, with nothing of ours in between. */
async function bare(): Promise<Measured> {
  const list = join(folder, 'list.txt')
  const lines = frames.map(({ key }) => `file '${join(folder, 'blobs', key)}'\nduration ${1 / 30}`)
  await writeFile(list, `${lines.join('\n')}\n`)
  const output = join(folder, 'bare.mp4')
  const encode = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-pix_fmt', 'yuv420p', '-g', '60']
  const args = ['-v', 'error', '-y', '-threads', '1', '-f', 'concat', '-safe', '0', '-i', list, '-r', '30', ...encode]
  await mkdir(folder, { recursive: true })
  return measured(output, () =>
    promisify(execFile)('ffmpeg', [...args, '-threads', '1', '-movflags', '+faststart', output]),
  )
}

const row = (name: string, { seconds, peakMegabytes, bytes }: Measured, floor: number | undefined): string[] => [
  name,
  ((seconds / FRAMES) * 1000).toFixed(1),
  floor === undefined ? '–' : (seconds / floor).toFixed(2),
  peakMegabytes.toFixed(0),
  (bytes / 1024).toFixed(0),
]

const rows: string[][] = []
const ffmpeg = await findFfmpeg()
const floor = ffmpeg === undefined ? undefined : await bare()
if (floor !== undefined) rows.push(row('bare ffmpeg, plain', floor, floor.seconds))
for (const encoder of [ffmpeg, wasmEncoder()]) {
  if (encoder === undefined) continue
  rows.push(row(`${encoder.name}, plain`, await ours(encoder, 'plain'), floor?.seconds))
  rows.push(row(`${encoder.name}, plain and tagged`, await ours(encoder, 'both'), floor?.seconds))
}
console.log(`${FRAMES} frames of ${WIDTH}×${HEIGHT}\n`)
console.log(
  table(['videos', 'CPU seconds per 1,000 frames', 'beside bare', 'peak RSS MB', 'KiB of the plain one'], rows),
)
await rm(folder, { recursive: true, force: true })
