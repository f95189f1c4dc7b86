import type { Comments } from './metadata-scan.js'
import { firstNumberOf, lengthOf, numberOf, numbersOf, secondsOf, sumOf, textOf } from './metadata-values.js'

// Each slicer has its own words for the same thing. The names here are in lower case, as comments are kept.

/** The settings that the pieces of a file name, the earlier piece first. */
export class Settings {
  constructor(private readonly pieces: readonly Comments[]) {}

  /** The first value of the first key that has one. */
  get(...keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const value = this.all(key)[0]
      if (value !== undefined) return value
    }
    return undefined
  }

  /** Every value of a key that is written once an extruder. */
  all(key: string): string[] {
    return this.pieces.flatMap((comments) => comments.get(key) ?? [])
  }
}

/** A program, with its version where it says one. */
export interface Slicer {
  readonly slicer: string | undefined
  readonly slicer_version: string | undefined
}

const NAME_AND_VERSION = /^(.{1,80}?)[\s/]+(?:version\s+)?v?(\d\S{0,63})/i

/** Which program made the file. */
export function slicerOf(settings: Settings, generator: string | undefined): Slicer {
  const named = generator ?? settings.get('producer')
  const name = settings.get('generator.name')
  if (named === undefined) return slicerFrom(name, settings.get('generator.version'))
  const text = named.slice(0, 200).replace(/^(?:g-?code )?(?:generated|sliced) (?:by|with):?\s+/i, '')
  const [program = text] = text.split(' on ', 1)
  const [, slicer = program, version] = NAME_AND_VERSION.exec(program) ?? []
  return slicerFrom(slicer, version)
}

function slicerFrom(name: string | undefined, version: string | undefined): Slicer {
  const slicer = textOf(name?.replace('(R)', ''))
  const slicer_version = slicer === undefined ? undefined : textOf(version)
  // The engine signs for the program that people know.
  return { slicer: slicer !== undefined && /^cura_?steamengine$/i.test(slicer) ? 'Cura' : slicer, slicer_version }
}

/** Seconds. Nought is how a slicer writes that it does not know. */
export function timeOf(settings: Settings, elapsed: number | undefined): number | undefined {
  // One line: `model printing time: 50m; total estimated time: 1h`
  const [model, total] = settings.get('model printing time')?.split(';', 2) ?? []
  const seconds =
    secondsOf(settings.get('estimated printing time (normal mode)', 'estimated printing time')) ??
    secondsOf(total?.split(':', 2)[1] ?? settings.get('total estimated time')) ??
    secondsOf(model) ??
    (isUnfilled(settings) ? undefined : secondsOf(settings.get('time', 'print.time')))
  return seconds || elapsed || undefined
}

/** Cura writes its header last; a program that runs only its engine leaves the values that hold its place. */
function isUnfilled(settings: Settings): boolean {
  const least = numberOf(settings.get('minx'))
  return least !== undefined && least > 1_000_000
}

const diametersOf = (settings: Settings): number[] | undefined => numbersOf(settings.get('filament_diameter'))

/** Millimetres of all filaments together. */
export function filamentLengthOf(settings: Settings): number | undefined {
  const length =
    sumOf(numbersOf(settings.get('filament used [mm]', 'total filament length [mm]'))) ??
    sumOf(settings.all('filament used').flatMap((value) => lengthOf(value) ?? [])) ??
    undefined
  return length || lengthFromVolume(settings) || undefined
}

function lengthFromVolume(settings: Settings): number | undefined {
  const volumes = numbersOf(settings.get('filament used [cm3]'))
  const diameters = diametersOf(settings)
  if (volumes === undefined || diameters === undefined) return undefined
  const lengths = volumes.map((cm3, extruder) => {
    const radius = (diameters[extruder] ?? diameters[0] ?? 0) / 2
    return radius > 0 ? (cm3 * 1000) / (Math.PI * radius * radius) : 0
  })
  return sumOf(lengths)
}

/** Grams of all filaments together: said, or of volume and density. */
export function filamentWeightOf(settings: Settings): number | undefined {
  const weight =
    numberOf(settings.get('total filament used [g]')) ||
    sumOf(numbersOf(settings.get('filament used [g]', 'total filament weight [g]')))
  return weight || weightFromVolume(settings) || undefined
}

function weightFromVolume(settings: Settings): number | undefined {
  const volumes = numbersOf(settings.get('filament used [cm3]'))
  const densities = numbersOf(settings.get('filament_density'))
  if (volumes === undefined || densities === undefined) return undefined
  return sumOf(volumes.map((cm3, extruder) => cm3 * (densities[extruder] ?? densities[0] ?? 0)))
}

export function extruderTemperatureOf(settings: Settings, heated: number | undefined): number | undefined {
  const said = settings.get(
    'first_layer_temperature',
    'nozzle_temperature_initial_layer',
    'extruder_train.0.initial_temperature',
  )
  return firstNumberOf(said) ?? heated
}

/** Slicers of the Bambu family have a temperature for each kind of plate, and name the plate that is used. */
const PLATE_SETTINGS = new Map([
  ['cool plate', 'cool_plate_temp_initial_layer'],
  ['textured cool plate', 'textured_cool_plate_temp_initial_layer'],
  ['engineering plate', 'eng_plate_temp_initial_layer'],
  ['high temp plate', 'hot_plate_temp_initial_layer'],
  ['smooth high temp plate', 'hot_plate_temp_initial_layer'],
  ['textured pei plate', 'textured_plate_temp_initial_layer'],
  ['supertack plate', 'supertack_plate_temp_initial_layer'],
  ['bambu cool plate supertack', 'supertack_plate_temp_initial_layer'],
])

export function bedTemperatureOf(settings: Settings, heated: number | undefined): number | undefined {
  const plate = PLATE_SETTINGS.get(settings.get('curr_bed_type')?.toLowerCase() ?? '')
  const said = settings.get(
    'first_layer_bed_temperature',
    ...(plate === undefined ? [] : [plate]),
    'bed_temperature_initial_layer_single',
    'bed_temperature_initial_layer',
    'build_plate.initial_temperature',
  )
  return firstNumberOf(said) ?? heated ?? firstNumberOf(settings.get('hot_plate_temp_initial_layer'))
}

export function chamberTemperatureOf(settings: Settings, heated: number | undefined): number | undefined {
  const said = settings.get('chamber_temperature', 'chamber_temperatures', 'build_volume.temperature')
  return firstNumberOf(said) ?? heated
}
