import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { type ZipEntry, zipEnd, zipEntry } from './zip.js'

/** A zip file of these texts. */
function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const entries: ZipEntry[] = []
  const parts: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text)
    const made = zipEntry(name, bytes, crc32(bytes), offset)
    entries.push(made.entry)
    parts.push(made.bytes)
    offset += made.bytes.length
  }
  return Buffer.concat([...parts, zipEnd(entries, offset)])
}

/** Reads a zip file as programs do: from its end, by the list, at the places that it names. */
function read(zip: Buffer): Record<string, string> {
  const end = zip.length - 22
  expect(zip.readUInt32LE(end)).toBe(0x06054b50)
  const files: Record<string, string> = {}
  let at = zip.readUInt32LE(end + 16)
  for (let count = zip.readUInt16LE(end + 10); count > 0; count--) {
    expect(zip.readUInt32LE(at)).toBe(0x02014b50)
    const [crc, size, nameLength, place] = [at + 16, at + 20, at + 28, at + 42].map((where, index) =>
      index === 2 ? zip.readUInt16LE(where) : zip.readUInt32LE(where),
    ) as [number, number, number, number]
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    expect(zip.readUInt32LE(place)).toBe(0x04034b50)
    expect(zip.readUInt16LE(place + 26)).toBe(nameLength)
    const begin = place + 30 + nameLength
    const bytes = zip.subarray(begin, begin + size)
    expect(crc32(bytes)).toBe(crc)
    files[name] = bytes.toString()
    at += 46 + nameLength
  }
  expect(at).toBe(end)
  return files
}

test('what is put in comes out, names with letters of all kinds included', () => {
  const files = { 'images/a.jpg': 'not really a picture', 'labels/a.txt': '', 'manifest.json': '[]', 'größe.txt': 'ü' }
  expect(read(zipOf(files))).toEqual(files)
})

test('an empty zip file is one', () => {
  expect(read(zipOf({}))).toEqual({})
})
