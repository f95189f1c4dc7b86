import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The parsed content of a file, or undefined when there is none. Throws when the content is not JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : JSON.parse(text)
}

/**
 * Replaces a file so that a power cut leaves either the old or the new content, never a part: the new content is on the
 * disk before the name points at it, and the name is on the disk before this resolves.
 */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(value))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
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
