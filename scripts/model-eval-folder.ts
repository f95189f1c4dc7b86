import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import type { Corners } from './model-eval-figures.js'

/** A picture of a labelled folder. */
export interface LabelledPicture {
  readonly path: string
  /** Its path below the folder, with slashes. */
  readonly file: string
  readonly source: string
  readonly group: string
  /** Boxes of the classes that are to be found. */
  readonly boxes: readonly Corners[]
  /** Whether there is a label file, even an empty one. */
  readonly hasLabels: boolean
}

export interface LabelledFolder {
  readonly pictures: readonly LabelledPicture[]
  /** Pictures whose labels cannot be read, and why. */
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[]
  /** Whether a manifest.json tells sources and groups. */
  readonly hasManifest: boolean
}

const PICTURE = /\.(jpe?g|png|webp)$/i
const LEFT_OUT = /^(\.|node_modules$|labels$)/

async function picturesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return LEFT_OUT.test(entry.name) ? [] : picturesIn(path)
      return PICTURE.test(entry.name) ? [path] : []
    }),
  )
  return found.flat().sort()
}

/** Where a picture's labels may stand: in `labels` beside the folder `images` that it is in, or beside it. */
export function labelPathsOf(path: string): string[] {
  const text = `${path.slice(0, -extname(path).length)}.txt`
  const parts = text.split(sep)
  const images = parts.lastIndexOf('images')
  return images === -1 ? [text] : [[...parts.slice(0, images), 'labels', ...parts.slice(images + 1)].join(sep), text]
}

/**
 * The boxes of a YOLO label file that are of these classes: `class x y width height` a line, shares of the picture.
 *
 * @throws {Error} when a line is none
 */
export function parseLabels(text: string, classes: readonly number[]): Corners[] {
  return text.split('\n').flatMap((line, i): Corners[] => {
    if (line.trim() === '') return []
    const [name = Number.NaN, x = Number.NaN, y = Number.NaN, width = Number.NaN, height = Number.NaN] = line
      .trim()
      .split(/\s+/)
      .map(Number)
    const isBox = Number.isInteger(name) && [x, y, width, height].every((share) => share >= 0 && share <= 1)
    if (!isBox) throw new Error(`line ${i + 1} of its labels is not "class x y width height" in shares of the picture`)
    return classes.includes(name) ? [[x - width / 2, y - height / 2, x + width / 2, y + height / 2]] : []
  })
}

interface Entry {
  readonly source: string
  readonly group: string
}

function isEntry(entry: unknown): entry is { file: string; source?: string; group?: string } {
  return typeof entry === 'object' && entry !== null && 'file' in entry && typeof entry.file === 'string'
}

/** Folders in which a manifest may stand: this one, and those above it up to the one that holds `images`. */
function manifestFolders(folder: string): string[] {
  const parts = folder.split(sep)
  const images = parts.lastIndexOf('images')
  return images === -1 ? [folder] : [folder, parts.slice(0, images).join(sep) || sep]
}

/** Source and group of each picture by its path below `images`; undefined when there is no manifest. */
async function readManifest(folder: string): Promise<Map<string, Entry> | undefined> {
  for (const place of manifestFolders(folder)) {
    const path = join(place, 'manifest.json')
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) continue
    const list: unknown = JSON.parse(text)
    if (!Array.isArray(list) || !list.every(isEntry))
      throw new Error(`${path} is not a list of { file, source, group }`)
    return new Map(list.map(({ file, source, group }) => [file, { source: source ?? 'all', group: group ?? file }]))
  }
  return undefined
}

function entryOf(manifest: Map<string, Entry> | undefined, path: string, file: string): Entry {
  const parts = path.split(sep)
  const belowImages = parts.slice(parts.lastIndexOf('images') + 1).join('/')
  const entry = manifest?.get(belowImages) ?? manifest?.get(file) ?? manifest?.get(basename(path))
  return entry ?? { source: manifest === undefined ? 'all' : 'not in the manifest', group: file }
}

async function readLabels(path: string): Promise<string | undefined> {
  for (const place of labelPathsOf(path)) {
    const text = await readFile(place, 'utf8').catch(() => undefined)
    if (text !== undefined) return text
  }
  return undefined
}

/**
 * The labelled pictures in a folder and the folders in it.
 *
 * @throws {Error} when it is no folder, or holds no pictures
 */
export async function readFolder(folder: string, classes: readonly number[]): Promise<LabelledFolder> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) throw new Error(`${folder} is no folder.`)
  const paths = await picturesIn(folder)
  if (paths.length === 0) {
    throw new Error(`No pictures in ${folder}: looked for .jpg, .png and .webp in it and in the folders below it.`)
  }
  const manifest = await readManifest(folder)
  const pictures: LabelledPicture[] = []
  const unreadable: { file: string; reason: string }[] = []
  for (const path of paths) {
    const file = relative(folder, path).split(sep).join('/')
    const text = await readLabels(path)
    try {
      const boxes = parseLabels(text ?? '', classes)
      pictures.push({ path, file, ...entryOf(manifest, path, file), boxes, hasLabels: text !== undefined })
    } catch (err) {
      unreadable.push({ file, reason: err instanceof Error ? err.message : String(err) })
    }
  }
  return { pictures, unreadable, hasManifest: manifest !== undefined }
}

/** The JSON file that describes a model: beside it, of the same name. */
export function descriptionPath(modelPath: string): string {
  return join(dirname(modelPath), `${basename(modelPath, '.onnx')}.json`)
}
