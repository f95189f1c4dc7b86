import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { ApiError } from '../errors.js'
import type { BlobEntry, BlobFacts, BlobStore, PutStreamOptions } from '../ports.js'
import { checkBlobKey, checkContentType, contentTypeOf, folderOfPrefix } from './blob-keys.js'

/** Where bytes are written before they take their name, beside the blobs so that renaming works. */
const PARTIAL_FOLDER = '.partial'

/** No write pauses for longer; what was not written to since was cut off with the server that began it. */
const LONGEST_PAUSE_MS = 12 * 3_600_000

/** How much is written at once: each write costs a way to another thread and back. */
const WRITE_BYTES = 512 * 1024

/** Blobs as files below `folder`. `isShared`: other servers may write there too, so that what is half written is not left behind by now. */
export async function openDiskBlobs(folder: string, isShared = false): Promise<BlobStore> {
  const partialFolder = join(folder, PARTIAL_FOLDER)
  await mkdir(partialFolder, { recursive: true })
  await removeLeftovers(partialFolder, isShared ? Date.now() - LONGEST_PAUSE_MS : Number.POSITIVE_INFINITY)
  const fileOf = (key: string): string => join(folder, checkBlobKey(key))

  async function put(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    checkContentType(key, contentType)
    const file = fileOf(key)
    const partial = join(partialFolder, randomUUID())
    try {
      await writeFile(partial, bytes)
      await moveTo(file, partial)
    } catch (error) {
      await forget(partial)
      throw isDiskFull(error) ? new ApiError('storage_full', undefined, { cause: error }) : error
    }
  }

  async function putNew(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    checkContentType(key, contentType)
    const file = fileOf(key)
    try {
      await inFolder(file, () => writeFile(file, bytes, { flag: 'wx' }))
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') await forget(file)
      throw isDiskFull(error) ? new ApiError('storage_full', undefined, { cause: error }) : error
    }
  }

  async function putStream(key: string, source: Readable, options: PutStreamOptions): Promise<{ size: number }> {
    const { contentType, maxBytes, signal } = options
    checkContentType(key, contentType)
    const file = fileOf(key)
    const partial = join(partialFolder, randomUUID())
    try {
      const size = await writeStream(partial, source, maxBytes, signal)
      await moveTo(file, partial)
      return { size }
    } catch (error) {
      source.destroy()
      await forget(partial)
      throw isDiskFull(error) ? new ApiError('storage_full', undefined, { cause: error }) : error
    }
  }

  return {
    ...readDiskBlobs(folder),
    put,
    putNew,
    putStream,
    async get(key) {
      const bytes = await unlessAbsent(readFile(fileOf(key)))
      return bytes && { bytes, contentType: contentTypeOf(key) }
    },
    async copy(from, to) {
      checkContentType(to, contentTypeOf(from))
      if (await linkAtOnce(fileOf(from), fileOf(to))) return true
      const partial = join(partialFolder, randomUUID())
      try {
        if ((await unlessAbsent(secondName(fileOf(from), partial).then(() => true))) === undefined) return false
        await moveTo(fileOf(to), partial)
      } finally {
        // A file that is renamed to another name of itself stays where it was.
        await rm(partial, { force: true })
      }
      return true
    },
    async remove(key) {
      // Half the price of `rm`, which looks before.
      await unlessAbsent(unlink(fileOf(key)))
    },
    removeAll: (prefix) => removeAll(folder, prefix),
    async ping() {
      const probe = join(partialFolder, randomUUID())
      await writeFile(probe, '')
      await rm(probe)
    },
    async close() {},
  }
}

/**
 * Removes what interrupted writes left behind before `before` (milliseconds). What is younger may be under way: other nodes write here too,
 * and remove as this one does. Never rejects: a leftover takes room, and harms nothing.
 */
async function removeLeftovers(partialFolder: string, before: number): Promise<void> {
  const names = await readdir(partialFolder).catch(() => [])
  for (const name of names) {
    const file = join(partialFolder, name)
    const facts = await stat(file).catch(() => undefined)
    if (facts !== undefined && facts.mtimeMs < before) await forget(file)
  }
}

/** Removes what is of no use. Should that fail, nobody is told: where there was an error before, that is the one to be told of. */
async function forget(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => {})
}

/** What can be read of the blobs below `folder`, which is left exactly as it is: nothing is made there and nothing tidied up. */
export function readDiskBlobs(folder: string): Pick<BlobStore, 'find' | 'stream' | 'list'> {
  const fileOf = (key: string): string => join(folder, checkBlobKey(key))

  async function find(key: string): Promise<BlobFacts | undefined> {
    const facts = await unlessAbsent(stat(fileOf(key)))
    return facts?.isFile() ? { size: facts.size, contentType: contentTypeOf(key) } : undefined
  }

  return {
    find,
    async stream(key, range) {
      const facts = await find(key)
      return facts && { ...facts, body: createReadStream(fileOf(key), range) }
    },
    list: (prefix) => list(folder, prefix),
  }
}

/** Writes the source to a new file, and says how long it is. What was written is on the disk then, not in its cache. */
async function writeStream(
  file: string,
  source: Readable,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  // An abort that comes before the first read has nobody else to tell; reading tells it too.
  source.once('error', () => {})
  if (signal !== undefined) addAbortSignal(signal, source)
  const handle = await open(file, 'wx')
  try {
    let size = 0
    let waiting: Uint8Array[] = []
    let waitingBytes = 0
    const flush = async (): Promise<void> => {
      const { bytesWritten } = await handle.writev(waiting)
      // A write that comes short is no error yet; the one after it says what is the matter, such as a full disk.
      if (bytesWritten < waitingBytes) await handle.writeFile(Buffer.concat(waiting).subarray(bytesWritten))
      waiting = []
      waitingBytes = 0
    }
    for await (const chunk of source) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('a blob is made of bytes')
      size += chunk.length
      if (size > maxBytes) throw new ApiError('too_large', `The file is larger than ${maxBytes} bytes.`)
      waiting.push(chunk)
      waitingBytes += chunk.length
      if (waitingBytes >= WRITE_BYTES) await flush()
    }
    if (waitingBytes > 0) await flush()
    await handle.datasync()
    return size
  } finally {
    await handle.close()
  }
}

const moveTo = (file: string, partial: string): Promise<void> => inFolder(file, () => rename(partial, file))

/** Does what puts `file` in its place, making the folder when it is missing: making it each time would cost more. */
async function inFolder(file: string, putThere: () => Promise<void>): Promise<void> {
  try {
    await putThere()
  } catch (error) {
    if (!isAbsent(error)) throw error
    await mkdir(dirname(file), { recursive: true })
    await putThere()
  }
}

/**
 * Gives the file its second name in one step, where nothing stands in the way: the name is free, and its folder is there. Says whether
 * it did; then `secondName` finds out what is the matter.
 */
async function linkAtOnce(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name)
    return true
  } catch {
    return false
  }
}

/** Blobs are replaced and never changed, so two names of one file are as good as two files. Some file systems know no second names. */
async function secondName(file: string, name: string): Promise<void> {
  if (!(await stat(file)).isFile()) throw Object.assign(new Error(`${file} is no file`), { code: 'EISDIR' })
  try {
    await link(file, name)
  } catch (error) {
    if (isAbsent(error)) throw error
    await copyFile(file, name)
  }
}

/** Each key that starts with `prefix`, which need not end at a folder, with its size. */
async function list(folder: string, prefix: string): Promise<BlobEntry[]> {
  const { parent, start, names } = await namesBelow(folder, prefix)
  const entries: BlobEntry[] = []
  for (const name of names.sort()) await listInto(entries, join(parent, name), `${start}${name}`)
  return entries
}

async function listInto(entries: BlobEntry[], path: string, key: string): Promise<void> {
  const facts = await unlessAbsent(stat(path))
  if (facts === undefined) return
  if (!facts.isDirectory()) {
    entries.push({ key, size: facts.size })
    return
  }
  for (const name of ((await unlessAbsent(readdir(path))) ?? []).sort()) {
    await listInto(entries, join(path, name), `${key}/${name}`)
  }
}

/** Removes each key that starts with `prefix`, which need not end at a folder. */
async function removeAll(folder: string, prefix: string): Promise<void> {
  const { parent, names } = await namesBelow(folder, prefix)
  await Promise.all(names.map((name) => rm(join(parent, name), { recursive: true, force: true })))
}

/** What lies in the folder in which the prefix ends, as far as it starts with the rest of the prefix; `start` is the folder's key. */
async function namesBelow(folder: string, prefix: string): Promise<{ parent: string; start: string; names: string[] }> {
  const start = folderOfPrefix(prefix)
  const parent = join(folder, start)
  const names = (await unlessAbsent(readdir(parent))) ?? []
  const those = names.filter((name) => name.startsWith(prefix.slice(start.length)) && name !== PARTIAL_FOLDER)
  return { parent, start, names: those }
}

async function unlessAbsent<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
const isAbsent = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String(codeOf(error)))
const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(codeOf(error)))
