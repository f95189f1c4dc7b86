// The way of the nozzle, as points in millimetres of the bed. The move that ends at a point belongs to it.

/** What a move lays down. */
export const MOVE = { travel: 0, wall: 1, fill: 2, support: 3, skirt: 4, top: 5 } as const

export interface Toolpath {
  /** How many points there are. */
  readonly count: number
  readonly x: Float32Array
  readonly y: Float32Array
  readonly z: Float32Array
  /** One of `MOVE`. */
  readonly kind: Uint8Array
  readonly layer: Uint16Array
  /** Seconds since the start of the print. */
  readonly time: Float32Array
  readonly layers: number
  /** Of one layer, millimetres. */
  readonly layerHeight: number
  /** Whether its inside can be seen through its walls: then nothing of it may be left out. */
  readonly isOpen: boolean
}

/** Where a nozzle is. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly z: number
}

/** The box around all that a toolpath lays down. */
export interface Extent {
  readonly left: number
  readonly right: number
  readonly front: number
  readonly back: number
  readonly top: number
}

/** Collects points into a toolpath. */
export class ToolpathBuilder {
  readonly #x: number[] = []
  readonly #y: number[] = []
  readonly #z: number[] = []
  readonly #kind: number[] = []
  readonly #layer: number[] = []
  readonly #time: number[] = []
  #seconds = 0
  layer = 0

  /** Moves to a point at `speed` millimetres a second. */
  to(x: number, y: number, z: number, kind: number, speed: number): void {
    const last = this.#x.length - 1
    const [fromX = x, fromY = y, fromZ = z] = [this.#x[last], this.#y[last], this.#z[last]]
    this.#seconds += Math.hypot(x - fromX, y - fromY, z - fromZ) / Math.max(speed, 0.1)
    this.#x.push(x)
    this.#y.push(y)
    this.#z.push(z)
    this.#kind.push(kind)
    this.#layer.push(this.layer)
    this.#time.push(this.#seconds)
  }

  get count(): number {
    return this.#x.length
  }

  /** The toolpath, its times stretched so that it takes `seconds` where these are given. */
  build(form: { layerHeight: number; isOpen: boolean; seconds?: number }): Toolpath {
    const stretch = form.seconds === undefined || this.#seconds === 0 ? 1 : form.seconds / this.#seconds
    return {
      count: this.count,
      x: Float32Array.from(this.#x),
      y: Float32Array.from(this.#y),
      z: Float32Array.from(this.#z),
      kind: Uint8Array.from(this.#kind),
      layer: Uint16Array.from(this.#layer),
      time: Float32Array.from(this.#time, (time) => time * stretch),
      layers: this.layer + 1,
      layerHeight: form.layerHeight,
      isOpen: form.isOpen,
    }
  }
}

/** How long the whole print takes, in seconds. */
export function durationOf(toolpath: Toolpath): number {
  return toolpath.time[toolpath.count - 1] ?? 0
}

/** The first point that is reached after `seconds`; the last one when there is none. */
export function pointAt(toolpath: Toolpath, seconds: number): number {
  let low = 0
  let high = Math.max(0, toolpath.count - 1)
  while (low < high) {
    const middle = (low + high) >> 1
    if ((toolpath.time[middle] ?? 0) < seconds) low = middle + 1
    else high = middle
  }
  return low
}

/** Where the nozzle is after `seconds`. */
export function nozzleAt(toolpath: Toolpath, seconds: number): Place {
  const { x, y, z, time } = toolpath
  const to = pointAt(toolpath, seconds)
  const from = Math.max(0, to - 1)
  const [begun = 0, ended = 0] = [time[from], time[to]]
  const share = ended > begun ? Math.min(1, Math.max(0, (seconds - begun) / (ended - begun))) : 1
  const mix = (list: Float32Array): number => (list[from] ?? 0) * (1 - share) + (list[to] ?? 0) * share
  return { x: mix(x), y: mix(y), z: mix(z) }
}

/** The box around what is laid down, skirts and brims left out where there is anything else. */
export function extentOf(toolpath: Toolpath): Extent {
  const extent = { left: Infinity, right: -Infinity, front: Infinity, back: -Infinity, top: 0 }
  for (let i = 1; i < toolpath.count; i++) {
    const kind = toolpath.kind[i]
    if (kind === MOVE.travel || kind === MOVE.skirt) continue
    const [x = 0, y = 0, z = 0] = [toolpath.x[i], toolpath.y[i], toolpath.z[i]]
    extent.left = Math.min(extent.left, x)
    extent.right = Math.max(extent.right, x)
    extent.front = Math.min(extent.front, y)
    extent.back = Math.max(extent.back, y)
    extent.top = Math.max(extent.top, z)
  }
  if (extent.left > extent.right) return { left: 0, right: 0, front: 0, back: 0, top: 0 }
  return extent
}

/** The same moves elsewhere on the bed. */
export function translated(toolpath: Toolpath, byX: number, byY: number): Toolpath {
  return { ...toolpath, x: toolpath.x.map((x) => x + byX), y: toolpath.y.map((y) => y + byY) }
}
