/** So many characters of JSON are remembered; then all is forgotten. What they are read as takes a few times as much. */
const MAX_LENGTH = 4 * 1024 * 1024

/**
 * Reads JSON, and gives the same value again while the text under a key stays the same: whoever has checked a value once remembers it by
 * the value itself.
 */
export class LastValues {
  readonly #known = new Map<string, { readonly text: string; readonly value: unknown }>()
  #length = 0

  constructor(private readonly maxLength = MAX_LENGTH) {}

  /** @throws {SyntaxError} for what is no JSON */
  read(key: string, text: string): unknown {
    const kept = this.#known.get(key)
    if (kept?.text === text) return kept.value
    const value: unknown = JSON.parse(text)
    this.#length += text.length - (kept?.text.length ?? 0)
    if (this.#length > this.maxLength) {
      this.#known.clear()
      this.#length = text.length
    }
    this.#known.set(key, { text, value })
    return value
  }
}
