import { readFile } from 'node:fs/promises'
import { replaceFile } from './durable-file.js'

/** The parsed content of a file, or undefined when there is none. Throws when the content is not JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : JSON.parse(text)
}

/** Replaces a file by `value`, wholly or not at all. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  await replaceFile(path, [JSON.stringify(value)])
}
