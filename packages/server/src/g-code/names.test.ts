import { expect, test } from 'vitest'
import { checkFileName, checkFolderName, safeName, searchName } from './names.js'

test.each([
  { text: 'boat.gcode', name: 'boat.gcode' },
  { text: ' boat v2.GCODE ', name: 'boat v2.GCODE' },
  { text: 'a.gco', name: 'a.gco' },
  { text: 'a.g', name: 'a.g' },
  { text: 'a.bgcode', name: 'a.bgcode' },
  { text: 'plate.gcode.3mf', name: 'plate.gcode.3mf' },
  { text: 'Schlüssel_2×.gcode', name: 'Schlüssel_2×.gcode' },
  { text: 'Schlu\u0308ssel.gcode', name: 'Schlüssel.gcode' },
  { text: 'ключ.gcode', name: 'ключ.gcode' },
  { text: '钥匙 🔑.gcode', name: '钥匙 🔑.gcode' },
  { text: 'CON.gcode', name: 'CON.gcode' },
  { text: '..gcode.gcode', name: '..gcode.gcode' },
])('the file name "$text" becomes "$name"', ({ text, name }) => {
  expect(checkFileName(text)).toEqual({ name })
})

test.each([
  { text: 'boat.stl', problem: /end in \.gcode/ },
  { text: 'boat', problem: /end in \.gcode/ },
  { text: 'boat.gcode.exe', problem: /end in \.gcode/ },
  { text: '.gcode', problem: /something before/ },
  { text: '\u200b.gcode', problem: /something before/ },
  { text: ' .gcode', problem: /something before/ },
  { text: '', problem: /empty/ },
  { text: '   ', problem: /empty/ },
  { text: '../../etc/passwd.gcode', problem: /without a path/ },
  { text: '..\\boat.gcode', problem: /without a path/ },
  { text: 'C:\\boat.gcode', problem: /without a path/ },
  { text: 'boat\0.gcode', problem: /control characters/ },
  { text: 'boat\r\nX-Header: 1.gcode', problem: /line breaks/ },
  { text: 'boat\u2028.gcode', problem: /line breaks/ },
  { text: 'boat\u202Egpj.gcode', problem: /reading direction/ },
  { text: 'boat\uD800.gcode', problem: /control characters/ },
  { text: `${'x'.repeat(4096)}.gcode`, problem: /at most 1000/ },
])('the file name "$text" is refused', ({ text, problem }) => {
  expect(checkFileName(text)).toEqual({ problem: expect.stringMatching(problem) })
})

test.each(['.', '..', '...', 'a/b', 'a\\b', '', ' ', 'a\nb'])('the folder name %j is refused', (text) => {
  expect(checkFolderName(text)).toHaveProperty('problem')
})

test.each([
  { name: 'a b.gcode', safe: 'a_b.gcode' },
  { name: 'Schlüssel-2×.gcode', safe: 'Schlüssel_2_.gcode' },
  { name: 'ключ (1).gcode', safe: 'ключ__1_.gcode' },
  { name: '钥匙🔑.g', safe: '钥匙_.g' },
  { name: '<script>.gcode', safe: '_script_.gcode' },
  { name: '..', safe: '..' },
])('the safe form of "$name" is "$safe"', ({ name, safe }) => {
  expect(safeName(name)).toBe(safe)
})

test('a name is found in any letter case', () => {
  expect(searchName('Großer ÄPFEL Turm.GCODE')).toContain(searchName('äpfel turm'))
})
