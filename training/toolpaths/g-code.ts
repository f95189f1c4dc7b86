import { MOVE, type Toolpath, ToolpathBuilder } from './toolpath.js'

// Reads as much of G-code as drawing it needs: straight moves and arcs (as straight lines to their ends), absolute and relative
// ways of counting, and the comments by which slicers say what a move is for.

/** Comments such as ";TYPE:External perimeter" name what follows; the first that matches wins. */
const TYPES: readonly (readonly [RegExp, number])[] = [
  [/support/i, MOVE.support],
  [/skirt|brim|prime|wipe|purge|custom/i, MOVE.skirt],
  [/top|ironing|bridge/i, MOVE.top],
  [/fill|infill|solid/i, MOVE.fill],
  [/wall|perimeter|inner|outer/i, MOVE.wall],
]

function kindNamed(name: string): number {
  return TYPES.find(([pattern]) => pattern.test(name))?.[1] ?? MOVE.wall
}

/** The numbers of one line by their letters. */
function wordsOf(line: string): Map<string, number> {
  const words = new Map<string, number>()
  for (const [, letter = '', digits = ''] of line.matchAll(/([A-Za-z])\s*([+-]?(?:\d+\.?\d*|\.\d+))/g)) {
    const name = letter.toUpperCase()
    if (!words.has(name)) words.set(name, Number(digits))
  }
  return words
}

interface State {
  x: number
  y: number
  z: number
  e: number
  /** Millimetres a second. */
  speed: number
  isRelative: boolean
  isExtruderRelative: boolean
  kind: number
}

/** The higher of two heights a layer apart starts a new layer; less than this is a nozzle lifted for travelling. */
const SAME_HEIGHT_MM = 0.01

/**
 * The toolpath of a G-code file.
 *
 * @throws {Error} when nothing in it lays down any material
 */
export function parseGCode(text: string): Toolpath {
  const builder = new ToolpathBuilder()
  const state: State = {
    x: 0,
    y: 0,
    z: 0,
    e: 0,
    speed: 50,
    isRelative: false,
    isExtruderRelative: false,
    kind: MOVE.wall,
  }
  const heights: number[] = []
  for (const line of text.split('\n')) {
    const type = /^;\s*(?:TYPE|FEATURE)\s*:\s*(.+)/i.exec(line)?.[1]
    if (type !== undefined) state.kind = kindNamed(type)
    const code = line.replace(/;.*|\([^)]*\)/g, '').trim()
    if (code === '') continue
    const words = wordsOf(code)
    const g = words.get('G')
    if (g === 0 || g === 1 || g === 2 || g === 3) move(builder, state, words, heights)
    else if (g === 90) state.isRelative = state.isExtruderRelative = false
    else if (g === 91) state.isRelative = state.isExtruderRelative = true
    else if (g === 92) set(state, words)
    else if (words.get('M') === 82) state.isExtruderRelative = false
    else if (words.get('M') === 83) state.isExtruderRelative = true
  }
  if (heights.length === 0) throw new Error('the G-code lays down no material')
  return builder.build({ layerHeight: usualStep(heights), isOpen: true })
}

function set(state: State, words: Map<string, number>): void {
  state.x = words.get('X') ?? state.x
  state.y = words.get('Y') ?? state.y
  state.z = words.get('Z') ?? state.z
  state.e = words.get('E') ?? state.e
}

function move(builder: ToolpathBuilder, state: State, words: Map<string, number>, heights: number[]): void {
  const along = (letter: string, from: number): number => {
    const word = words.get(letter)
    if (word === undefined) return from
    return state.isRelative ? from + word : word
  }
  const [x, y, z] = [along('X', state.x), along('Y', state.y), along('Z', state.z)]
  const word = words.get('E')
  const fed = word === undefined ? 0 : state.isExtruderRelative ? word : word - state.e
  const isFar = Math.hypot(x - state.x, y - state.y) > 1e-4
  const lays = fed > 0 && isFar
  state.speed = (words.get('F') ?? state.speed * 60) / 60
  if (lays) {
    const last = heights.at(-1)
    if (last === undefined || Math.abs(z - last) > SAME_HEIGHT_MM) {
      if (last !== undefined) builder.layer++
      heights.push(z)
    }
  }
  if (isFar || z !== state.z) builder.to(x, y, z, lays ? state.kind : MOVE.travel, state.speed)
  Object.assign(state, { x, y, z, e: word === undefined ? state.e : state.e + fed })
}

/** The step between layers that is found most: the first layer is often a thicker one. */
function usualStep(heights: readonly number[]): number {
  const steps = heights.slice(1).map((height, i) => height - (heights[i] ?? 0))
  const rising = steps.filter((step) => step > SAME_HEIGHT_MM && step < 1).sort((a, b) => a - b)
  return rising[Math.floor(rising.length / 2)] ?? Math.max(0.1, heights[0] ?? 0.2)
}
