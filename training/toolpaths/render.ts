import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { Canvas } from './canvas.js'
import { parseGCode } from './g-code.js'
import { type Picture, renderPicture } from './picture.js'
import { makeRandom, mixSeed } from './random.js'
import { kindsNamed, renderSingle, USUAL_KINDS } from './single.js'
import { kindNamed, layerAt, makeStory, progressAt, type Story } from './story.js'
import type { Toolpath } from './toolpath.js'

const USAGE = `Renders pictures of 3D prints from their toolpaths, good ones and failing ones, with labels.

  --out DIR         where to write: images/NAME.jpg, labels/NAME.txt (YOLO), frames.jsonl, manifest.json
  --count N         how many single pictures (default 100), or frames of a sequence (default all)
  --seed S          where the chance begins (default 1)
  --kinds A,B       kinds taken in turn: none, tangle, detached, air, blob, stringing, layer_shift, warping
  --negatives       only good prints: the same as --kinds none
  --first I         number of the first picture or frame (default 0): a set may be made in parts
  --size WxH        pixels (default 640x480)
  --g-code FILE     prints this file instead of built-in parts

  --sequence        instead: the frames of one print, in order
  --frames N        how many frames (default 60), evenly over the print
  --interval S      seconds between two frames, instead of evenly
  --hours H         how long the print takes (default: by chance)
  --fail-kind K     how it fails (default: not at all)
  --fail-at P       at which share of its duration (default: by chance)
`

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
    kinds: { type: 'string' },
    negatives: { type: 'boolean', default: false },
    first: { type: 'string', default: '0' },
    size: { type: 'string', default: '640x480' },
    'g-code': { type: 'string' },
    sequence: { type: 'boolean', default: false },
    frames: { type: 'string', default: '60' },
    interval: { type: 'string' },
    hours: { type: 'string' },
    'fail-kind': { type: 'string' },
    'fail-at': { type: 'string' },
  },
})

sharp.concurrency(1)

function numberOf(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isFinite(number) || number < 0) throw new Error(`--${name} must be a number, not "${text}"`)
  return number
}

function sizeOf(text: string): readonly [number, number] {
  const [, width = '', height = ''] = /^(\d{2,4})x(\d{2,4})$/.exec(text) ?? []
  if (width === '') throw new Error(`--size must be like 640x480, not "${text}"`)
  return [Number(width), Number(height)]
}

async function write(out: string, name: string, picture: Picture, quality: number): Promise<void> {
  const { width, height, rgb } = picture
  const jpeg = await sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer()
  await writeFile(join(out, 'images', `${name}.jpg`), jpeg)
  await writeFile(join(out, 'labels', `${name}.txt`), picture.yolo)
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

/** What frames.jsonl says about a picture. */
function lineOf(name: string, story: Story, picture: Picture, kind: string, now: number): object {
  const { failure, setup } = story
  return {
    file: `images/${name}.jpg`,
    kind,
    part: story.part,
    camera: setup.camera,
    light: setup.lightName,
    layer: layerAt(story, now),
    layers: story.toolpath.layers,
    time_s: rounded(now, 1),
    fails_at_s: failure === undefined || failure.from === 0 ? null : rounded(failure.from, 1),
    visible_share: rounded(picture.failingShare, 6),
    contrast: rounded(picture.contrast, 1),
    boxes: picture.labels.length,
  }
}

/** The lines of a file; none when there is no such file. */
async function linesIn(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '')
}

/** Writes what is known of the frames, beside what was known of other frames in the same folder. */
async function writeLines(out: string, lines: readonly object[]): Promise<void> {
  const fileOf = (line: string): string => (JSON.parse(line) as { file: string }).file
  const kept = new Map((await linesIn(join(out, 'frames.jsonl'))).map((line) => [fileOf(line), line]))
  for (const line of lines.map((entry) => JSON.stringify(entry))) kept.set(fileOf(line), line)
  const all = [...kept.values()]
  await writeFile(join(out, 'frames.jsonl'), `${all.join('\n')}\n`)
  const manifest = all.map((line) => {
    const { file, kind, print } = JSON.parse(line) as { file: string; kind: string; print: string }
    return JSON.stringify({ file: file.replace('images/', ''), source: `rendered_${kind}`, group: print })
  })
  await writeFile(join(out, 'manifest.json'), `[\n${manifest.join(',\n')}\n]\n`)
}

async function readGCode(): Promise<Toolpath | undefined> {
  return values['g-code'] === undefined ? undefined : parseGCode(await readFile(values['g-code'], 'utf8'))
}

async function writeSingles(out: string, size: readonly [number, number]): Promise<number> {
  const seed = numberOf('seed', values.seed)
  const first = numberOf('first', values.first)
  const count = numberOf('count', values.count ?? '100')
  const kinds = values.negatives
    ? (['none'] as const)
    : values.kinds === undefined
      ? USUAL_KINDS
      : kindsNamed(values.kinds)
  const gCode = await readGCode()
  const canvas = new Canvas(...size)
  const lines: object[] = []
  for (let index = first; index < first + count; index++) {
    const { story, picture, kind, now } = renderSingle({ seed, kinds, size, gCode }, index, canvas)
    const name = `s${seed}_${String(index).padStart(6, '0')}_${kind}`
    await write(out, name, picture, story.setup.sensor.quality)
    lines.push({ ...lineOf(name, story, picture, kind, now), print: name })
  }
  await writeLines(out, lines)
  return count
}

async function writeSequence(out: string, size: readonly [number, number]): Promise<number> {
  const seed = numberOf('seed', values.seed)
  const kind = values['fail-kind'] === undefined ? 'none' : kindNamed(values['fail-kind'])
  const story = makeStory({
    seed,
    kind,
    gCode: await readGCode(),
    hours: values.hours === undefined ? undefined : numberOf('hours', values.hours),
    failAt: values['fail-at'] === undefined ? undefined : numberOf('fail-at', values['fail-at']),
  })
  const evenly = story.duration / Math.max(1, numberOf('frames', values.frames) - 1)
  const interval = values.interval === undefined ? evenly : numberOf('interval', values.interval)
  const frames =
    values.interval === undefined ? numberOf('frames', values.frames) : Math.floor(story.duration / interval) + 1
  const first = numberOf('first', values.first)
  const end = values.count === undefined ? frames : Math.min(frames, first + numberOf('count', values.count))
  const canvas = new Canvas(...size)
  const lines: object[] = []
  for (let i = first; i < end; i++) {
    const now = Math.min(story.duration, i * interval)
    const picture = renderPicture(
      story.setup,
      progressAt(story, now),
      makeRandom(mixSeed(seed, 3, i)),
      size,
      undefined,
      canvas,
    )
    const name = `f${String(i).padStart(5, '0')}`
    await write(out, name, picture, story.setup.sensor.quality)
    const nozzle = [picture.nozzle.x, picture.nozzle.y, picture.nozzle.z].map((n) => rounded(n, 1))
    lines.push({ ...lineOf(name, story, picture, kind, now), print: `sequence_${seed}`, nozzle })
  }
  await writeLines(out, lines)
  return end - first
}

async function main(out: string): Promise<void> {
  const size = sizeOf(values.size)
  await mkdir(join(out, 'images'), { recursive: true })
  await mkdir(join(out, 'labels'), { recursive: true })
  const begun = Date.now()
  const written = await (values.sequence ? writeSequence : writeSingles)(out, size)
  const each = ((Date.now() - begun) / Math.max(1, written)).toFixed(0)
  process.stdout.write(`wrote ${written} pictures to ${out}, ${each} ms each\n`)
}

if (values.out === undefined) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  try {
    await main(values.out)
  } catch (err) {
    process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n`)
    process.exitCode = 1
  }
}
