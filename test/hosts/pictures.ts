import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, startProgram, temporaryFolder } from '../support/processes.js'

/** What a camera may show: a few pictures of a good print, and a few of the same kind of scene gone wrong. */
export interface Pictures {
  readonly source: string
  readonly good: readonly Uint8Array[]
  readonly failing: readonly Uint8Array[]
}

/** Licensed photos, kept beside the repository where they may be kept at all. */
const PHOTOS = join(ROOT, '../shared/detection-data')

/** Photos of the validation split when they are here; else rendered scenes, and the run says so. */
export async function loadPictures(): Promise<Pictures> {
  if (existsSync(PHOTOS)) return photographs()
  console.log('the licensed photos are absent: the camera shows rendered scenes instead')
  return renderedScenes()
}

function photographs(): Pictures {
  const folder = join(PHOTOS, 'images/val')
  const names = readdirSync(folder).sort()
  const label = (name: string): string =>
    readFileSync(join(PHOTOS, 'labels/val', name.replace(/\.jpg$/, '.txt')), 'utf8').trim()
  const read = (name: string): Uint8Array => readFileSync(join(folder, name))
  // An empty label file: nothing to find. Class 0: spaghetti.
  const good = names.filter((name) => label(name) === '')
  const failing = names.filter((name) => /^0 /m.test(label(name)))
  return { source: 'photos', good: good.map(read), failing: failing.map(read) }
}

async function renderedScenes(): Promise<Pictures> {
  const folder = await temporaryFolder()
  try {
    const script = join(ROOT, 'scripts/render-scenes.ts')
    const command = ['--conditions=x-source', '--import', 'tsx', script]
    const options = ['--out', folder.path, '--sequence', '--frames', '40', '--fail-at', '0.5', '--seed', '7']
    const program = startProgram(process.execPath, [...command, ...options])
    if ((await program.ended) !== 0) throw new Error(program.output())
    const images = join(folder.path, 'images')
    const frames = readdirSync(images).sort()
    const read = (name: string): Uint8Array => readFileSync(join(images, name))
    return { source: 'rendered scenes', good: frames.slice(8, 18).map(read), failing: frames.slice(30).map(read) }
  } finally {
    await folder.remove()
  }
}
