import { createRequire } from 'node:module'
import type sharp from 'sharp'

// sharp takes 20 MB and 0.1 s of processor time by itself: it is read with the first picture that needs it, and most of the start needs none.

let library: Promise<typeof sharp> | undefined

export async function pictureLibrary(): Promise<typeof sharp> {
  library ??= import('sharp').then((loaded) => withSettings(loaded.default))
  return library
}

/** For the whole process, as the detector's thread has them too: many pictures at once, each on one core, and none comes twice. */
function withSettings(loaded: typeof sharp): typeof sharp {
  loaded.concurrency(1)
  loaded.cache(false)
  return loaded
}

/**
 * What every start checks: that the library's program for this machine is installed. Where it does not lie in its usual place, the library is
 * read at once, which finds it elsewhere or says what is missing. @throws what sharp says
 */
export async function requirePictureLibrary(platform: string = process.platform): Promise<void> {
  if (!isInstalledFor(platform)) await pictureLibrary()
}

function isInstalledFor(platform: string): boolean {
  const beside = createRequire(createRequire(import.meta.url).resolve('sharp'))
  const names = platform === 'linux' ? ['linux', 'linuxmusl'] : [platform]
  return names.some((name) => {
    try {
      beside.resolve(`@img/sharp-${name}-${process.arch}/sharp.node`)
      return true
    } catch {
      return false
    }
  })
}
