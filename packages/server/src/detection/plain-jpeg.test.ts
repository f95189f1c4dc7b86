import sharp from 'sharp'
import { expect, test } from 'vitest'
import { plainJpegSize } from './plain-jpeg.js'

const SIZE = { width: 70, height: 50 }
const SIZED = { width: 70, height: 50 }
const picture = () => sharp({ create: { ...SIZE, channels: 3, background: '#864' } })
const plain = await picture().jpeg().toBuffer()

/** Where a marker stands, and what stands behind it. */
const after = (bytes: Buffer, marker: number): number => bytes.indexOf(Buffer.from([0xff, marker])) + 2

/** The picture with other bytes from a place on. */
function changed(at: number, ...values: number[]): Buffer {
  const bytes = Buffer.from(plain)
  bytes.set(values, at)
  return bytes
}

const inserted = (at: number, ...values: number[]): Buffer =>
  Buffer.concat([plain.subarray(0, at), Buffer.from(values), plain.subarray(at)])

const frame = after(plain, 0xc0)
const scan = after(plain, 0xda)
const COMMENT = [0xff, 0xfe, 0, 4, 0xff, 0xda]

test.each([
  ['of three colours', plain],
  ['with colours in full', await picture().jpeg({ chromaSubsampling: '4:4:4' }).toBuffer()],
  ['that is grey', await picture().greyscale().jpeg().toBuffer()],
  ['that is turned, by what is said of it', await picture().withMetadata({ orientation: 6 }).jpeg().toBuffer()],
  ['with the mark of a scan in a comment', inserted(2, ...COMMENT)],
  ['with bytes behind its end', Buffer.concat([plain, Buffer.alloc(64)])],
])('a JPEG %s has a size', (_, bytes) => {
  expect(plainJpegSize(bytes)).toEqual(SIZED)
})

test.each([
  ['of many scans', await picture().jpeg({ progressive: true }).toBuffer()],
  ['of four colours', await picture().toColourspace('cmyk').jpeg().toBuffer()],
  ['with a second scan', inserted(plain.length - 2, 0xff, 0xda, 0, 2)],
  ['with a second frame', inserted(frame - 2, ...plain.subarray(frame - 2, frame + plain.readUInt16BE(frame)))],
  ['of 12 bits', changed(frame + 2, 12)],
  ['without a height', changed(frame + 3, 0, 0)],
  ['without a width', changed(frame + 5, 0, 0)],
  ['of two colours', changed(frame + 7, 2)],
  ['with nothing between two marks', inserted(2, 0xff, 0xff)],
  ['that ends twice', inserted(2, 0xff, 0xd9, 0, 2)],
  ['of a hundred comments', inserted(2, ...Array.from({ length: 100 }, () => COMMENT).flat())],
  ['that says wrong how long a part is', changed(4, 0xff, 0xff)],
  ['that ends before its pixels', plain.subarray(0, scan - 2)],
  ['that ends within its size', plain.subarray(0, frame + 5)],
  ['of nothing but a beginning', plain.subarray(0, 3)],
])('a JPEG %s is for others', (_, bytes) => {
  expect(plainJpegSize(bytes)).toBeUndefined()
})

test('a picture of another format has no size here', async () => {
  expect(plainJpegSize(await picture().png().toBuffer())).toBeUndefined()
})
