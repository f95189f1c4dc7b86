import { expect, test } from 'vitest'
import { checkFileName, checkFolderName } from '../g-code/names.js'
import { usableFileName, usableFolderName } from './names.js'

test.each([
  { there: 'boat.gcode', here: 'boat.gcode', isNoted: false },
  { there: 'boat.GCO', here: 'boat.GCO', isNoted: false },
  { there: 'boat', here: 'boat.gcode', isNoted: true },
  { there: 'boat.ufp', here: 'boat.ufp.gcode', isNoted: true },
  { there: 'a/b\\c.gcode', here: 'a_b_c.gcode', isNoted: true },
  { there: 'line\nbreak.gcode', here: 'line_break.gcode', isNoted: true },
  { there: '..', here: 'unnamed.gcode', isNoted: true },
  { there: '\u200b', here: 'unnamed.gcode', isNoted: true },
])('the file $there is called $here', ({ there, here, isNoted }) => {
  const { name, note } = usableFileName(there)
  expect({ name, isNoted: note !== undefined }).toEqual({ name: here, isNoted })
  expect(checkFileName(name)).toEqual({ name })
})

test.each([
  { there: 'Brackets', here: 'Brackets' },
  { there: 'a/b', here: 'a_b' },
  { there: '.', here: 'unnamed' },
  { there: 'x'.repeat(1200), here: 'x'.repeat(1000) },
])('the folder $there can be kept', ({ there, here }) => {
  expect(usableFolderName(there).name).toBe(here)
  expect(checkFolderName(here)).toEqual({ name: here })
})

test('a name that is too long stays a name', () => {
  const { name } = usableFileName('x'.repeat(1200))
  expect(checkFileName(name)).toEqual({ name })
})
