import { gearOutline, hullOutline, moved, oddOutline, rectangle, ringOf } from './outlines.js'
import type { Random } from './random.js'
import { FACE_SHARE, filled, polar, shrunk, turning, type Solid } from './slices.js'
import { MOVE } from './toolpath.js'

/** Parts whose walls hide what is inside. */
export const CLOSED_PARTS = {
  vase: (random) => {
    const [radius, height, waves] = [random.between(18, 45), random.between(40, 150), random.whole(3, 14)]
    const [wave, belly, twist, phase] = [
      random.between(0, 0.16),
      random.between(-0.35, 0.45),
      random.between(-3, 3),
      random.between(0, 6),
    ]
    return {
      height,
      isOpen: false,
      slice: (share) => ({
        walls: [
          ringOf(
            72,
            (angle) =>
              radius *
              (1 + belly * Math.sin(share * 3.4 + phase)) *
              (1 + wave * Math.cos(waves * angle + twist * share)),
          ),
        ],
        fill: share < FACE_SHARE ? filled(0, 1, 0.8) : undefined,
      }),
    }
  },
  box: (random) => {
    const outline = rectangle(random.between(20, 100), random.between(20, 80))
    const [height, spacing] = [random.between(6, 60), random.between(3, 9)]
    return {
      height,
      isOpen: false,
      slice: (share) => ({
        walls: [outline, moved(outline, 0, 0, 0.97)],
        fill: filled(share, spacing, turning(share)),
      }),
    }
  },
  gear: (random) => {
    const [radius, teeth] = [random.between(14, 45), random.whole(9, 28)]
    const [outer, hole] = [gearOutline(radius, teeth, radius * 0.16), ringOf(24, () => radius * 0.25)]
    const holes = random.whole(0, 6)
    const windows = Array.from({ length: holes }, (_, i) =>
      moved(
        ringOf(14, () => radius * 0.13),
        ...polar(radius * 0.55, i / holes),
      ),
    )
    return {
      height: random.between(4, 25),
      isOpen: false,
      slice: (share) => ({ walls: [outer, hole, ...windows], fill: filled(share, 3, turning(share)) }),
    }
  },
  plate: (random) => {
    const [columns, rows, step] = [random.whole(2, 5), random.whole(1, 4), random.between(16, 34)]
    const outlines = Array.from({ length: columns * rows }, () =>
      random.chance(0.6) ? ringOf(20, () => step * 0.3) : oddOutline(random, step * 0.36),
    )
    const same = random.chance(0.6) ? outlines[0] : undefined
    const all = outlines.map((outline, i) =>
      moved(
        same ?? outline,
        ((i % columns) - (columns - 1) / 2) * step,
        (Math.floor(i / columns) - (rows - 1) / 2) * step,
      ),
    )
    const taper = random.between(0, 0.5)
    return {
      height: random.between(5, 40),
      isOpen: false,
      slice: (share) => ({
        walls: all.map((outline, i) => shrunk(outline, 1 - taper * share * (i % 2))),
        fill: filled(share, 2.5, turning(share)),
      }),
    }
  },
  tower: (random) => {
    const [count, radius, height] = [random.whole(1, 4), random.between(3, 9), random.between(50, 160)]
    const gap = random.between(25, 60)
    const shape = random.chance(0.5) ? ringOf(18, () => radius) : rectangle(radius * 2, radius * 2)
    return {
      height,
      isOpen: false,
      slice: (share) => ({
        walls: Array.from({ length: count }, (_, i) => moved(shape, (i - (count - 1) / 2) * gap, 0, 1 - 0.4 * share)),
        fill: { angle: turning(share), spacing: 1.5, kind: share > 0.98 ? MOVE.top : MOVE.fill },
      }),
    }
  },
  hull: (random) => {
    const [length, height] = [random.between(45, 100), random.between(30, 70)]
    const [deck, cabin] = [hullOutline(length, length * 0.5), rectangle(length * 0.3, length * 0.32)]
    return {
      height,
      isOpen: false,
      slice: (share) => {
        if (share < 0.4)
          return {
            walls: [moved(deck, 0, 0, 0.8 + 0.5 * share)],
            fill: {
              angle: turning(share),
              spacing: share > 0.36 ? 0.8 : 3,
              kind: share > 0.36 || share < FACE_SHARE ? MOVE.top : MOVE.fill,
            },
          }
        if (share < 0.75) return { walls: [moved(cabin, -length * 0.05, 0), moved(cabin, -length * 0.05, 0, 0.88)] }
        if (share < 0.8)
          return {
            walls: [moved(cabin, -length * 0.05, 0, 1.1)],
            fill: { angle: turning(share), spacing: 0.8, kind: MOVE.top },
          }
        return {
          walls: [
            moved(
              ringOf(16, () => length * 0.06),
              -length * 0.12,
              0,
            ),
            moved(
              ringOf(16, () => length * 0.04),
              -length * 0.12,
              0,
            ),
          ],
        }
      },
    }
  },
  odd: (random) => {
    const [outline, height, lean] = [
      oddOutline(random, random.between(15, 45)),
      random.between(10, 90),
      random.between(-0.5, 0.5),
    ]
    const hole = random.chance(0.4) ? [moved(outline, 0, 0, 0.6)] : []
    return {
      height,
      isOpen: false,
      slice: (share) => ({
        walls: [outline, ...hole].map((wall) => moved(wall, 0, 0, 1 + lean * share * 0.8, lean * share)),
        fill: filled(share, 3, turning(share)),
      }),
    }
  },
} satisfies Record<string, (random: Random) => Solid>
