import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { isPlainStatus, MAX_MESSAGE_DEPTH, StatusMessage } from './index.js'

const area = { maxX: 1, maxY: 1, maxZ: 1, minX: 0, minY: 0, minZ: 0 }
const dimensions = { depth: 1, height: 1, width: 1 }
const filament = { tool0: { length: 1, volume: 1 } }
const heater = { actual: 1, target: 1, offset: 0 }

/** Every field that a plain status may have. */
const FULL = {
  current_print_ts: 1_795_251_637,
  seq: 1,
  status: {
    _ts: 1,
    state: {
      text: 'Printing',
      error: '',
      flags: {
        ...{ operational: true, printing: true, cancelling: false, pausing: false, resuming: false, finishing: false },
        ...{ paused: false, closedOrError: false, error: false, ready: false, sdReady: true },
      },
    },
    ...{ currentLayerHeight: 1, currentZ: 1, currentFeedRate: 1, currentFlowRate: 1, currentFanSpeed: 1 },
    job: {
      file: { name: 'a', path: 'a', display: 'a', origin: 'local', size: 1, date: 1, service_g_code_file_id: 1 },
      ...{ estimatedPrintTime: 1, averagePrintTime: 1, lastPrintTime: 1, filament, user: 'a' },
    },
    progress: { completion: 1, filepos: 1, printTime: 1, printTimeLeft: 1, printTimeLeftOrigin: 'a' },
    temperatures: { tool0: heater, bed: heater, chamber: heater },
    offsets: { tool0: 0 },
    resends: { count: 0, transmitted: 0, ratio: 0 },
    file_metadata: {
      hash: 'a',
      service: { totalLayerCount: 1 },
      analysis: {
        ...{ printingArea: area, travelArea: area, dimensions, travelDimensions: dimensions },
        ...{ estimatedPrintTime: 1, filament },
      },
      history: [{ timestamp: 1, printTime: 1, success: true, printerProfile: 'a' }],
      statistics: { averagePrintTime: {}, lastPrintTime: {} },
    },
    objects: [{ name: 'a', excluded: false }],
  },
}

/** Left to the schema: these come rarely. */
const RARE = ['event', 'settings', 'status.watched_by', 'status.prompt']

type Path = readonly string[]

/** Every place in a value, itself left out. */
function placesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [[...path, key], ...placesOf(child, [...path, key])])
}

/** The same with another value in one place; undefined takes it out. */
function changed(value: unknown, [key = '', ...rest]: Path, to: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>
  if (rest.length > 0) copy[key] = changed(copy[key], rest, to)
  // JSON has no lists with holes.
  else if (Array.isArray(copy) && to === undefined) copy.splice(Number(key), 1)
  else if (to === undefined) delete copy[key]
  else copy[key] = to
  return copy
}

interface ShapeNode {
  readonly properties?: Readonly<Record<string, ShapeNode>>
  readonly items?: ShapeNode
}

/** Every field that the schema names, the elements of lists under "0". */
function fieldsOf({ properties = {}, items }: ShapeNode, path: Path = []): Path[] {
  const own = Object.entries(properties).flatMap(([key, child]) => [[...path, key], ...fieldsOf(child, [...path, key])])
  return items === undefined ? own : [...own, ...fieldsOf(items, [...path, '0'])]
}

function expectSchemaAgrees(value: unknown): void {
  const parsed = StatusMessage.safeParse(value)
  expect(parsed.error).toBeUndefined()
  expect(parsed.data).toEqual(value)
}

test('a full status is plain', () => {
  expect(isPlainStatus(FULL)).toBe(true)
  expectSchemaAgrees(FULL)
})

test('the full status here has every field of the schema', () => {
  const here = new Set(placesOf(FULL).map((path) => path.join('.')))
  const named = fieldsOf(z.toJSONSchema(StatusMessage, { unrepresentable: 'any' }) as ShapeNode)
  const missing = named.map((path) => path.join('.')).filter((path) => !here.has(path))
  expect(missing.filter((path) => !RARE.some((rare) => path === rare || path.startsWith(`${rare}.`)))).toEqual([])
  expect(named.length).toBeGreaterThan(60)
})

const OTHERS = [
  undefined,
  null,
  'x',
  '',
  0,
  1,
  -1,
  1.5,
  Number.MAX_VALUE,
  Number.POSITIVE_INFINITY,
  true,
  [],
  {},
  ['x'],
  [{}],
  { tool0: 'x' },
]

test('whatever stands in a place, what is plain is what the schema takes', () => {
  let plain = 0
  for (const place of [...placesOf(FULL), ...RARE.map((rare) => rare.split('.'))]) {
    for (const other of OTHERS) {
      const value = changed(FULL, place, other)
      if (!isPlainStatus(value)) continue
      plain += 1
      expectSchemaAgrees(value)
    }
  }
  expect(plain).toBeGreaterThan(200)
})

test('real statuses are plain', () => {
  const folder = new URL('../../../test/fixtures/messages/valid/', import.meta.url)
  const messages = readdirSync(folder).flatMap((file) => {
    const { message } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { message?: unknown }
    return message === undefined ? [] : [message]
  })
  const plain = messages.filter(isPlainStatus)
  for (const message of plain) expectSchemaAgrees(message)
  expect(plain.length).toBeGreaterThan(10)
})

test('fields that nobody knows stay, unless they are too deep or would be dropped', () => {
  const withField = (text: string): unknown => JSON.parse(JSON.stringify(FULL).replace('"seq":1', text))
  expect(isPlainStatus(withField('"firmware":{"name":["a"]}'))).toBe(true)
  expect(isPlainStatus(withField('"firmware":{"__proto__":{"admin":true}}'))).toBe(false)
  const nested = (levels: number): string => `"deep":${'['.repeat(levels)}${']'.repeat(levels)}`
  expect(isPlainStatus(withField(nested(MAX_MESSAGE_DEPTH - 1)))).toBe(true)
  expect(isPlainStatus(withField(nested(MAX_MESSAGE_DEPTH)))).toBe(false)
})
