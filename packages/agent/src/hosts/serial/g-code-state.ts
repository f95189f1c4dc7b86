/** What the lines sent so far have made of the printer. Lengths in mm, feed rate in mm/min, temperatures in °C. */
export interface GCodeState {
  /** Undefined until a line has told. */
  readonly x: number | undefined
  readonly y: number | undefined
  readonly z: number | undefined
  readonly e: number
  readonly feed: number | undefined
  readonly axes: 'absolute' | 'relative'
  readonly extruder: 'absolute' | 'relative'
  /**
   * The last lines that set the modes of moves, in the order they were sent. Some firmwares let G90 and G91 set the extruder's
   * mode as well, others do not: the same lines in the same order mean the same to both.
   */
  readonly modeLines: readonly string[]
  readonly tool: number
  /** The layer that is being printed, from 1; undefined before the first. */
  readonly layer: number | undefined
  readonly layers: number | undefined
  /** The height at which it was last extruded. */
  readonly layerZ: number | undefined
  /** Whether the slicer marks its layers; then heights do not count. */
  readonly hasMarks: boolean
  /** Parts of the nominal value, as on the wire. */
  readonly feedRate: number
  readonly flowRate: number
  readonly fanSpeed: number
  /** What is left by the slicer's own reckoning, in seconds. */
  readonly leftSeconds: number | undefined
}

export const NEW_G_CODE_STATE: GCodeState = {
  x: undefined,
  y: undefined,
  z: undefined,
  e: 0,
  feed: undefined,
  axes: 'absolute',
  extruder: 'absolute',
  modeLines: ['M82', 'G90'],
  tool: 0,
  layer: undefined,
  layers: undefined,
  layerZ: undefined,
  hasMarks: false,
  feedRate: 1,
  flowRate: 1,
  fanSpeed: 0,
  leftSeconds: undefined,
}

const PARAMETER = /([A-Z])\s*(-?\d*\.?\d+)?/gi
/** A lift while travelling is no layer. */
const MIN_LAYER_MM = 0.02

type Parameters = Partial<Record<string, number>>

/** The state after a command. Moves are taken for done once they are sent. */
export function afterCommand(state: GCodeState, command: string): GCodeState {
  const match = /^([GMT])\s*(\d+)(?:\.\d+)?/i.exec(command)
  if (!match) return state
  const name = `${match[1]?.toUpperCase()}${Number(match[2])}`
  if (name.startsWith('T')) return { ...state, tool: Number(match[2]) }
  const effect = EFFECTS[name]
  return effect ? effect(state, parametersOf(command.slice(match[0].length))) : state
}

/** The state after a comment of the slicer's, without its semicolon. */
export function afterComment(state: GCodeState, comment: string): GCodeState {
  const numbered = /^\s*LAYER:\s*(-?\d+)/i.exec(comment)
  if (numbered) return { ...state, hasMarks: true, layer: Math.max(1, Number(numbered[1]) + 1) }
  if (/^\s*(LAYER_CHANGE|CHANGE_LAYER|BEFORE_LAYER_CHANGE$)/.test(comment)) {
    if (/BEFORE/.test(comment)) return state
    return { ...state, hasMarks: true, layer: state.hasMarks ? (state.layer ?? 0) + 1 : 1 }
  }
  const count = /^\s*(?:LAYER_COUNT:|total layers count\s*=|total layer number:)\s*(\d+)/i.exec(comment)
  return count ? { ...state, layers: Number(count[1]) } : state
}

const EFFECTS: Record<string, (state: GCodeState, given: Parameters) => GCodeState> = {
  G0: move,
  G1: move,
  G2: move,
  G3: move,
  G28: home,
  G90: (state) => ({ ...state, axes: 'absolute', extruder: 'absolute', modeLines: withMode(state, 'G90') }),
  G91: (state) => ({ ...state, axes: 'relative', extruder: 'relative', modeLines: withMode(state, 'G91') }),
  G92: (state, { X = state.x, Y = state.y, Z = state.z, E = state.e }) => ({ ...state, x: X, y: Y, z: Z, e: E }),
  M82: (state) => ({ ...state, extruder: 'absolute', modeLines: withMode(state, 'M82') }),
  M83: (state) => ({ ...state, extruder: 'relative', modeLines: withMode(state, 'M83') }),
  M106: (state, { P = 0, S = 255 }) => (P === 0 ? { ...state, fanSpeed: Math.min(1, S / 255) } : state),
  M107: (state) => ({ ...state, fanSpeed: 0 }),
  M220: (state, { S }) => (S === undefined ? state : { ...state, feedRate: S / 100 }),
  M221: (state, { S }) => (S === undefined ? state : { ...state, flowRate: S / 100 }),
  M73: (state, { R }) => (R === undefined ? state : { ...state, leftSeconds: R * 60 }),
}

function withMode({ modeLines }: GCodeState, line: 'G90' | 'G91' | 'M82' | 'M83'): string[] {
  return [...modeLines.filter((before) => before[0] !== line[0]), line]
}

function move(state: GCodeState, { X, Y, Z, E, F }: Parameters): GCodeState {
  const relative = state.axes === 'relative'
  const z = moved(state.z, Z, relative)
  const extrudes = E !== undefined && (state.extruder === 'relative' ? E > 0 : E > state.e)
  const next = {
    ...state,
    x: moved(state.x, X, relative),
    y: moved(state.y, Y, relative),
    z,
    e: E === undefined ? state.e : state.extruder === 'relative' ? state.e + E : E,
    feed: F ?? state.feed,
  }
  // Only what is extruded along the bed makes a layer: priming in place does not.
  if (state.hasMarks || !extrudes || z === undefined || (X === undefined && Y === undefined)) return next
  if (state.layerZ !== undefined && z <= state.layerZ + MIN_LAYER_MM) return next
  return { ...next, layerZ: z, layer: (state.layer ?? 0) + 1 }
}

/** Homing without axes homes them all. Where the origin is, the machine knows; nearly always it is 0. */
function home(state: GCodeState, given: Parameters): GCodeState {
  const all = given.X === undefined && given.Y === undefined && given.Z === undefined
  const homed = (axis: 'X' | 'Y' | 'Z', before: number | undefined) => (all || given[axis] !== undefined ? 0 : before)
  return { ...state, x: homed('X', state.x), y: homed('Y', state.y), z: homed('Z', state.z) }
}

function moved(before: number | undefined, given: number | undefined, relative: boolean): number | undefined {
  if (given === undefined) return before
  if (!relative) return given
  return before === undefined ? undefined : round(before + given)
}

function round(value: number): number {
  return Math.round(value * 1e5) / 1e5
}

function parametersOf(text: string): Parameters {
  const given: Parameters = {}
  for (const [, letter = '', value] of text.matchAll(PARAMETER)) given[letter.toUpperCase()] = Number(value ?? 0)
  return given
}
