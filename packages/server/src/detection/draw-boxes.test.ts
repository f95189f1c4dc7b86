import type { Detection } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { drawBoxes, shownBoxes } from './draw-boxes.js'

function box(x: number, y: number, width: number, height: number, confidence = 0.9): Detection {
  return ['failure', confidence, [x, y, width, height]]
}

/** The picture as text: `#` where it is green, `.` where it is still black. */
function drawn(width: number, height: number, boxes: Detection[]): string[] {
  const data = new Uint8Array(width * height * 3)
  drawBoxes({ data, width, height }, shownBoxes(boxes))
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (__, x) => {
      const pixel = [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)].join()
      return pixel === '0,255,0' ? '#' : pixel === '0,0,0' ? '.' : '?'
    }).join(''),
  )
}

test('a box is drawn with lines three pixels wide', () => {
  expect(drawn(13, 10, [box(6, 5, 8, 6)])).toEqual([
    '.............',
    '.###########.',
    '.###########.',
    '.###########.',
    '.###.....###.',
    '.###.....###.',
    '.###.....###.',
    '.###########.',
    '.###########.',
    '.###########.',
  ])
})

test('what lies outside of the picture is left out', () => {
  expect(drawn(6, 5, [box(0, 0, 6, 4)])).toEqual(['..###.', '#####.', '#####.', '#####.', '......'])
})

test('a box around the whole picture and one far away do no harm', () => {
  expect(drawn(3, 3, [box(1.5, 1.5, 300, 300), box(-900, 40, 10, 10)])).toEqual(['...', '...', '...'])
})

test.each([
  { name: 'nothing', found: [], shown: [] },
  { name: 'unsure findings are not shown', found: [box(5, 5, 2, 2, 0.2)], shown: [] },
  { name: 'the first sure one is', found: [box(5, 5, 2, 2, 0.21)], shown: [[4, 4, 6, 6]] },
  {
    name: 'beside a sure one half as sure is not shown',
    found: [box(5, 5, 2, 2, 0.9), box(50, 50, 2, 2, 0.44)],
    shown: [[4, 4, 6, 6]],
  },
  {
    name: 'findings apart stay apart',
    found: [box(5, 5, 10, 10), box(20, 20, 10, 10)],
    shown: [
      [0, 0, 10, 10],
      [15, 15, 25, 25],
    ],
  },
  {
    name: 'pieces that overlap are one, also through a third',
    found: [box(5, 5, 10, 10), box(17, 5, 10, 10), box(11, 5, 10, 10)],
    shown: [[0, 0, 22, 10]],
  },
  {
    name: 'a box within a box is one with it',
    found: [box(50, 50, 100, 100), box(10, 10, 4, 4)],
    shown: [[0, 0, 100, 100]],
  },
])('$name', ({ found, shown }) => {
  const boxes = shownBoxes(found).map(({ left, top, right, bottom }) => [left, top, right, bottom])
  expect(boxes).toEqual(shown)
})
