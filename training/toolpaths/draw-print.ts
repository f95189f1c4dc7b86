import type { Brush, Surface } from './brush.js'
import { SHOWN } from './canvas.js'
import type { Colour } from './colours.js'
import type { Failure } from './failures.js'
import type { Shadow } from './shadow.js'
import type { Strand } from './strand.js'
import { MOVE, type Place, pointAt, type Toolpath } from './toolpath.js'

/** A print as it stands at one moment. */
export interface Progress {
  readonly toolpath: Toolpath
  readonly failure: Failure | undefined
  /** Second of the print. */
  readonly now: number
  readonly colour: Colour
  /** Supports may be of another colour. */
  readonly supportColour: Colour
  readonly gloss: number
}

/** How many layers below the last one are drawn with their filling. */
const FRESH_LAYERS = 3
const LINE_RADIUS = 0.23

/** The last point that is laid down as it should be. */
export function laidUpTo({ toolpath, failure, now }: Progress): number {
  return pointAt(toolpath, failure?.stopsPart === true ? Math.min(now, failure.from) : now)
}

function isVisible(toolpath: Toolpath, i: number, lastLayer: number, stride: number): boolean {
  const kind = toolpath.kind[i]
  if (kind === MOVE.travel) return false
  const layer = toolpath.layer[i] ?? 0
  if (layer >= lastLayer - FRESH_LAYERS || layer === 0) return true
  if (kind === MOVE.fill && !toolpath.isOpen) return false
  if (kind === MOVE.top && !toolpath.isOpen) return true
  return layer % stride === 0
}

/** Walks over the lines of a print that can be seen, as the failure has bent them. */
function walk(
  progress: Progress,
  stride: number,
  visit: (line: Float64Array, i: number, isBent: boolean) => void,
): void {
  const { toolpath, failure, now } = progress
  const { x, y, z } = toolpath
  const upTo = laidUpTo(progress)
  const lastLayer = toolpath.layer[upTo] ?? 0
  const line = new Float64Array(6)
  const point = new Float64Array(3)
  let known = -1
  for (let i = 1; i <= upTo; i++) {
    if (!isVisible(toolpath, i, lastLayer, stride)) continue
    const layer = toolpath.layer[i] ?? 0
    if (known === i - 1) line.copyWithin(0, 3)
    else {
      point[0] = x[i - 1] ?? 0
      point[1] = y[i - 1] ?? 0
      point[2] = z[i - 1] ?? 0
      failure?.bend(point, layer, now)
      line.set(point)
    }
    point[0] = x[i] ?? 0
    point[1] = y[i] ?? 0
    point[2] = z[i] ?? 0
    const isBent = failure?.bend(point, layer, now) ?? false
    line.set(point, 3)
    known = i
    visit(line, i, isBent)
  }
}

function strideFor(toolpath: Toolpath, pixels: number): number {
  return Math.max(1, Math.floor(pixels / Math.max(0.01, toolpath.layerHeight)))
}

/** Casts the shadows of a print and of what fell from it. */
export function castShadows(shadow: Shadow, progress: Progress): void {
  const stride = strideFor(progress.toolpath, 2)
  walk(progress, stride, (line, i) => {
    if (progress.toolpath.kind[i] === MOVE.fill) return
    const ax = line[0] ?? 0
    const ay = line[1] ?? 0
    const az = line[2] ?? 0
    const bx = line[3] ?? 0
    const by = line[4] ?? 0
    const bz = line[5] ?? 0
    const steps = Math.max(1, Math.round(Math.sqrt((bx - ax) ** 2 + (by - ay) ** 2) / 4))
    for (let n = 0; n < steps; n++) {
      const share = (n + 0.5) / steps
      shadow.cast(ax + (bx - ax) * share, ay + (by - ay) * share, az + (bz - az) * share, 0.3)
    }
  })
  for (const strand of progress.failure?.strands ?? []) {
    for (let i = 0; i < strand.count && (strand.time[i] ?? 0) <= progress.now; i++) {
      shadow.cast(strand.x[i] ?? 0, strand.y[i] ?? 0, strand.z[i] ?? 0, strand.radius * 0.22)
    }
  }
}

/** A layer is a little lighter or darker than its neighbours. */
function layerTint(layer: number): number {
  return 0.955 + ((Math.imul(layer + 7, 0x9e3779b1) >>> 24) / 255) * 0.09
}

/** Draws a print. `mirrored` draws its image below the bed. */
export function drawPrint(brush: Brush, progress: Progress, mirrored = false): void {
  const { toolpath, failure } = progress
  const { at, focal } = brush.camera
  const upTo = laidUpTo(progress)
  const [x = 0, y = 0, z = 0] = [toolpath.x[upTo], toolpath.y[upTo], toolpath.z[upTo]]
  const millimetre = focal / Math.max(20, Math.hypot(at.x - x, at.y - y, at.z - z / 2))
  const stride = strideFor(toolpath, (mirrored ? 2 : 0.9) / millimetre)
  const thick = Math.max(LINE_RADIUS, toolpath.layerHeight * stride * 0.6)
  const bent = failure?.kind === 'warping' ? SHOWN.warped : failure?.kind === 'layer_shift' ? SHOWN.shifted : SHOWN.part
  const surface = { colour: progress.colour, gloss: progress.gloss, shows: SHOWN.part as number }
  const flip = mirrored ? -1 : 1
  brush.paint.edge = 0.35
  walk(progress, stride, (line, i, isBent) => {
    const kind = toolpath.kind[i]
    const isWall = kind === MOVE.wall || kind === MOVE.support
    surface.colour = kind === MOVE.support ? progress.supportColour : progress.colour
    surface.shows = isBent ? bent : SHOWN.part
    const radius = isWall ? thick : kind === MOVE.top ? 0.4 : LINE_RADIUS
    const ax = line[0] ?? 0
    const ay = line[1] ?? 0
    const az = line[2] ?? 0
    const bx = line[3] ?? 0
    const by = line[4] ?? 0
    const bz = line[5] ?? 0
    const open = layerTint(toolpath.layer[i] ?? 0) * Math.min(1, 0.7 + az * 0.06)
    brush.line(ax, ay, az * flip, bx, by, bz * flip, radius, radius, surface, open, isWall)
  })
}

/** Draws what of a strand has been laid by now. */
export function drawStrand(brush: Brush, strand: Strand, now: number, surface: Surface, mirrored = false): void {
  const flip = mirrored ? -1 : 1
  const { x, y, z, begins, open, time, radius } = strand
  brush.paint.edge = 0.5
  for (let i = 1; i < strand.count && (time[i] ?? 0) <= now; i++) {
    if (begins[i] === 1) continue
    const tint = (open[i] ?? 1) * (0.93 + 0.14 * ((Math.floor(i / 30) * 0.618) % 1))
    brush.line(
      x[i - 1] ?? 0,
      y[i - 1] ?? 0,
      (z[i - 1] ?? 0) * flip,
      x[i] ?? 0,
      y[i] ?? 0,
      (z[i] ?? 0) * flip,
      radius,
      radius,
      surface,
      tint,
      false,
    )
  }
}

/** Draws all that has failed: strands on the bed, the one that hangs from the nozzle, and the lump around it. */
export function drawFailure(brush: Brush, progress: Progress, nozzle: Place): void {
  const { failure, now, colour, gloss } = progress
  if (failure === undefined) return
  const shows = failure.kind === 'stringing' ? SHOWN.strings : SHOWN.tangle
  const surface = { colour, gloss: gloss + 0.15, shows }
  for (const strand of failure.strands) {
    drawStrand(brush, strand, now, surface)
    if (failure.kind !== 'stringing') hang(brush, strand, now, nozzle, surface)
  }
  const lump = failure.lump(now)
  if (lump > 0) drawLump(brush, lump, nozzle, surface)
}

/** The thread from the pile up to the nozzle. */
function hang(brush: Brush, strand: Strand, now: number, nozzle: Place, surface: Surface): void {
  let last = -1
  while (last + 1 < strand.count && (strand.time[last + 1] ?? 0) <= now) last++
  if (last < 1) return
  const [x = 0, y = 0, z = 0] = [strand.x[last], strand.y[last], strand.z[last]]
  if (Math.hypot(nozzle.x - x, nozzle.y - y, nozzle.z - z) > 90) return
  let [px, py, pz] = [x, y, z]
  for (let n = 1; n <= 10; n++) {
    const share = n / 10
    const [tx, ty, tz] = [
      x + (nozzle.x - x) * share ** 1.6,
      y + (nozzle.y - y) * share ** 1.6,
      z + (nozzle.z - z) * share ** 0.8,
    ]
    brush.line(px, py, pz, tx, ty, tz, strand.radius, strand.radius, surface, 1, false)
    ;[px, py, pz] = [tx, ty, tz]
  }
}

/** Steps that spread lumps evenly around a middle. */
const GOLDEN = 2.399963

function drawLump(brush: Brush, radius: number, nozzle: Place, surface: Surface): void {
  brush.paint.edge = 0.45
  let [px, py, pz] = [nozzle.x, nozzle.y, nozzle.z]
  const count = 14 + Math.round(radius * 4)
  for (let i = 0; i < count; i++) {
    const height = (i / count) * 1.5 - 0.35
    const reach = radius * Math.sqrt(Math.max(0.1, 1 - (height - 0.4) ** 2)) * (0.55 + 0.3 * Math.sin(i * 1.7))
    const [x, y, z] = [
      nozzle.x + Math.cos(i * GOLDEN) * reach,
      nozzle.y + Math.sin(i * GOLDEN) * reach,
      nozzle.z + Math.max(height * radius, -nozzle.z + 0.5),
    ]
    const thick = radius * (0.3 + 0.12 * Math.sin(i * 2.3))
    brush.line(px, py, pz, x, y, z, thick, thick, surface, 0.85 + 0.15 * Math.sin(i), false)
    ;[px, py, pz] = [x, y, z]
  }
}
