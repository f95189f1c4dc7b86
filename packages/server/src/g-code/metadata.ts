import { type Comments, newScan, type ScannedText, scanText } from './metadata-scan.js'
import { heightsOf, layerCountOf } from './metadata-heights.js'
import {
  bedTemperatureOf,
  chamberTemperatureOf,
  extruderTemperatureOf,
  filamentLengthOf,
  filamentWeightOf,
  Settings,
  slicerOf,
  timeOf,
} from './metadata-settings.js'
import { firstNumberOf, textsOf } from './metadata-values.js'

/** What a G-code file says about itself. Every key is absent where the file does not say it, or says it unreadably. */
export interface GCodeMetadata {
  readonly slicer?: string
  readonly slicer_version?: string
  /** Position of the first command's first byte. */
  readonly gcode_start_byte?: number
  /** Position after the last command's line. */
  readonly gcode_end_byte?: number
  readonly layer_count?: number
  /** Millimetres, as all heights and diameters. */
  readonly object_height?: number
  /** Seconds. */
  readonly estimated_time?: number
  readonly nozzle_diameter?: number
  readonly layer_height?: number
  readonly first_layer_height?: number
  /** Degrees Celsius, as all temperatures. */
  readonly first_layer_extr_temp?: number
  readonly first_layer_bed_temp?: number
  readonly chamber_temp?: number
  readonly filament_name?: string
  readonly filament_type?: string
  /** Millimetres of all filaments together. */
  readonly filament_total?: number
  /** Grams of all filaments together. */
  readonly filament_weight_total?: number
}

/** In the order of the contract. */
export const METADATA_KEYS = [
  'slicer',
  'slicer_version',
  'gcode_start_byte',
  'gcode_end_byte',
  'layer_count',
  'object_height',
  'estimated_time',
  'nozzle_diameter',
  'layer_height',
  'first_layer_height',
  'first_layer_extr_temp',
  'first_layer_bed_temp',
  'chamber_temp',
  'filament_name',
  'filament_type',
  'filament_total',
  'filament_weight_total',
] as const satisfies readonly (keyof GCodeMetadata)[]

/** A piece of a file: its first or its last mebibyte. */
export interface TextPiece {
  /** Its bytes as Latin-1, so that positions are byte positions. */
  readonly text: string
  readonly offset: number
}

/** The metadata of G-code as text. `isWhole` says that no byte is missing from the pieces. */
export function metadataOfText(pieces: readonly TextPiece[], isWhole: boolean): GCodeMetadata {
  const scans = pieces.map(({ text, offset }) => scanText(text, offset))
  const [first = newScan()] = scans
  return metadataOf(
    { first, last: scans.at(-1) ?? first, isWhole },
    new Settings(scans.map(({ comments }) => comments)),
  )
}

/** The metadata of settings that are kept apart from the G-code, which lies between two positions. */
export function metadataOfComments(comments: Comments, gCode?: { start: number; end: number }): GCodeMetadata {
  const text = { ...newScan(), first_command: gCode?.start, after_last_command: gCode?.end }
  return metadataOf({ first: text, last: text, isWhole: false }, new Settings([comments]))
}

/** The metadata of an archive: what the start of its G-code says, then its other parts. Positions mean nothing there. */
export function metadataOfParts(
  head: TextPiece | undefined,
  isWhole: boolean,
  parts: readonly Comments[],
): GCodeMetadata {
  const first = { ...scanText(head?.text ?? '', 0), first_command: undefined, after_last_command: undefined }
  return metadataOf({ first, last: isWhole ? first : newScan(), isWhole }, new Settings([first.comments, ...parts]))
}

function metadataOf(text: ScannedText, settings: Settings): GCodeMetadata {
  const { first, last } = text
  const { slicer, slicer_version } = slicerOf(settings, first.generator ?? last.generator)
  const heights = heightsOf(settings, last, slicer)
  return present({
    slicer,
    slicer_version,
    gcode_start_byte: first.first_command,
    gcode_end_byte: last.after_last_command,
    layer_count: layerCountOf(settings, text, heights),
    ...heights,
    estimated_time: timeOf(settings, last.elapsed),
    nozzle_diameter: firstNumberOf(settings.get('nozzle_diameter', 'extruder_train.0.nozzle.diameter')),
    first_layer_extr_temp: extruderTemperatureOf(settings, first.heat.get('extruder')),
    first_layer_bed_temp: bedTemperatureOf(settings, first.heat.get('bed')),
    chamber_temp: chamberTemperatureOf(settings, first.heat.get('chamber')),
    filament_name: textsOf(settings.get('filament_settings_id', 'filament name', 'filament_name')),
    filament_type: textsOf(settings.get('filament_type', 'filament type')),
    filament_total: filamentLengthOf(settings),
    filament_weight_total: filamentWeightOf(settings),
  })
}

type Maybe<T> = { readonly [K in keyof T]: T[K] | undefined }

const MAX_MILLIMETRES = 10_000
const MAX_CELSIUS = 1000

/** What is beyond is a value that a slicer left to fill in, or a jest. */
const LIMITS = new Map<string, number>([
  ['object_height', MAX_MILLIMETRES],
  ['nozzle_diameter', MAX_MILLIMETRES],
  ['layer_height', MAX_MILLIMETRES],
  ['first_layer_height', MAX_MILLIMETRES],
  ['first_layer_extr_temp', MAX_CELSIUS],
  ['first_layer_bed_temp', MAX_CELSIUS],
  ['chamber_temp', MAX_CELSIUS],
])

/** Only the keys that have a value that can be meant, in the order of the contract. */
function present(found: Maybe<GCodeMetadata>): GCodeMetadata {
  const entries = METADATA_KEYS.flatMap((key) => {
    const value = found[key]
    const isAbsent = value === undefined || (typeof value === 'number' && value > (LIMITS.get(key) ?? Infinity))
    return isAbsent ? [] : [[key, value] as const]
  })
  return Object.fromEntries(entries)
}
