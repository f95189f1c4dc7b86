import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NO_PRINT } from '@printwarden/protocol'
import { CameraError, type Camera, type CameraSubject } from '../camera.js'

/**
 * Plays the pictures of a folder, sorted by name, one with each capture: from the first with each print, and at the end the
 * last one stays. Between prints it shows the first. The folder is read anew each time, so pictures may be added on the way.
 */
export function openPicturesCamera(folder: string, subject: Pick<CameraSubject, 'printTs'>): Camera {
  let printTs = NO_PRINT
  let index = 0

  return {
    capture: async () => {
      const names = await listPictures(folder)
      const now = subject.printTs()
      if (now !== printTs) index = 0
      printTs = now
      const name = names[Math.min(index, names.length - 1)] ?? ''
      if (now !== NO_PRINT) index += 1
      return readFile(join(folder, name))
    },
  }
}

async function listPictures(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new CameraError(`the folder ${folder} cannot be read`, { cause: error })
  })
  const pictures = names.filter((name) => /\.(jpe?g|png|webp)$/i.test(name))
  if (pictures.length === 0) throw new CameraError(`the folder ${folder} has no pictures`)
  return pictures.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}
