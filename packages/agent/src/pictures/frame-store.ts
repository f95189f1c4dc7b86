import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../time/clock.js'
import { replaceFile } from '../disk/durable-file.js'
import { framesToDrop, type FrameQuota } from './frame-quota.js'
import type { Log } from '../log/log.js'
import { frameHeader, MAX_HEADER_BYTES, readFrameHeader, type KeptFrame } from './stored-frame.js'
import { nowOf } from '../time/stored-time.js'

/** Pictures on disk, in the order in which they were kept. Each is one file, written wholly or not at all. */
export interface FrameStore {
  list(): readonly KeptFrame[]
  /** Keeps a picture, and lets others go where the quota asks for it. False when it is not kept; a full disk is logged, not thrown. */
  add(frame: Omit<KeptFrame, 'seq' | 'numBytes'>, bytes: Uint8Array): Promise<boolean>
  /** Undefined when the file is gone or damaged. */
  read(id: string): Promise<Uint8Array | undefined>
  remove(id: string): Promise<void>
}

/** Opens the pictures in `folder`; what a crash left unfinished there is removed. The folder is made with the first picture. */
export async function openFrameStore(folder: string, quota: FrameQuota, clock: Clock, log: Log): Promise<FrameStore> {
  const pathOf = (id: string): string => join(folder, `${id}.frame`)
  let frames = await load(folder, clock, log)
  let isFailing = false

  async function remove(id: string): Promise<void> {
    frames = frames.filter((frame) => frame.id !== id)
    await rm(pathOf(id), { force: true }).catch((err: unknown) => log.warn({ err }, 'a kept picture cannot be removed'))
  }

  async function add(given: Omit<KeptFrame, 'seq' | 'numBytes'>, bytes: Uint8Array): Promise<boolean> {
    const frame = { ...given, seq: (frames.at(-1)?.seq ?? 0) + 1, numBytes: bytes.length }
    const dropped = framesToDrop([...frames, frame], quota).map(({ id }) => id)
    if (dropped.includes(frame.id)) return false
    // First, since the disk may be full.
    for (const id of dropped) await remove(id)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await replaceFile(pathOf(frame.id), [frameHeader(frame, nowOf(clock)), bytes])
      frames = [...frames, frame]
      isFailing = false
      return true
    } catch (err) {
      if (!isFailing) log.warn({ err, folder }, 'pictures cannot be kept while the server is away')
      isFailing = true
      return false
    }
  }

  async function read(id: string): Promise<Uint8Array | undefined> {
    const content = await readFile(pathOf(id)).catch(() => undefined)
    const header = content && readFrameHeader(content.subarray(0, MAX_HEADER_BYTES), content.length, nowOf(clock))
    return content && header && content.subarray(header.offset)
  }

  return { list: () => frames, add, read, remove }
}

async function load(folder: string, clock: Clock, log: Log): Promise<KeptFrame[]> {
  const names = await readdir(folder).catch((err: NodeJS.ErrnoException) => {
    if (err.code !== 'ENOENT') log.warn({ err, folder }, 'kept pictures cannot be read')
    return []
  })
  const frames: KeptFrame[] = []
  for (const name of names) {
    const path = join(folder, name)
    const frame = name.endsWith('.frame') ? await readHead(path, clock) : undefined
    if (frame && name === `${frame.id}.frame`) frames.push(frame)
    else await rm(path, { force: true }).catch(() => undefined)
  }
  return frames.sort((a, b) => a.seq - b.seq)
}

async function readHead(path: string, clock: Clock): Promise<KeptFrame | undefined> {
  const file = await open(path, 'r').catch(() => undefined)
  if (!file) return undefined
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0)
    return readFrameHeader(buffer.subarray(0, bytesRead), size, nowOf(clock))?.frame
  } catch {
    return undefined
  } finally {
    await file.close()
  }
}
