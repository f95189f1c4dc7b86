import { expect, test } from 'vitest'
import { addProjectSettings, addSliceInfo, pickParts } from './archive.js'
import type { Comments } from './metadata-scan.js'

const entries = (...names: readonly string[]) => names.map((fileName) => ({ fileName }))

test('the first plate that has G-code is picked, by its number, with its pictures', () => {
  const parts = pickParts(
    entries(
      'Metadata/plate_10.gcode',
      'Metadata/plate_2.gcode',
      'Metadata/plate_2.gcode.md5',
      'Metadata/plate_1.png',
      'Metadata/plate_2_small.png',
      'Metadata/plate_2.png',
      'metadata/SLICE_INFO.config',
      'Metadata/project_settings.config',
    ),
  )
  expect(parts.plate).toBe(2)
  expect(parts.gCode?.fileName).toBe('Metadata/plate_2.gcode')
  expect(parts.pictures.map(({ fileName }) => fileName)).toEqual(['Metadata/plate_2.png', 'Metadata/plate_2_small.png'])
  expect(parts.sliceInfo?.fileName).toBe('metadata/SLICE_INFO.config')
  expect(parts.settings?.fileName).toBe('Metadata/project_settings.config')
})

test('a project without G-code has pictures all the same', () => {
  const { gCode, pictures } = pickParts(entries('Metadata/thumbnail.png', 'Metadata/plate_1.png', 'x/plate_1.gcode'))
  expect(gCode).toBeUndefined()
  expect(pictures.map(({ fileName }) => fileName)).toEqual(['Metadata/plate_1.png', 'Metadata/thumbnail.png'])
})

const PLATES = `<config><plate><metadata key="index" value="1"/><metadata key="prediction" value="60"/></plate>
<plate>\r\n<metadata key="index" value="2"/><metadata key="prediction" value="70"/><metadata key="weight" value="3.5"/>
<filament id="1" type="PLA" used_m="1.5" used_g="2"/><filament id="2" type="PETG" used_m="0.25" used_g="1.5"/></plate></config>`

test.each([
  { plate: 1, said: { time: ['60'] } },
  {
    plate: 2,
    said: {
      time: ['70'],
      'total filament weight [g]': ['3.5'],
      'total filament length [mm]': ['1500,250'],
      filament_type: ['PLA;PETG'],
    },
  },
  { plate: 3, said: {} },
])('the summary of plate $plate', ({ plate, said }) => {
  const comments: Comments = new Map()
  addSliceInfo(comments, PLATES, plate)
  expect(Object.fromEntries(comments)).toEqual(said)
})

test.each([
  { name: 'nothing', xml: '' },
  { name: 'no XML', xml: '\0\xff<<<<>>>>' },
  { name: 'an element without end', xml: `<plate><metadata ${'key="index" '.repeat(100_000)}` },
  { name: 'plates without end', xml: '<plate>'.repeat(300_000) },
  { name: 'quotation marks', xml: `<plate><metadata ${'"'.repeat(2_000_000)}>` },
  {
    name: 'entities that name each other',
    xml: '<!DOCTYPE a [<!ENTITY b "&c;&c;">]><plate><metadata key="index" value="&b;"/>',
  },
])('a summary of $name says nothing', ({ xml }) => {
  const comments: Comments = new Map()
  addSliceInfo(comments, xml, 1)
  expect(comments.size).toBe(0)
})

test('settings are texts and lists of texts', () => {
  const comments: Comments = new Map()
  addProjectSettings(comments, '{"a":"1","B":["2","é"],"n":3,"o":{"x":"y"},"l":[1]}')
  expect(Object.fromEntries(comments)).toEqual({ a: ['1'], b: ['2;\xc3\xa9'] })
})

test.each([
  { name: 'nothing', json: '' },
  { name: 'a part of JSON', json: '{"a":"1"' },
  { name: 'a list', json: '["a"]' },
  { name: 'depth without end', json: '['.repeat(1_000_000) },
])('settings of $name say nothing', ({ json }) => {
  const comments: Comments = new Map()
  addProjectSettings(comments, json)
  expect(comments.size).toBe(0)
})
