import type { Light } from './light.js'

const SIDE = 128
const CELL_MM = 2.5

/** Which share of the lamp's light reaches a place of the bed. */
export class Shadow {
  #dark = new Float32Array(SIDE * SIDE)

  constructor(readonly light: Light) {}

  /** Something at this place, of a size in millimetres, stands in the light. */
  cast(x: number, y: number, z: number, size: number): void {
    const { towards } = this.light
    const along = Math.min(z / Math.max(0.2, towards.z), 250)
    this.#darken(x - towards.x * along, y - towards.y * along, (size / (1 + z * 0.015)) * 0.5)
    if (z < 6) this.#darken(x, y, size * 0.25)
  }

  #darken(x: number, y: number, by: number): void {
    const column = Math.floor(x / CELL_MM)
    const row = Math.floor(y / CELL_MM)
    if (column < 0 || row < 0 || column >= SIDE || row >= SIDE) return
    const cell = row * SIDE + column
    this.#dark[cell] = Math.min(1.6, (this.#dark[cell] ?? 0) + by)
  }

  /** Blurs what was cast; to be called once, when all is. */
  soften(times: number): void {
    let from = this.#dark
    for (let n = 0; n < times; n++) {
      const to = new Float32Array(SIDE * SIDE)
      for (let i = SIDE + 1; i < SIDE * SIDE - SIDE - 1; i++) {
        to[i] =
          ((from[i] ?? 0) * 2 +
            (from[i - 1] ?? 0) +
            (from[i + 1] ?? 0) +
            (from[i - SIDE] ?? 0) +
            (from[i + SIDE] ?? 0)) /
          6
      }
      from = to
    }
    this.#dark = from
  }

  /** 1 in full light. Interpolated between cells. */
  at(x: number, y: number): number {
    const u = x < CELL_MM / 2 ? 0 : x / CELL_MM - 0.5
    const v = y < CELL_MM / 2 ? 0 : y / CELL_MM - 0.5
    const column = u | 0
    const row = v | 0
    if (column >= SIDE - 1 || row >= SIDE - 1) return 1
    const fx = u - column
    const fy = v - row
    const cell = row * SIDE + column
    const dark = this.#dark
    const above = (dark[cell] ?? 0) * (1 - fx) + (dark[cell + 1] ?? 0) * fx
    const below = (dark[cell + SIDE] ?? 0) * (1 - fx) + (dark[cell + SIDE + 1] ?? 0) * fx
    return 1 - 0.8 * Math.min(1, above * (1 - fy) + below * fy)
  }
}
