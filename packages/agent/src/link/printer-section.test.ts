import { expect, test } from 'vitest'
import { sectionFor, sectionName, type KnownPrinter } from './printer-section.js'

const HERE = 'http://127.0.0.1:5000'
const linked = { id: 7, name: 'Prusa MK3', place: HERE }
const known = (name: string, id?: number, place?: string): KnownPrinter => ({ name, id, place })

test.each([
  { name: 'a first printer is named after itself', known: [], section: 'prusa-mk3' },
  { name: 'the printer that it is already keeps its section', known: [known('left', 7)], section: 'left' },
  { name: 'a lost one on the same host is taken up', known: [known('left', undefined, HERE)], section: 'left' },
  { name: 'a lost one elsewhere is left alone', known: [known('left', undefined, 'http://b')], section: 'prusa-mk3' },
  { name: 'another printer on the same host is left alone', known: [known('left', 3, HERE)], section: 'prusa-mk3' },
  {
    name: 'a name that is taken gets a number',
    known: [known('prusa-mk3', 1), known('prusa-mk3-2', 2)],
    section: 'prusa-mk3-3',
  },
  { name: 'a name that was asked for wins', known: [known('left', 7)], given: 'right', section: 'right' },
])('$name', ({ known: printers, given, section }) => {
  expect(sectionFor(linked, printers, given)).toBe(section)
})

test.each([
  ['Prusa MK4, left', 'prusa-mk4-left'],
  ['Größe Ü', 'gro-e-u'],
  ['打印机', 'printer'],
  ['a]\nhost: x', 'a-host-x'],
])('%j becomes %s', (name, section) => {
  expect(sectionName(name)).toBe(section)
})
