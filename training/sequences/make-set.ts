import { donorOf } from './donors.js'
import type { KeyedPrint } from './keys.js'
import { listNewPhotos, scorePhoto } from './photos.js'
import { scoreScene } from './scenes.js'
import type { ScoreBook } from './score-book.js'
import type { ScoreSet } from './sets.js'
import { scoreToolpath } from './toolpaths.js'

export interface SetOptions {
  /** A folder of photos as `training/README.md` describes it. */
  readonly data: string
  /** Where it is kept what is known of rendered pictures besides the model's answers. */
  readonly cacheDir: string
  readonly tell: (text: string) => void
}

const EVERY = 10
/** Half of them fail. */
const SCENES = 32
const TOOLPATHS = 28

/** Asks the model about all pictures that the timelines are made of. What is in the cache is not asked again. */
export async function makeSet(book: ScoreBook, { data, cacheDir, tell }: SetOptions): Promise<ScoreSet> {
  const donors: ScoreSet['donors'] = []
  const photos = await listNewPhotos(data)
  for (const [i, photo] of photos.entries()) {
    donors.push(donorOf(await scorePhoto(book, data, photo)))
    if (i % EVERY === 0) tell(`photo ${i} of ${photos.length}`)
  }
  const prints: KeyedPrint[] = []
  for (let i = 0; i < SCENES; i++) {
    prints.push(await scoreScene(book, i))
    if (i % EVERY === 0) tell(`scene ${i} of ${SCENES}`)
  }
  for (let i = 0; i < TOOLPATHS; i++) {
    prints.push(await scoreToolpath(book, i, cacheDir))
    if (i % EVERY === 0) tell(`toolpath ${i} of ${TOOLPATHS}`)
  }
  return { model: book.modelHash, donors, prints }
}
