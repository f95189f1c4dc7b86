import { expect, test } from 'vitest'
import { SourceFile, SourcePrint, SourcePrinter, SourceSetting } from './shapes.js'
import { fileRecord, folderRecord, parentsFirst, printerRecord, printRecord, settingRecord } from './translate.js'

const START = '2026-01-01T00:00:00.123456Z'

const recordOf = (translated: ReturnType<typeof printRecord>): object =>
  'record' in translated ? translated.record : { reason: translated.reason }

test.each([
  {
    name: 'says nothing but its id',
    printer: { id: 1 },
    record: { name: 'Printer 1', action_on_failure: 'NONE', auth_token: null },
  },
  {
    name: 'has values out of bounds',
    printer: { id: 1, detective_sensitivity: 9, retract_on_pause: -1 },
    record: { detective_sensitivity: 5, retract_on_pause: 0 },
  },
  {
    name: 'has an action that nobody knows',
    printer: { id: 1, action_on_failure: 'ZZ' },
    record: { action_on_failure: 'NONE' },
  },
  {
    name: 'has a token',
    printer: { id: 1, auth_token: '0123456789abcdef0123' },
    record: { auth_token: '0123456789abcdef0123' },
  },
  {
    name: "has an agent under its makers' name",
    printer: { id: 1, agent_name: 'moonraker_obico' },
    record: { agent_name: 'moonraker_service' },
  },
  {
    name: 'has an agent of ours',
    printer: { id: 1, agent_name: 'constructor' },
    record: { agent_name: 'constructor' },
  },
  { name: 'has a name with NUL', printer: { id: 1, name: 'a\0b' }, record: { name: 'ab' } },
  {
    name: 'has a token that is none',
    printer: { id: 1, auth_token: 'x' },
    record: { reason: expect.stringContaining('auth_token') },
  },
])('a printer that $name', ({ printer, record }) => {
  expect(recordOf(printerRecord(SourcePrinter.parse(printer), true))).toMatchObject(record)
})

test('a printer that is to have a new token', () => {
  const printer = SourcePrinter.parse({ id: 1, auth_token: '0123456789abcdef0123' })
  expect(recordOf(printerRecord(printer, false))).toMatchObject({ auth_token: null })
})

const kinds = (print: object): string[] => {
  const record = recordOf(printRecord(SourcePrint.parse({ id: 1, printer: { id: 2 }, started_at: START, ...print })))
  return 'parts' in record ? (record.parts as { kind: string }[]).map(({ kind }) => kind) : []
}

test.each([
  { name: 'nothing', print: {}, parts: [] },
  { name: 'scores without a tagged video, as every print there says', print: { prediction_json_url: '/x' }, parts: [] },
  {
    name: 'scores with one',
    print: { prediction_json_url: '/x', tagged_video_url: '/t' },
    parts: ['tagged_video', 'predictions'],
  },
  { name: 'scores on a server of ours', print: { prediction_json_url: '/x', timelapse: null }, parts: ['predictions'] },
  {
    name: 'a shot without a picture',
    print: { printshotfeedback_set: [{ id: 1 }, { id: 2, image_url: '/i' }] },
    parts: ['shot'],
  },
])('a print that has $name', ({ print, parts }) => {
  expect(kinds(print)).toEqual(parts)
})

test.each([
  { name: 'has no printer', print: { printer: null }, record: { reason: 'its printer was deleted there' } },
  { name: 'never started', print: { started_at: null }, record: { reason: 'it never started' } },
  { name: 'has microseconds', print: {}, record: { started_at: '2026-01-01T00:00:00.123Z', filename: 'unnamed' } },
  { name: 'has an answer that nobody knows', print: { alert_overwrite: 'PERHAPS' }, record: { alert_overwrite: null } },
  {
    name: 'used less than nothing',
    print: { filament_used: -1, print_time: 2.5 },
    record: { filament_used: null, print_time: 2.5 },
  },
])('a print that $name', ({ print, record }) => {
  const source = SourcePrint.parse({ id: 1, printer: { id: 2 }, started_at: START, ...print })
  expect(recordOf(printRecord(source))).toMatchObject(record)
})

test.each([
  {
    name: 'is stored',
    file: { url: 'https://x/f', parent_folder: { id: 4 } },
    record: { has_bytes: true, parent: 4, printer_path: null },
  },
  {
    name: 'was deleted',
    file: { url: null, deleted: START },
    record: { has_bytes: false, deleted_at: '2026-01-01T00:00:00.123Z' },
  },
  {
    name: 'lies on a printer',
    file: { url: 'gcodes/f', resident_printer: 3 },
    record: { has_bytes: false, printer_path: 'gcodes/f' },
  },
  {
    name: 'lies in a folder that is told by its id',
    file: { url: 'https://x/f', parent_folder: 4 },
    record: { parent: 4 },
  },
])('a file that $name', ({ file, record }) => {
  expect(recordOf(fileRecord(SourceFile.parse({ id: 1, filename: 'f.gcode', ...file })))).toMatchObject(record)
})

test('a chat that is told as a number is one', () => {
  const setting = SourceSetting.parse({
    id: 1,
    name: 'telegram',
    config: { chat_id: -5, more: { of: 'it' } },
    enabled: false,
  })
  expect(recordOf(settingRecord(setting))).toMatchObject({
    config: { chat_id: '-5' },
    enabled: false,
    notify_on_print_done: true,
  })
})

test('folders come after those that they lie in, a circle and an orphan too', () => {
  const folders = [
    { id: 3, name: 'c', parent_folder: { id: 2 } },
    { id: 2, name: 'b', parent_folder: 1 },
    { id: 1, name: 'a', parent_folder: null },
    { id: 4, name: 'orphan', parent_folder: 99 },
    { id: 5, name: 'x', parent_folder: 6 },
    { id: 6, name: 'y', parent_folder: 5 },
  ]
  expect(parentsFirst(folders).map(({ id }) => id)).toEqual([1, 4, 2, 3, 5, 6])
  expect(recordOf(folderRecord({ id: 1, name: null, parent_folder: null }))).toMatchObject({ name: 'unnamed' })
})
