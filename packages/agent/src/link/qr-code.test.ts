import { expect, test } from 'vitest'
import { qrCodeLines } from './qr-code.js'

const PAGE = 'http://192.168.1.20:3334/printers/new?code=012345&printer_id=123456'

test('a code of a whole address fits beside the words of a terminal, with a quiet zone around it', () => {
  const lines = qrCodeLines(PAGE)
  const widths = new Set(lines.map((line) => line.length))
  expect(widths.size).toBe(1)
  expect([...widths][0]).toBeLessThan(50)
  expect(lines.length).toBeLessThan(26)
  expect(lines[0]).toMatch(/^█+$/)
  for (const line of lines) expect(line).toMatch(/^██.*██$/)
})

test('its corners have the marks by which it is found', () => {
  const [, first = ''] = qrCodeLines(PAGE)
  // Seven dark squares, and below them one dark, five light, one dark.
  expect(first.slice(2, 9)).toBe(' ▄▄▄▄▄ ')
  expect(first.slice(-9, -2)).toBe(' ▄▄▄▄▄ ')
})
