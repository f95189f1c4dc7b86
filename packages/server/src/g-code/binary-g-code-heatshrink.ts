// Heatshrink: LZSS as bits, most significant first. A 1 and eight bits are a byte; a 0, a distance less one and a length less
// one repeat what came before. Before the first byte there are zeros.

/** How many bits a distance and a length take. */
export interface HeatshrinkShape {
  readonly windowBits: number
  readonly lookaheadBits: number
}

/** Unpacks exactly `size` bytes. Undefined where `packed` has fewer, so what it holds is not what it says. */
export function unpackHeatshrink(packed: Uint8Array, size: number, shape: HeatshrinkShape): Uint8Array | undefined {
  const bytes = new Uint8Array(size)
  const bits = new BitReader(packed)
  for (let done = 0; done < size; ) {
    if (bits.read(1) === 1) bytes[done++] = bits.read(8)
    else {
      const distance = bits.read(shape.windowBits) + 1
      const length = bits.read(shape.lookaheadBits) + 1
      for (const end = Math.min(size, done + length); done < end; done += 1) bytes[done] = bytes[done - distance] ?? 0
    }
    if (bits.isPastEnd) return undefined
  }
  return bytes
}

class BitReader {
  private at = 0

  constructor(private readonly bytes: Uint8Array) {}

  /** The next `count` bits as a number. Past the end they are zeros. */
  read(count: number): number {
    let value = 0
    for (let left = count; left > 0; left -= 1, this.at += 1) {
      value = (value << 1) | (((this.bytes[this.at >> 3] ?? 0) >> (7 - (this.at & 7))) & 1)
    }
    return value
  }

  get isPastEnd(): boolean {
    return this.at > this.bytes.length * 8
  }
}
