import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { z } from 'zod'
import type { ScoreBook } from './score-book.js'
import type { Timeline, TimelineFrame } from './timeline.js'

// Prints that were handed in: folders of pictures, or files of scores.

const PICTURE = /\.(jpe?g|png|webp)$/i
const DEFAULT_INTERVAL_MS = 10_000
/** A print is over this long after its last frame. */
const TAIL_MS = 1

/** What may stand in `print.json` beside the pictures of a print; all times in seconds since its beginning. */
const PrintFile = z.object({
  /** From when on a person could see that it fails; null or absent for a good print. */
  visible_at: z.number().nonnegative().nullish(),
  interval: z.number().positive().optional(),
  /** By file name. Without it pictures come `interval` seconds apart, in the order of their names. */
  times: z.record(z.string(), z.number().nonnegative()).optional(),
})

/** A line of a file of scores: a print's facts, or one of its frames. */
const Line = z.union([
  z.object({ print: z.string(), visible_at: z.number().nonnegative().nullable() }),
  z.object({
    print: z.string().optional(),
    /** Seconds since the print's beginning. */
    time: z.number().nonnegative(),
    score: z.number().min(0).max(1),
    /** [confidence, centre x, centre y, width, height] in pixels. */
    boxes: z.array(z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()])).default([]),
    /** Taken as the confidences of the boxes, added up, where it is absent. */
    sum: z.number().nonnegative().optional(),
  }),
])

/** A print of frames with times, in order. */
export function givenTimeline(id: string, frames: readonly TimelineFrame[], visibleAt: number | null): Timeline {
  const byTime = new Map(frames.map((frame) => [frame.at, frame]))
  const times = [...byTime.keys()].sort((a, b) => a - b)
  const gaps = times.slice(1).map((at, i) => at - (times[i] ?? at))
  const endAt = (times.at(-1) ?? 0) + TAIL_MS
  return {
    id,
    source: 'given',
    half: 1,
    visibleAt,
    endAt,
    history: [],
    intervalMs: gaps.sort((a, b) => a - b)[gaps.length >> 1] ?? DEFAULT_INTERVAL_MS,
    frameAt: (at) => byTime.get(at),
    next: (at) => times.find((time) => time > at) ?? endAt,
  }
}

/** The prints in a file of scores, JSON lines. */
export function readScores(text: string, name: string): Timeline[] {
  const frames = new Map<string, TimelineFrame[]>()
  const visible = new Map<string, number | null>()
  for (const [i, raw] of text.split('\n').entries()) {
    if (raw.trim() === '') continue
    const parsed = Line.safeParse(JSON.parse(raw))
    if (!parsed.success) throw new Error(`${name}, line ${i + 1}: ${z.prettifyError(parsed.error)}`)
    const line = parsed.data
    const print = line.print ?? name
    if ('visible_at' in line) {
      visible.set(print, line.visible_at === null ? null : line.visible_at * 1000)
      continue
    }
    const sum = line.sum ?? line.boxes.reduce((total, [confidence]) => total + confidence, 0)
    const list = frames.get(print) ?? []
    list.push({ at: Math.round(line.time * 1000), score: line.score, sum, boxes: line.boxes })
    frames.set(print, list)
  }
  return [...frames].map(([print, list]) => givenTimeline(print, list, visible.get(print) ?? null))
}

async function readPrint(dir: string): Promise<z.infer<typeof PrintFile>> {
  const path = join(dir, 'print.json')
  return existsSync(path) ? PrintFile.parse(JSON.parse(await readFile(path, 'utf8'))) : {}
}

/** The pictures of one print, looked at by the model. */
export async function scoreFrames(book: ScoreBook, dir: string): Promise<Timeline> {
  const { visible_at, interval, times } = await readPrint(dir)
  const intervalMs = interval === undefined ? DEFAULT_INTERVAL_MS : interval * 1000
  const names = (await readdir(dir)).filter((name) => PICTURE.test(name)).sort()
  const frames: TimelineFrame[] = []
  for (const [i, name] of names.entries()) {
    const picture = await readFile(join(dir, name))
    const { autoOrient } = await sharp(picture).metadata()
    const key = `file/${createHash('sha256').update(picture).digest('hex')}`
    const size = [autoOrient.width, autoOrient.height] as const
    const answer = await book.ask({ key, size, make: () => Promise.resolve(picture) })
    const seconds = times?.[name]
    frames.push({ ...answer, at: Math.round(seconds === undefined ? (i + 1) * intervalMs : seconds * 1000) })
  }
  return givenTimeline(basename(dir), frames, visible_at == null ? null : visible_at * 1000)
}

/** The folders below `dir` that hold pictures, or `dir` itself. */
export async function printFolders(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  if (entries.some((entry) => !entry.isDirectory() && PICTURE.test(entry.name))) return [dir]
  const below = entries.filter((entry) => entry.isDirectory()).map((entry) => join(dir, entry.name))
  return (await Promise.all(below.sort().map(printFolders))).flat()
}
