import type { PrinterFile } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { isPlainPath, newestFiles } from './printer-files.js'

const file = (path: string, date: number | null = null): PrinterFile => ({ path, origin: 'local', size: 1, date })

test('the newest come first, those without a date last', () => {
  const { files, is_cut } = newestFiles([file('b'), file('old', 1), file('new', 2), file('a')])
  expect(files.map(({ path }) => path)).toEqual(['new', 'old', 'a', 'b'])
  expect(is_cut).toBe(false)
})

test('of more than can be told the oldest are left out', () => {
  const { files, is_cut } = newestFiles(Array.from({ length: 501 }, (_, index) => file(`${index}`, index + 1)))
  expect([files.length, files.at(-1)?.path, is_cut]).toEqual([500, '1', true])
})

test('a list of very long names stays within a message', () => {
  const names = Array.from({ length: 400 }, (_, index) => file(`${String(index).padStart(4, '0')}${'層'.repeat(990)}`))
  const told = newestFiles(names)
  expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThan(600 * 1024)
  expect(told.files).toEqual(names.slice(0, told.files.length))
  expect(told.is_cut).toBe(true)
})

test('a file that cannot be told is missing, and the list says so', () => {
  expect(newestFiles([file('a\nM112')])).toEqual({ files: [], is_cut: true })
})

test.each([
  ['cube.gcode', true],
  ['folder/a cube.gcode', true],
  ['/FOLDER/CUBE~1.GCO', true],
  ['ü.gcode', true],
  ['', false],
  ['/', false],
  ['..', false],
  ['a/../../api/connection', false],
  ['./a', false],
  ['a//b', false],
  ['a/', false],
  ['a\\b', false],
  ['a\nM112', false],
  ['a\0', false],
  ['x'.repeat(1001), false],
])('%j is a path: %s', (path, isPlain) => {
  expect(isPlainPath(path)).toBe(isPlain)
})
