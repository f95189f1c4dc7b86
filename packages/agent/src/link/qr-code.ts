import { encode } from 'uqr'

/**
 * A QR code as lines of half blocks, two rows of it on a line, for a terminal of any colours: the quiet zone and the light
 * squares are drawn, so that it is dark on light on a dark terminal. On a light terminal it is inverted, which telephones
 * read as well.
 */
export function qrCodeLines(text: string): string[] {
  const { data, size } = encode(text, { ecc: 'L', border: 2 })
  const isLight = (row: number, column: number): boolean => row >= size || data[row]?.[column] === false
  const lines: string[] = []
  for (let row = 0; row < size; row += 2) {
    let line = ''
    for (let column = 0; column < size; column += 1) line += block(isLight(row, column), isLight(row + 1, column))
    lines.push(line)
  }
  return lines
}

function block(isUpper: boolean, isLower: boolean): string {
  if (isUpper) return isLower ? '█' : '▀'
  return isLower ? '▄' : ' '
}
