/** How the printer reads the numbers in a move; undefined where nothing has told yet. */
export interface Modes {
  readonly axes: 'absolute' | 'relative' | undefined
  readonly extruder: 'absolute' | 'relative' | undefined
}

export const NO_MODES: Modes = { axes: undefined, extruder: undefined }

/** The same, with every doubt settled. */
export interface SettledModes {
  readonly axes: 'absolute' | 'relative'
  readonly extruder: 'absolute' | 'relative'
}

/** The filter for OctoPrint's terminal lines, so that only those that matter here come over the wire. */
export const MODE_LINES = '^Send: (N\\d+ )?(G90|G91|M82|M83)\\b'

const COMMANDS: Record<string, Partial<Modes>> = {
  G90: { axes: 'absolute' },
  G91: { axes: 'relative' },
  M82: { extruder: 'absolute' },
  M83: { extruder: 'relative' },
}

/** The modes after these terminal lines. */
export function modesAfter(modes: Modes, lines: readonly string[]): Modes {
  return lines.reduce(
    (now, line) => ({ ...now, ...COMMANDS[/^Send: (?:N\d+ )?([GM]\d+)\b/.exec(line)?.[1] ?? ''] }),
    modes,
  )
}

/** The modes after this part of a G-code file. */
export function modesAfterGCode(gcode: string): Modes {
  const commands = [...gcode.matchAll(/^[ \t]*(?:N\d+[ \t]*)?(G90|G91|M82|M83)\b/gim)]
  return commands.reduce((now, [, command]) => ({ ...now, ...COMMANDS[command?.toUpperCase() ?? ''] }), NO_MODES)
}

/**
 * The best guess from all that is known, later knowledge first. An extruder whose mode was never set follows the axes, as
 * firmwares do.
 */
export function settledModes(...known: readonly Modes[]): SettledModes {
  const axes = known.find((modes) => modes.axes)?.axes ?? 'absolute'
  return { axes, extruder: known.find((modes) => modes.extruder)?.extruder ?? axes }
}
