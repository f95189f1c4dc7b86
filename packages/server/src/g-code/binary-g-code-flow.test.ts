import { readFile } from 'node:fs/promises'
import { crc32, deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readGCodeFacts } from './facts-flow.js'
import { FIXTURES, MIB, NOTHING, read, sourceOf } from './facts-testing.js'

describe('binary G-code', () => {
  const fixture = () => readFile(new URL('prusaslicer.bgcode', FIXTURES))

  test('is known by its content, whatever its name', async () => {
    expect((await read('a.gcode', await fixture())).metadata.slicer).toBe('PrusaSlicer')
  })

  test('cut off anywhere it says what is left, and no more', async () => {
    const bytes = await fixture()
    const whole = await read('a.bgcode', bytes)
    for (let size = 0; size < bytes.length; size += 53) {
      const { metadata, thumbnails } = await read('a.bgcode', bytes.subarray(0, size))
      for (const [key, value] of Object.entries(metadata)) {
        if (key !== 'gcode_end_byte') expect({ ...whole.metadata, layer_count: 51 }).toMatchObject({ [key]: value })
      }
      expect(thumbnails.length).toBeLessThanOrEqual(3)
    }
  })

  test('damaged anywhere it says nothing that is not checked', async () => {
    const bytes = await fixture()
    for (let at = 10; at < bytes.length; at += 29) {
      const damaged = Buffer.from(bytes)
      damaged[at] = (damaged[at] ?? 0) ^ 0x5a
      const { metadata } = await read('a.bgcode', damaged)
      expect(metadata.slicer ?? 'PrusaSlicer').toBe('PrusaSlicer')
      expect(metadata.filament_total ?? 1500.25).toBe(1500.25)
      expect(metadata.first_layer_extr_temp ?? 230).toBe(230)
    }
  })

  function block(
    type: number,
    compression: number,
    data: Uint8Array,
    sizes: { unpacked: number; packed?: number },
  ): Buffer {
    const header = Buffer.alloc(compression === 0 ? 10 : 14)
    header.writeUInt16LE(type)
    header.writeUInt16LE(compression, 2)
    header.writeUInt32LE(sizes.unpacked, 4)
    if (compression !== 0) header.writeUInt32LE(sizes.packed ?? data.length, 8)
    const params = type === 5 ? Buffer.alloc(4, 1) : Buffer.alloc(0)
    const checked = Buffer.concat([header, params, data])
    const sum = Buffer.alloc(4)
    sum.writeUInt32LE(crc32(checked))
    return Buffer.concat([checked, sum])
  }
  const HEAD = Buffer.from('GCDE\x01\0\0\0\x01\0', 'latin1')
  const setting = Buffer.from('layer_height=0.3\n')
  const good = block(2, 0, setting, { unpacked: setting.length })

  test.each([
    { name: 'a bomb of zeros', bad: block(2, 1, deflateSync(Buffer.alloc(64 * MIB)), { unpacked: 64 * MIB }) },
    { name: 'a bomb that says it is small', bad: block(2, 1, deflateSync(Buffer.alloc(64 * MIB)), { unpacked: 100 }) },
    { name: 'less than it says', bad: block(2, 1, deflateSync(setting), { unpacked: 1000 }) },
    { name: 'no deflate', bad: block(2, 1, setting, { unpacked: 17 }) },
    { name: 'four gigabytes of heatshrink', bad: block(2, 2, setting, { unpacked: 0xffffffff }) },
    { name: 'a thumbnail of nothing', bad: block(5, 0, Buffer.alloc(0), { unpacked: 0 }) },
  ])('$name is left out, and the next block is read', async ({ bad }) => {
    expect((await read('a.bgcode', Buffer.concat([HEAD, bad, good]))).metadata).toEqual({ layer_height: 0.3 })
  })

  test('a block that says it is larger than the file ends the reading', async () => {
    const bad = block(2, 0, setting, { unpacked: 0xffffffff })
    expect((await read('a.bgcode', Buffer.concat([HEAD, good, bad, good]))).metadata).toEqual({ layer_height: 0.3 })
  })

  test('blocks without end are not followed', async () => {
    const bytes = Buffer.concat([
      HEAD,
      ...Array.from({ length: 50_000 }, () => block(5, 0, Buffer.alloc(0), { unpacked: 0 })),
    ])
    const source = sourceOf(bytes)
    expect(await readGCodeFacts('a.bgcode', source)).toEqual(NOTHING)
    expect(source.reads).toBeLessThan(300)
  })
})
