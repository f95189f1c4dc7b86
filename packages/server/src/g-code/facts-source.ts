/** The bytes of a file, wherever they lie. A read past the end gives fewer bytes. */
export interface ByteSource {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}

const WINDOW_BYTES = 64 * 1024

/** A source whose small reads come from one window in memory, and that tells its own failures from bad content. */
export interface WindowedSource extends ByteSource {
  /** Rejects with what the source failed with, if it did. */
  check(): void
}

export function windowedSource(source: ByteSource): WindowedSource {
  let window: { offset: number; bytes: Uint8Array } | undefined
  let failure: { cause: unknown } | undefined

  async function readSource(offset: number, length: number): Promise<Uint8Array> {
    try {
      const bytes = await source.read(offset, length)
      return bytes.subarray(0, length)
    } catch (err) {
      failure ??= { cause: err }
      throw err
    }
  }

  async function read(offset: number, length: number): Promise<Uint8Array> {
    const wanted = Math.min(length, source.size - offset)
    if (offset < 0 || wanted <= 0) return new Uint8Array()
    if (wanted > WINDOW_BYTES / 2) return readSource(offset, wanted)
    if (window === undefined || offset < window.offset || offset + wanted > window.offset + WINDOW_BYTES) {
      window = { offset, bytes: await readSource(offset, Math.min(WINDOW_BYTES, source.size - offset)) }
    }
    const at = offset - window.offset
    return window.bytes.subarray(at, at + wanted)
  }

  function check(): void {
    if (failure !== undefined) throw failure.cause
  }

  return { size: source.size, read, check }
}
