import { execFile } from 'node:child_process'
import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { VideoEncoder, VideoForm } from '../timelapse/encoder.js'

/** A frame in which a white bar moves to the right by its number. */
export function barFrame({ width, height }: Pick<VideoForm, 'width' | 'height'>, number: number): Uint8Array {
  const rgb = new Uint8Array(width * height * 3).fill(40)
  const left = (number * 4) % (width - 8)
  for (let y = 0; y < height; y++) rgb.fill(255, (y * width + left) * 3, (y * width + left + 8) * 3)
  return rgb
}

/** The names of the boxes of a file, in order. */
async function boxNames(file: string): Promise<string[]> {
  const handle = await open(file)
  const { size } = await handle.stat()
  const names: string[] = []
  for (let offset = 0; offset < size; ) {
    const { buffer } = await handle.read(Buffer.alloc(8), 0, 8, offset)
    names.push(buffer.toString('latin1', 4, 8))
    offset += buffer.readUInt32BE(0)
  }
  await handle.close()
  return names
}

const run = promisify(execFile)

async function hasProgram(name: string): Promise<boolean> {
  return run(name, ['-version']).then(
    () => true,
    () => false,
  )
}

/** What every VideoEncoder must do. Frames are decoded again by ffmpeg, where there is one. */
export function encoderContract(find: () => Promise<VideoEncoder>): void {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'printwarden-encoder-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const form = { width: 96, height: 64, framesPerSecond: 30 }

  async function make(frames: number): Promise<string> {
    const encoder = await find()
    const file = join(folder, 'video.mp4')
    const writer = await encoder.open(file, form)
    for (let number = 0; number < frames; number++) await writer.write(barFrame(form, number))
    await writer.finish()
    return file
  }

  test.each([1, 2, 75, 500])(
    'a video of %i frames has its index in front, and nothing else is left',
    async (frames) => {
      const file = await make(frames)
      const names = await boxNames(file)
      expect(names[0]).toBe('ftyp')
      expect(names.indexOf('moov')).toBeLessThan(names.indexOf('mdat'))
      expect(await readdir(folder)).toEqual(['video.mp4'])
    },
  )

  test.each([1, 500])(
    'a video of %i frames is H.264 in yuv420p, and each frame is where it belongs',
    async (frames) => {
      if (!(await hasProgram('ffprobe'))) return
      const file = await make(frames)
      const fields = 'codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames'
      const entries = ['-count_frames', '-show_entries', `stream=${fields}`, '-of', 'json']
      const { stdout } = await run('ffprobe', ['-v', 'error', ...entries, file])
      const expected = { codec_name: 'h264', width: 96, height: 64, pix_fmt: 'yuv420p', r_frame_rate: '30/1' }
      expect(JSON.parse(stdout)).toMatchObject({ streams: [{ ...expected, nb_read_frames: String(frames) }] })
      for (const number of [0, 1, 239, 240, 241, 499].filter((one) => one < frames)) {
        expect(await brightest(file, number), `frame ${number}`).toBe(((number * 4) % 88) + 4)
      }
    },
  )

  /** Where the bright bar of a frame has its middle, found by seeking to the frame. */
  async function brightest(file: string, number: number): Promise<number> {
    const args = ['-v', 'error', '-ss', String((number + 0.5) / 30 - 1 / 60), '-i', file, '-frames:v', '1']
    const output = ['-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1']
    const { stdout } = await run('ffmpeg', [...args, ...output], { encoding: 'buffer' })
    const row = [...stdout.subarray(0, form.width)]
    const bright = row.flatMap((value, x) => (value > 150 ? [x] : []))
    const first = bright[0]
    if (first === undefined) throw new Error('the frame has no bar')
    return Math.round((first + (bright.at(-1) ?? first)) / 2 + 0.5)
  }

  test('what is aborted ends, and writing afterwards fails', async () => {
    const encoder = await find()
    const writer = await encoder.open(join(folder, 'video.mp4'), form)
    await writer.write(barFrame(form, 0))
    await writer.abort()
    await writer.abort()
    await expect(writer.write(barFrame(form, 1))).rejects.toThrow()
  })

  test('a file that cannot be written fails, and does not hang', async () => {
    const encoder = await find()
    const making = async (): Promise<void> => {
      const writer = await encoder.open(join(folder, 'missing', 'video.mp4'), form)
      for (let number = 0; number < 300; number++) await writer.write(barFrame(form, number))
      await writer.finish()
    }
    await expect(making()).rejects.toThrow()
  })
}
