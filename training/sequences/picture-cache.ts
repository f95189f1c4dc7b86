import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A picture that is to be looked at: made, and kept on disk, only when what a model says of it is not known yet. */
export interface Wanted {
  /** What makes this picture, in words: the same words, the same picture. */
  readonly key: string
  readonly make: () => Promise<Buffer>
}

/** The picture, from the cache if it is there. */
export async function cachedPicture(cacheDir: string, { key, make }: Wanted): Promise<Buffer> {
  const hash = createHash('sha256').update(key).digest('hex')
  const path = join(cacheDir, 'pictures', hash.slice(0, 2), `${hash}.jpg`)
  if (existsSync(path)) return readFile(path)
  const picture = await make()
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, picture)
  return picture
}
