// A zip archive of a few small files, without dates, so that the same files give the same archive.
import { deflateRawSync } from 'node:zlib'

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
/** Version 2.0 of the format: deflate. */
const VERSION = 20
const DEFLATE = 8
/** 1 January 1980, the first day that the format knows. */
const FIRST_DAY = 0x21
/** Made on Unix, where an ordinary file may be read by all and run. */
const MADE_ON_UNIX = 0x0300 | VERSION
const MODE = 0o100755 * 0x10000

/** A file of the archive; its name is in ASCII. */
export interface ZipEntry {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The archive. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, bytes } of entries) {
    const packed = deflateRawSync(bytes)
    const path = Buffer.from(name, 'ascii')
    const common = header([
      [VERSION, 2],
      [0, 2],
      [DEFLATE, 2],
      [0, 2],
      [FIRST_DAY, 2],
      [crc32(bytes), 4],
      [packed.length, 4],
      [bytes.length, 4],
      [path.length, 2],
      [0, 2],
    ])
    const local = Buffer.concat([header([[LOCAL, 4]]), common, path, packed])
    const place = header([
      [0, 2],
      [0, 2],
      [0, 2],
      [MODE, 4],
      [offset, 4],
    ])
    directory.push(
      header([
        [CENTRAL, 4],
        [MADE_ON_UNIX, 2],
      ]),
      common,
      place,
      path,
    )
    parts.push(local)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = header([
    [END, 4],
    [0, 2],
    [0, 2],
    [entries.length, 2],
    [entries.length, 2],
    [central.length, 4],
    [offset, 4],
    [0, 2],
  ])
  return Buffer.concat([...parts, central, end])
}

/** Numbers with the bytes each takes, the low byte first. */
function header(fields: readonly (readonly [value: number, bytes: number])[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [, size]) => sum + size, 0))
  let at = 0
  for (const [value, size] of fields) at = buffer.writeUIntLE(value, at, size)
  return buffer
}

const CRC_TABLE = Array.from({ length: 256 }, (_, number) => {
  let value = number
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value >>> 0
})

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}
