import { z } from 'zod'
import { addComment, type Comments } from './metadata-scan.js'
import { MAX_VALUE_LENGTH, numberOf } from './metadata-values.js'

// A 3MF file is a zip archive. Slicers of the Bambu family put the G-code of each plate into it, with a picture and a summary.

/** The parts of an archive that tell about its first plate. */
export interface ArchiveParts<T> {
  readonly gCode: T | undefined
  /** XML: what each plate takes. */
  readonly sliceInfo: T | undefined
  /** JSON: every setting. */
  readonly settings: T | undefined
  readonly pictures: readonly T[]
  /** The number of the plate that has G-code. */
  readonly plate: number
}

const PLATE_G_CODE = /^metadata\/plate_(\d{1,4})\.gcode$/i

/** Picks the parts by name. The printer prints the first plate that has G-code. */
export function pickParts<T extends { readonly fileName: string }>(entries: readonly T[]): ArchiveParts<T> {
  const plates = entries
    .flatMap((entry) => {
      const number = PLATE_G_CODE.exec(entry.fileName)?.[1]
      return number === undefined ? [] : [{ entry, number: Number(number) }]
    })
    .sort((one, other) => one.number - other.number)
  const plate = plates[0]?.number ?? 1
  const named = (name: string): T | undefined => entries.find(({ fileName }) => fileName.toLowerCase() === name)
  const pictures = [`metadata/plate_${plate}.png`, `metadata/plate_${plate}_small.png`, 'metadata/thumbnail.png']
  return {
    gCode: plates[0]?.entry,
    sliceInfo: named('metadata/slice_info.config'),
    settings: named('metadata/project_settings.config'),
    pictures: pictures.flatMap((name) => named(name) ?? []),
    plate,
  }
}

const Settings = z.record(z.string(), z.unknown())

/** Adds the settings of a project, which are texts and lists of texts, to `comments`. */
export function addProjectSettings(comments: Comments, json: string): void {
  const settings = Settings.safeParse(parsed(json)).data ?? {}
  for (const [key, value] of Object.entries(settings)) {
    const texts = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')
    if (key.length <= 100 && texts.length > 0) addComment(comments, key, asBytes(texts.join(';')))
  }
}

/** Comments are kept as bytes. */
const asBytes = (text: string): string => Buffer.from(text.slice(0, MAX_VALUE_LENGTH)).toString('latin1')

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Adds what the summary says about a plate to `comments`, in the words that G-code has for it. */
export function addSliceInfo(comments: Comments, xml: string, plate: number): void {
  const own = platesOf(xml).find((text) => attributesOf(text, 'metadata').some(isNumber(plate)))
  if (own === undefined) return
  for (const { key, value } of attributesOf(own, 'metadata')) {
    if (key === 'prediction' && value !== undefined) addComment(comments, 'time', value)
    if (key === 'weight' && value !== undefined) addComment(comments, 'total filament weight [g]', value)
  }
  const filaments = attributesOf(own, 'filament')
  const lengths = filaments.map(({ used_m }) => numberOf(used_m))
  if (lengths.length > 0 && lengths.every((metres) => metres !== undefined)) {
    addComment(comments, 'total filament length [mm]', lengths.map((metres) => metres * 1000).join(','))
  }
  const types = filaments.flatMap(({ type }) => type ?? [])
  if (types.length > 0) addComment(comments, 'filament_type', types.join(';'))
}

const isNumber =
  (plate: number) =>
  ({ key, value }: Attributes): boolean =>
    key === 'index' && value === String(plate)

const MAX_PLATES = 200

/** A plate's part of the summary: from its begin to the next one's. */
const platesOf = (xml: string): string[] => xml.split(/<plate\b/, MAX_PLATES).slice(1)

type Attributes = Readonly<Record<string, string | undefined>>

const MAX_ELEMENTS = 200

/** The attributes of each `<name …>`, as far as they are plain: numbers and names have nothing to escape. */
function attributesOf(xml: string, name: string): Attributes[] {
  return xml
    .split(`<${name} `, MAX_ELEMENTS)
    .slice(1)
    .map((rest) => {
      const element = rest.slice(0, 1024).split('>', 1)[0] ?? ''
      return Object.fromEntries(
        [...element.matchAll(/(\w{1,40})="([^"]{0,200})"/g)].map(([, key, value]) => [key, value]),
      )
    })
}
