import { readFile } from 'node:fs/promises'
import { crc32, deflateRawSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { type ByteSource, readGCodeFacts } from './facts-flow.js'
import { FIXTURES, MIB, NOTHING, read, sourceOf } from './facts-testing.js'

const picture = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#c62' } })
    .png()
    .toBuffer()

describe('3MF', () => {
  interface Part {
    readonly name: string
    readonly data: Uint8Array
    /** What the archive says of it instead of the truth. */
    readonly says?: {
      readonly unpacked?: number
      readonly packed?: number
      readonly method?: number
      readonly flags?: number
    }
  }

  /** A zip archive of deflated parts, with whatever lies are wanted. */
  function zip(parts: readonly Part[]): Buffer {
    const bodies: Buffer[] = []
    const directory: Buffer[] = []
    let at = 0
    for (const { name, data, says = {} } of parts) {
      const packed = deflateRawSync(data)
      const shared = Buffer.alloc(26)
      shared.writeUInt16LE(20)
      shared.writeUInt16LE(says.flags ?? 0, 2)
      shared.writeUInt16LE(says.method ?? 8, 4)
      shared.writeUInt32LE(crc32(data), 10)
      shared.writeUInt32LE(says.packed ?? packed.length, 14)
      shared.writeUInt32LE(says.unpacked ?? data.length, 18)
      shared.writeUInt16LE(name.length, 22)
      bodies.push(Buffer.concat([Buffer.from('PK\x03\x04'), shared, Buffer.from(name), packed]))
      const place = Buffer.alloc(14)
      place.writeUInt32LE(at, 10)
      directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), shared, place, Buffer.from(name)]))
      at += bodies.at(-1)?.length ?? 0
    }
    const end = Buffer.alloc(18)
    end.writeUInt16LE(parts.length, 4)
    end.writeUInt16LE(parts.length, 6)
    end.writeUInt32LE(Buffer.concat(directory).length, 8)
    end.writeUInt32LE(at, 12)
    return Buffer.concat([...bodies, ...directory, Buffer.from('PK\x05\x06'), end])
  }

  const gCode = Buffer.from('; BambuStudio 01.09.00.70\n; total layer number: 7\nG28\n')
  const plate: Part = { name: 'Metadata/plate_1.gcode', data: gCode }

  test('the parts are read', async () => {
    const bytes = zip([plate, { name: 'Metadata/plate_1.png', data: await picture(40, 30) }])
    const { metadata, thumbnails } = await read('a.gcode.3MF', bytes)
    expect(metadata).toEqual({ slicer: 'BambuStudio', slicer_version: '01.09.00.70', layer_count: 7 })
    expect(thumbnails.map(({ width, height }) => [width, height])).toEqual([[40, 30]])
  })

  test('of a bomb only the start is unpacked', async () => {
    const bomb = Buffer.concat([gCode, Buffer.alloc(60 * MIB, 'G1 X1 Y1 E1\n')])
    const bytes = zip([{ name: 'Metadata/plate_1.gcode', data: bomb }])
    const source = sourceOf(bytes)
    expect((await readGCodeFacts('a.3mf', source)).metadata.layer_count).toBe(7)
    expect(source.taken).toBeLessThan(2 * MIB)
  })

  test.each([
    { name: 'says it is empty', says: { unpacked: 0 } },
    { name: 'says it is four gigabytes', says: { unpacked: 0xfffffffe } },
  ])('a part that $name is read as it is', async ({ says }) => {
    expect((await read('a.3mf', zip([{ ...plate, says }]))).metadata.layer_count).toBe(7)
  })

  test.each([
    { name: 'says it is packed to more than there is', says: { packed: 0xfffffffe } },
    { name: 'is packed in an unknown way', says: { method: 99 } },
    { name: 'is encrypted', says: { flags: 1 } },
  ])('a part that $name takes nothing from the others', async ({ says }) => {
    const bytes = zip([
      { ...plate, says },
      { name: 'Metadata/plate_1.png', data: await picture(40, 30) },
    ])
    expect((await read('a.3mf', bytes)).thumbnails).toHaveLength(1)
  })

  test.each(['../../etc/passwd', '/etc/passwd', 'C:\\x', 'a\\..\\b', ''])(
    'an entry named %j does no harm',
    async (name) => {
      const bytes = zip([plate, { name, data: gCode }])
      expect((await read('a.3mf', bytes)).metadata.layer_count).toBe(7)
    },
  )

  test('entries without end are not listed', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => ({ name: `x${i}`, data: Buffer.alloc(0) }))
    const source = sourceOf(zip([plate, ...many]))
    expect((await readGCodeFacts('a.3mf', source)).metadata.layer_count).toBe(7)
    expect(source.reads).toBeLessThan(100)
  })

  test('cut off or damaged anywhere it is still no error', async () => {
    const bytes = await readFile(new URL('bambustudio.gcode.3mf', FIXTURES))
    for (let at = 0; at < bytes.length; at += 41) {
      await read('a.3mf', bytes.subarray(0, at))
      const damaged = Buffer.from(bytes)
      damaged[at] = (damaged[at] ?? 0) ^ 0x5a
      await read('a.3mf', damaged)
    }
  })

  test.each([
    { name: 'no archive', bytes: 'G28\n' },
    { name: 'an empty archive', bytes: zip([]) },
    { name: 'nothing', bytes: '' },
  ])('$name says nothing', async ({ bytes }) => {
    expect(await read('a.3mf', bytes)).toEqual(NOTHING)
  })
})

test('a source that fails within an archive is no damaged archive', async () => {
  const bytes = await readFile(new URL('bambustudio.gcode.3mf', FIXTURES))
  let reads = 0
  const source: ByteSource = {
    size: bytes.length + 200_000,
    async read(offset, length) {
      reads += 1
      if (reads > 1) throw new Error('disk')
      return bytes.subarray(offset, offset + length)
    },
  }
  await expect(readGCodeFacts('a.3mf', source)).rejects.toThrow('disk')
})
