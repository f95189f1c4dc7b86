import { drawFinish, definitions } from './scene-finish.js'
import { clamp, PICTURE, shiftView, type Point3 } from './scene-geometry.js'
import { drawShadow, drawSkirt, halfSize } from './scene-ground.js'
import { drawHead } from './scene-head.js'
import { drawBase, drawBed, drawRail, drawUprights } from './scene-printer.js'
import { makeRandom } from './scene-random.js'
import { drawRoom } from './scene-room.js'
import { makeSetting, nozzleAt } from './scene-setting.js'
import { drawSolid } from './scene-solid.js'
import { drawTangle, type Box } from './scene-tangle.js'

/** What a picture of a simulated printer shows. */
export interface SceneInput {
  /** Decides the printer, its room, the camera's place, the filament and the part. */
  seed: number
  /** How much of the print has been extruded, 0 to 1. */
  progress: number
  /** 0 = a good print, 1 = a big tangle. */
  failure: number
  /** Counts the pictures: moves the head, and changes flicker and noise. */
  frame: number
  /** The progress at which the part stopped to grow; by default it goes on to `progress`. */
  failedAt?: number
  width?: number
  height?: number
  nozzleTemp?: number
  printing: boolean
  /** A line of digits and letters for the lower left corner. */
  caption?: string
}

/** A picture as SVG text, and the box of the failure in it (pixels), if there is one. */
export interface Scene {
  svg: string
  failureBox: { x: number; y: number; width: number; height: number } | null
}

const { width: W, height: H } = PICTURE
const ROOM_CELSIUS = 25
const HOT_CELSIUS = 205

/** The box in pixels of the output, cut at its edges. */
function toPixels(box: Box, width: number, height: number): Scene['failureBox'] {
  const k = Math.max(width / W, height / H)
  const [dx, dy] = [(width - W * k) / 2, (height - H * k) / 2]
  const [x0, x1] = [clamp(box.x0 * k + dx, 0, width), clamp(box.x1 * k + dx, 0, width)]
  const [y0, y1] = [clamp(box.y0 * k + dy, 0, height), clamp(box.y1 * k + dy, 0, height)]
  return { x: x0, y: y0, width: x1 - x0, height: y1 - y0 }
}

function heat(input: SceneInput): number {
  const celsius = input.nozzleTemp ?? (input.printing ? HOT_CELSIUS : ROOM_CELSIUS)
  return clamp((celsius - ROOM_CELSIUS) / (HOT_CELSIUS - ROOM_CELSIUS), 0, 1)
}

/** A webcam's picture of a simulated printer: the same input gives the same text. */
export function renderScene(input: SceneInput): Scene {
  const { seed, frame, width = W, height = H } = input
  const setting = makeSetting(seed)
  const { view, light, printer, filament, part } = setting
  const [progress, failure] = [clamp(input.progress, 0, 1), clamp(input.failure, 0, 1)]
  const reached = part.height * progress
  const stands = failure > 0 ? Math.min(reached, part.height * (input.failedAt ?? progress)) : reached
  const onBed = nozzleAt(setting, reached, frame, input.printing)
  // On a portal the bed moves under the nozzle instead of the nozzle over the bed.
  const shift = printer.frame === 'portal' ? -onBed.y : 0
  const nozzle: Point3 = { ...onBed, y: onBed.y + shift }
  const bedView = shiftView(view, shift)

  const layers = [
    drawRoom(makeRandom(seed, 3), printer, filament, view),
    drawBase(printer, view, light),
    drawUprights(printer, view, light),
    drawBed(printer, bedView, light),
    drawSkirt(part, bedView, filament),
    drawShadow(part, stands, bedView, light),
    ...part.solids.map((solid) => drawSolid(solid, stands, bedView, light, filament)),
  ]
  const tangle =
    failure > 0
      ? drawTangle(makeRandom(seed, 4), {
          part: { ...halfSize(part, stands), top: stands },
          failure,
          nozzle: input.printing ? onBed : undefined,
          view: bedView,
          colour: filament,
        })
      : undefined
  if (tangle) layers.push(tangle.svg)
  layers.push(drawRail(printer, nozzle, view, light), drawHead(printer, nozzle, frame * 0.55, heat(input), view, light))

  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${W} ${H}" preserveAspectRatio="xMidYMid slice">${definitions(seed, frame)}${layers.join('')}${drawFinish(seed, frame, input.caption)}</svg>`
  return { svg, failureBox: tangle ? toPixels(tangle.box, width, height) : null }
}
