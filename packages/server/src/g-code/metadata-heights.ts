import type { Scan, ScannedText } from './metadata-scan.js'
import type { Settings } from './metadata-settings.js'
import { firstNumberOf, numberOf, shareOf } from './metadata-values.js'

/** Millimetres. */
export interface Heights {
  readonly object_height: number | undefined
  readonly layer_height: number | undefined
  readonly first_layer_height: number | undefined
}

/** `last` is the end of the file: the only piece that is as high as the object. */
export function heightsOf(settings: Settings, last: Scan, slicer: string | undefined): Heights {
  const layer_height = firstNumberOf(settings.get('layer_height', 'layer height'))
  // A share is one of the layer height; only in this slicer it is one of the nozzle.
  const nozzle = firstNumberOf(settings.get('nozzle_diameter'))
  const first = settings.get('first_layer_height', 'initial_layer_print_height', 'initial_layer_height', 'minz')
  return {
    object_height:
      numberOf(settings.get('max_z_height', 'max_layer_z', 'maxz', 'print.size.max.z')) ??
      last.marked_height ??
      last.laid_height,
    layer_height,
    first_layer_height: shareOf(first, slicer === 'SuperSlicer' ? nozzle : layer_height),
  }
}

const MAX_LAYERS = 1_000_000

/**
 * How many layers: as the file says; else counted where all of it was read; else what fits into the height.
 * The last one is off where layers differ in height, which only a file that says nothing better comes to.
 */
export function layerCountOf(settings: Settings, text: ScannedText, heights: Heights): number | undefined {
  const { first, last, isWhole } = text
  const said = numberOf(settings.get('total layers count', 'total layer number', 'layer_count', 'total_layer_count'))
  const count =
    said ??
    first.total_layers ??
    (last.last_layer === undefined ? undefined : last.last_layer + 1) ??
    (isWhole && first.layer_marks > 0 ? first.layer_marks : undefined) ??
    layersInHeight(heights)
  return count !== undefined && count >= 1 && count <= MAX_LAYERS ? Math.floor(count) : undefined
}

function layersInHeight({
  object_height,
  layer_height,
  first_layer_height = layer_height,
}: Heights): number | undefined {
  if (object_height === undefined || layer_height === undefined || first_layer_height === undefined) return undefined
  if (layer_height <= 0) return undefined
  // A hair of rounding in the heights is no layer.
  return 1 + Math.max(0, Math.ceil((object_height - first_layer_height) / layer_height - 1e-3))
}
