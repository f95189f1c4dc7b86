import { closeSync, createReadStream, createWriteStream, openSync, rmSync, writeSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { pipeline } from 'node:stream/promises'
import { parentPort, workerData } from 'node:worker_threads'
import h264, { type H264MP4Encoder } from 'h264-mp4-encoder'
import type { EncoderWorkerData, FromEncoderWorker, ToEncoderWorker } from './encoder-wasm-messages.js'
import { joinedHead, readSegment, type Segment } from './mp4-join.js'

// The worker thread of the encoder that needs no other program. It keeps what it makes in memory, so it makes pieces of some
// seconds, whose frames go to the disk; in the end the pieces become one file.

if (parentPort === null) throw new Error('this file runs as a worker thread')
const port = parentPort
const { file, form } = workerData as EncoderWorkerData

/** In frames; each piece begins with a whole picture. */
const PIECE = 240
const KEY_FRAME_EVERY = 60
/** Of 10 … 51: higher is smaller and worse. */
const QUANTIZATION = 28
const FASTEST = 10
const OUTPUT = 'piece.mp4'

// Elsewhere a priority is that of the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)

const framesFile = `${file}.frames`
const framesHandle = openSync(framesFile, 'w')
const segments: Segment[] = []
const rgba = new Uint8Array(form.width * form.height * 4)
let encoder: H264MP4Encoder | undefined
let inPiece = 0

async function openPiece(): Promise<H264MP4Encoder> {
  const opened = await h264.createH264MP4Encoder()
  opened.outputFilename = OUTPUT
  opened.width = form.width
  opened.height = form.height
  opened.frameRate = form.framesPerSecond
  opened.speed = FASTEST
  opened.quantizationParameter = QUANTIZATION
  opened.groupOfPictures = KEY_FRAME_EVERY
  opened.initialize()
  return opened
}

async function add(rgb: Uint8Array): Promise<void> {
  if (rgb.length * 4 !== rgba.length * 3) throw new Error('a frame has another size than the video')
  encoder ??= await openPiece()
  for (let from = 0, to = 0; from < rgb.length; from += 3, to += 4) {
    rgba[to] = rgb[from] ?? 0
    rgba[to + 1] = rgb[from + 1] ?? 0
    rgba[to + 2] = rgb[from + 2] ?? 0
  }
  encoder.addFrameRgba(rgba)
  inPiece++
  if (inPiece === PIECE) closePiece()
}

function closePiece(): void {
  if (encoder === undefined) return
  encoder.finalize()
  const { segment, frames } = readSegment(encoder.FS.readFile(OUTPUT))
  encoder.delete()
  encoder = undefined
  inPiece = 0
  segments.push(segment)
  for (let written = 0; written < frames.length; ) written += writeSync(framesHandle, frames, written)
}

async function finish(): Promise<void> {
  closePiece()
  closeSync(framesHandle)
  const output = createWriteStream(file)
  output.write(joinedHead(segments, form.framesPerSecond))
  await pipeline(createReadStream(framesFile), output)
  rmSync(framesFile)
}

function answer(message: FromEncoderWorker): void {
  port.postMessage(message)
}

port.on('message', (message: ToEncoderWorker) => {
  const work = message.type === 'frame' ? add(message.rgb) : finish()
  work.then(
    () => answer({ type: 'done' }),
    (err: unknown) => answer({ type: 'failed', detail: err instanceof Error ? err.message : String(err) }),
  )
})
