import { expect, test } from 'vitest'
import { filesOf } from './files.js'

const file = (changes: object = {}): object => ({
  ...{ type: 'machinecode', name: 'a.gcode', path: 'a.gcode', origin: 'local', size: 5, date: 1000 },
  ...changes,
})

test.each([
  ['a file', [file()], ['a.gcode 5 1000']],
  ['files in folders', [{ type: 'folder', children: [{ type: 'folder', children: [file()] }] }], ['a.gcode 5 1000']],
  ['a file of the card has neither size nor date', [file({ size: undefined, date: null })], ['a.gcode null null']],
  ['a model is no file of G-code', [file({ type: 'model' })], []],
  ['a file without a path', [file({ path: 7 })], []],
  ['what is no list', { files: [] }, []],
])('%s', (_, entries, told) => {
  expect(filesOf(entries).map(({ path, size, date }) => `${path} ${size} ${date}`)).toEqual(told)
})
