// Zip files whose entries are stored as they are: pictures do not get smaller. Pure: bytes in, bytes out, one entry at a time. The
// form without its 64-bit extension holds 65,535 entries and 4 GiB, which callers must not pass.

export const MAX_ZIP_ENTRIES = 60_000
export const MAX_ZIP_BYTES = 3 * 1024 ** 3

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const VERSION = 20
/** Names are UTF-8. */
const UTF8 = 0x0800
/** 1980-01-01, the first day that a zip file can tell: the time of an answer is nobody's business. */
const FIRST_DAY = 0x0021

/** What the list at a zip file's end says of one entry. */
export interface ZipEntry {
  readonly name: string
  readonly crc: number
  readonly size: number
  /** Where the entry begins in the file. */
  readonly offset: number
}

/** The entry of a file that begins at `offset`, and its bytes. `crc` is the CRC-32 of what it holds. */
export function zipEntry(
  name: string,
  bytes: Uint8Array,
  crc: number,
  offset: number,
): { entry: ZipEntry; bytes: Buffer } {
  const entry = { name, crc, size: bytes.length, offset }
  const head = Buffer.alloc(30)
  head.writeUInt32LE(LOCAL, 0)
  writeCommon(head, 4, entry)
  return { entry, bytes: Buffer.concat([head, Buffer.from(name), bytes]) }
}

/** The list at the end, which begins at `offset`. */
export function zipEnd(entries: readonly ZipEntry[], offset: number): Buffer {
  const list = Buffer.concat(entries.map(centralOf))
  const end = Buffer.alloc(22)
  end.writeUInt32LE(END, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([list, end])
}

function centralOf(entry: ZipEntry): Buffer {
  const head = Buffer.alloc(46)
  head.writeUInt32LE(CENTRAL, 0)
  head.writeUInt16LE(VERSION, 4)
  writeCommon(head, 6, entry)
  head.writeUInt32LE(entry.offset, 42)
  return Buffer.concat([head, Buffer.from(entry.name)])
}

/** What both heads of an entry have: version, flags, stored as it is, date, checksum, sizes, length of the name. */
function writeCommon(head: Buffer, at: number, { name, crc, size }: ZipEntry): void {
  head.writeUInt16LE(VERSION, at)
  head.writeUInt16LE(UTF8, at + 2)
  head.writeUInt16LE(FIRST_DAY, at + 8)
  head.writeUInt32LE(crc, at + 10)
  head.writeUInt32LE(size, at + 14)
  head.writeUInt32LE(size, at + 18)
  head.writeUInt16LE(Buffer.byteLength(name), at + 22)
}
