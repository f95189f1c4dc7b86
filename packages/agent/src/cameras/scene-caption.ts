import { num } from './scene-geometry.js'

/**
 * Letters as strokes on a grid 4 wide and 6 high, `x` then `y` of each point, strokes parted by spaces. Drawn as paths
 * because a picture must not depend on the fonts of the machine it is made on.
 */
const STROKES: Readonly<Record<string, string>> = {
  '0': '0040460600 0640',
  '1': '112026 1636',
  '2': '000040434303030646',
  '3': '004046060 0343',
  '4': '00034340 4346',
  '5': '40000343464606',
  '6': '400006464303',
  '7': '004016',
  '8': '0040460600 0343',
  '9': '430300404606',
  ':': '2121 2525',
  '-': '1333',
  '.': '2626',
  '/': '4006',
  '%': '4006 0101 4545',
  '°': '10211 2101',
  A: '0602204246 0444',
  B: '000636453303 0030413303',
  C: '40000646',
  D: '00062644422000',
  E: '40000646 0333',
  F: '400006 0333',
  G: '4000064643 23',
  H: '0006 4046 0343',
  I: '1030 2026 1636',
  J: '4045361605',
  K: '0006 4003 0346',
  L: '000646',
  M: '0600234046',
  N: '06004640',
  O: '0040460600',
  P: '06003041423303',
  Q: '0040460600 2446',
  R: '06003041423303 2346',
  S: '403010010213334445361606',
  T: '0040 2026',
  U: '00064640',
  V: '002640',
  W: '0016233640',
  X: '0046 4006',
  Y: '002340 2326',
  Z: '00400646',
}

function glyph(strokes: string, left: number, top: number, scale: number): string {
  let text = ''
  for (const stroke of strokes.split(' ')) {
    for (let i = 0; i + 1 < stroke.length; i += 2)
      text += `${i === 0 ? 'M' : 'L'}${num(left + Number(stroke[i]) * scale)} ${num(top + Number(stroke[i + 1]) * scale)}`
  }
  return text
}

/** A line of text as path data, its upper left corner at `left`, `top`; unknown characters are left blank. */
export function captionPath(text: string, left: number, top: number, scale = 1.7): string {
  return Array.from(text.toUpperCase(), (letter, i) =>
    glyph(STROKES[letter] ?? '', left + i * scale * 6, top, scale),
  ).join('')
}
