import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { DISTURBANCES, DISTURBED_SIZE, type Disturbance, disturbed } from './disturb.js'
import type { Answer, ScoreBook } from './score-book.js'

// How real photos that the model was never trained on score, as they are and disturbed.

/** Sources whose licence keeps them out of training: every photo of them is new to the model. */
const NEVER_TRAINED = new Set(['sovol', 'ercf'])
/** Failures and heavy strings are to be found; all else counts as good. */
const FAILING_CLASSES = new Set([0, 1])

const Manifest = z.array(
  z.object({ file: z.string(), source: z.string(), group: z.string(), classes: z.array(z.number()).optional() }),
)

export interface Photo {
  readonly file: string
  /** Photos of one scene share it. */
  readonly group: string
  readonly source: string
  readonly isFailing: boolean
  readonly wasTrainedOn: boolean
}

/** A photo with the model's answers about it. */
export interface ScoredPhoto extends Photo {
  readonly answers: Readonly<Record<Disturbance, readonly Answer[]>>
}

async function classesOf(dir: string, file: string): Promise<number[]> {
  const path = join(dir, 'labels', file.replace(/\.jpg$/, '.txt'))
  if (!existsSync(path)) return []
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => Number(line.split(' ')[0]))
}

/** All photos of a folder as `training/README.md` describes it. */
export async function listPhotos(dir: string): Promise<Photo[]> {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(dir, 'manifest.json'), 'utf8')))
  const photos: Photo[] = []
  for (const { file, source, group } of manifest) {
    const isFailing = (await classesOf(dir, file)).some((kind) => FAILING_CLASSES.has(kind))
    const wasTrainedOn = file.startsWith('train/') && !NEVER_TRAINED.has(source)
    photos.push({ file, source, group, isFailing, wasTrainedOn })
  }
  return photos
}

/** More photos than this of each kind tell little more. */
const MOST_FAILING = 40
const MOST_GOOD = 64

function some<T>(items: readonly T[], most: number): T[] {
  const every = Math.max(1, items.length / most)
  return items.filter((_, i) => Math.floor(i / every) !== Math.floor((i - 1) / every))
}

/** Photos of a folder that are new to the model, good ones and failing ones, from all of its sources. */
export async function listNewPhotos(dir: string): Promise<Photo[]> {
  const photos = (await listPhotos(dir)).filter((photo) => !photo.wasTrainedOn)
  const of = (isFailing: boolean): Photo[] => photos.filter((photo) => photo.isFailing === isFailing)
  return [...some(of(true), MOST_FAILING), ...some(of(false), MOST_GOOD)]
}

/** Scores a photo under each disturbance several times. */
export async function scorePhoto(book: ScoreBook, dir: string, photo: Photo): Promise<ScoredPhoto> {
  const path = join(dir, 'images', photo.file)
  const answers: Partial<Record<Disturbance, Answer[]>> = {}
  for (const kind of Object.keys(DISTURBANCES) as Disturbance[]) {
    const list: Answer[] = []
    for (let i = 0; i < DISTURBANCES[kind]; i++) {
      const make = async () => disturbed(await readFile(path), kind, photo.file, i)
      list.push(await book.ask({ key: `photo/1/${photo.file}/${kind}/${i}`, size: DISTURBED_SIZE, make }))
    }
    answers[kind] = list
  }
  return { ...photo, answers: answers as Record<Disturbance, Answer[]> }
}
