import { expect, test } from 'vitest'
import { MjpegParser } from './mjpeg-parser.js'

/** The pictures that are found when the stream comes in pieces of this size; or why it is given up. */
function picturesIn(stream: string, pieceBytes: number): string[] | string {
  const pictures: string[] = []
  const parser = new MjpegParser(
    () => true,
    (picture) => pictures.push(picture.toString('latin1')),
  )
  const bytes = Buffer.from(stream, 'latin1')
  try {
    for (let at = 0; at < bytes.length; at += pieceBytes) parser.push(bytes.subarray(at, at + pieceBytes))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return pictures
}

const PARTS = {
  counted:
    '--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 5\r\n\r\none-1\r\n--frame\r\ncontent-length:3\r\n\r\ntwo\r\n',
  'with a boundary alone': '--b\r\nContent-Type: image/jpeg\r\n\r\none-1\r\n--b\r\n\r\ntwo\r\n--b\r\n\r\nbegun',
  'with bare line ends': '--b\nX: y\n\none-1\n--b\n\ntwo\n--b\n\n',
  'after something else': 'hello\r\n\r\n--b\r\nContent-Length: 5\r\n\r\none-1\r\n--b\r\nContent-Length: 3\r\n\r\ntwo',
}

test.each(Object.entries(PARTS).flatMap(([name, stream]) => [1, 2, 7, 1000].map((piece) => ({ name, stream, piece }))))(
  'a stream $name, in pieces of $piece',
  ({ stream, piece }) => {
    expect(picturesIn(stream, piece)).toEqual(['one-1', 'two'])
  },
)

// What looks like many beginnings was once looked through from each of them, for minutes, while nothing else ran.
test.each(['--a\n', '--a\nx: y\n', '\n--x', 'a', '-', '\r\n', '--\r\n'])(
  '%j without end is given up at once',
  (unit) => {
    const beganMs = performance.now()
    expect(picturesIn(unit.repeat(Math.ceil(70_000 / unit.length)), 512)).toBe('the answer is no MJPEG stream')
    expect(performance.now() - beganMs).toBeLessThan(1_000)
  },
)
