/** How a JSON text is built. */
export interface JsonShape {
  /** Members, items, objects and lists, about: what takes time to read, however few bytes each has. */
  readonly values: number
  /** Objects and lists inside each other. */
  readonly depth: number
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Looks through a JSON text without making anything of it, which takes a fiftieth of the time that reading it may take. Of what is no JSON
 * it tells something or other: whoever reads it will see.
 */
export function jsonShapeOf(bytes: Uint8Array): JsonShape {
  let values = 1
  let depth = 0
  let deepest = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      at = endOfText(bytes, at)
    } else if (byte === COMMA) {
      values += 1
    } else if (byte === LIST || byte === OBJECT) {
      values += 1
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (byte === LIST_END || byte === OBJECT_END) {
      depth -= 1
    }
  }
  return { values, depth: deepest }
}

/** Where the text ends that begins here. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}
