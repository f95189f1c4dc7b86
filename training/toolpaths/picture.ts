import { Brush } from './brush.js'
import { makeCamera, type Pose } from './camera.js'
import { Canvas, SHOWN } from './canvas.js'
import { drawClutter } from './clutter.js'
import { castShadows, drawFailure, drawPrint, drawStrand, type Progress } from './draw-print.js'
import { asYolo, contrastOf, type Label, labelsOf, shareShowing } from './labels.js'
import { bedOffset, drawMachine } from './machine.js'
import type { Random } from './random.js'
import { drawSurroundings } from './room.js'
import { takePicture } from './sensor.js'
import type { Setup } from './setup.js'
import { Shadow } from './shadow.js'
import { nozzleAt, type Place } from './toolpath.js'

/** A rendered picture and what is known about it. */
export interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green, blue. */
  readonly rgb: Uint8Array
  readonly labels: readonly Label[]
  readonly yolo: string
  /** Which share of the pixels shows tangles, or strings. */
  readonly failingShare: number
  /** How far these stand out from what is around them, 0 to 255. */
  readonly contrast: number
  readonly nozzle: Place
}

const FAILING = [SHOWN.tangle, SHOWN.strings] as const

function less(place: Place, by: Place): Place {
  return { x: place.x - by.x, y: place.y - by.y, z: place.z - by.z }
}

/**
 * Renders a print at one moment. `random` is for the sensor's noise only. `parked`: the head stands away from the print. `canvas`, of
 * the same size, is drawn over: making a new one for each of many pictures takes time.
 */
export function renderPicture(
  setup: Setup,
  progress: Progress,
  random: Random,
  size: readonly [number, number],
  parked?: Place,
  canvas = new Canvas(...size),
): Picture {
  const { bed, light, machine } = setup
  const [width, height] = size
  const nozzle = parked ?? nozzleAt(progress.toolpath, progress.now)
  const offset = bedOffset(machine, bed, nozzle)
  const pose: Pose = { ...setup.pose, at: less(setup.pose.at, offset), towards: less(setup.pose.towards, offset) }
  const camera = makeCamera(pose, width, height)
  const shadow = new Shadow(light)
  castShadows(shadow, progress)
  for (let i = 0; i < 25; i++)
    shadow.cast(nozzle.x - 24 + (i % 5) * 12, nozzle.y - 24 + Math.floor(i / 5) * 12, nozzle.z + 20, 5)
  shadow.soften(3)

  const brush = new Brush(canvas, camera, light)
  const fixed = brush.shifted(less({ x: 0, y: 0, z: 0 }, offset))
  drawSurroundings(canvas, camera, { bed, room: setup.room, pattern: setup.pattern, light, shadow, offset })
  if (bed.gloss > 0.1) drawMirrored(brush, setup, progress)
  drawMachine(brush, fixed, machine, bed, nozzle)
  drawClutter(brush, fixed, setup.clutter)
  drawPrint(brush, progress)
  drawFailure(brush, progress, nozzle)

  const shown = { width, height, shows: canvas.shows }
  const rgb = takePicture(canvas, setup.sensor, random, light.isInfrared)
  const labels = labelsOf(shown)
  const failingShare = shareShowing(shown, FAILING)
  return {
    width,
    height,
    rgb,
    labels,
    yolo: asYolo(labels),
    failingShare,
    contrast: failingShare === 0 ? 0 : contrastOf(shown, rgb, FAILING),
    nozzle,
  }
}

/** The print's image in a bed that mirrors. */
function drawMirrored(brush: Brush, { bed }: Setup, progress: Progress): void {
  brush.paint.over = SHOWN.bed
  brush.paint.opacity = bed.gloss * 0.35
  drawPrint(brush, progress, true)
  for (const strand of progress.failure?.strands ?? [])
    drawStrand(brush, strand, progress.now, { colour: progress.colour, gloss: 0, shows: SHOWN.bed }, true)
  brush.paint.over = -1
  brush.paint.opacity = 1
}
