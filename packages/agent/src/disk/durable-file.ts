import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file so that a power cut leaves either the old or the new content, never a part: the new content is on the
 * disk before the name points at it, and the name is on the disk before this resolves. What could not be written leaves nothing
 * behind, since a disk that is full shall not stay so.
 */
export async function replaceFile(path: string, parts: readonly (string | Uint8Array)[]): Promise<void> {
  const temporary = `${path}.new`
  try {
    const file = await open(temporary, 'w', 0o600)
    try {
      for (const part of parts) await file.writeFile(part)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
  await syncFolder(dirname(path))
}

/** Windows cannot open folders; there the rename is as durable as it gets. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
