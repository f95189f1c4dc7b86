import { open, type FileHandle } from 'node:fs/promises'
import { HostError } from '../../host.js'

/** The lines of a file, read ahead in pieces: never the whole file in memory. */
export interface LineFile {
  /** In bytes. */
  readonly size: number
  /**
   * The next line with the position behind it; `later` when the disk is slower than the printer, `end` after the last, `broken`
   * when the file cannot be read any further.
   */
  next(): { readonly text: string; readonly end: number } | 'later' | 'end' | 'broken'
  close(): Promise<void>
}

const PIECE_BYTES = 64 * 1024
/** About two thousand lines: many seconds of printing, and next to nothing in memory. */
const AHEAD_CHARS = 64 * 1024
/** Slicers write their settings into long comments, but not this long. */
const MAX_LINE_CHARS = 1024 * 1024
const NEW_LINE = '\n'

/**
 * Opens a file to be read line by line. It may be removed from its folder while it is open.
 *
 * @param onMore called when `next` has lines again after it said `later`
 * @throws {HostError} `rejected` when it is no text
 */
export async function openLineFile(path: string, onMore: () => void): Promise<LineFile> {
  const handle = await open(path, 'r')
  const { size } = await handle.stat()
  const file = new PrefetchedFile(handle, size, onMore)
  await file.fill()
  if (file.isBinary()) {
    await file.close()
    throw new HostError('rejected', 'the file is not plain G-code: export it without compression (no .bgcode, no .3mf)')
  }
  return file
}

class PrefetchedFile implements LineFile {
  private text = ''
  private at = 0
  /** Of `at`, in bytes of the file: each character is one byte. */
  private position = 0
  private readTo = 0
  private isAtEnd = false
  private isBroken = false
  private isFilling = false
  private isWaited = false
  private isClosed = false

  constructor(
    private readonly handle: FileHandle,
    readonly size: number,
    private readonly onMore: () => void,
  ) {}

  next(): { text: string; end: number } | 'later' | 'end' | 'broken' {
    const newLine = this.text.indexOf(NEW_LINE, this.at)
    const hasWhole = newLine >= 0 || (this.isAtEnd && this.at < this.text.length)
    if (!hasWhole) {
      if (this.isBroken) return 'broken'
      if (this.isAtEnd) return 'end'
      this.isWaited = true
      void this.fill()
      return 'later'
    }
    const to = newLine >= 0 ? newLine : this.text.length
    const text = this.text.slice(this.at, to)
    this.position += to + 1 - this.at
    this.at = to + 1
    if (this.text.length - this.at < AHEAD_CHARS) void this.fill()
    return { text, end: Math.min(this.position, this.size) }
  }

  isBinary(): boolean {
    return this.text.includes('\0') || /^(GCDE|PK)/.test(this.text)
  }

  async fill(): Promise<void> {
    if (this.isFilling || this.isAtEnd || this.isBroken || this.isClosed) return
    this.isFilling = true
    try {
      const { bytesRead, buffer } = await this.handle.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, this.readTo)
      this.readTo += bytesRead
      this.text = this.text.slice(this.at) + buffer.toString('latin1', 0, bytesRead)
      this.at = 0
      this.isAtEnd = bytesRead === 0 && this.readTo >= this.size
      // Shorter than when it was opened, or without lines.
      this.isBroken = (bytesRead === 0 && !this.isAtEnd) || this.text.length > MAX_LINE_CHARS + AHEAD_CHARS
    } catch {
      this.isBroken = true
    } finally {
      this.isFilling = false
    }
    if (this.isWaited && !this.isClosed) {
      this.isWaited = false
      this.onMore()
    }
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    await this.handle.close()
  }
}
