/** A statement that was asked so often is asked again. */
const OFTEN = 3
/** So many plans a connection keeps at most. */
const MOST_NAMES = 100
/** So many statements are counted before all are counted anew. */
const MOST_COUNTED = 1_000

/**
 * Names for the statements that are asked again and again: a connection plans what has a name once, which takes PostgreSQL more than most
 * reads themselves. A name is never given to another statement.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #asked = new Map<string, number>()
  #given = 0

  /** Counts the statement. undefined while it may be one that is never asked again, or when enough others have names. */
  nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql)
    if (known !== undefined) return known
    if (this.#names.size >= MOST_NAMES) return undefined
    const asked = (this.#asked.get(sql) ?? 0) + 1
    if (asked < OFTEN) {
      if (this.#asked.size >= MOST_COUNTED) this.#asked.clear()
      this.#asked.set(sql, asked)
      return undefined
    }
    this.#asked.delete(sql)
    this.#given += 1
    const name = `s${this.#given}`
    this.#names.set(sql, name)
    return name
  }

  /** For a schema that has changed: plans of before are of no use any more. */
  forgetAll(): void {
    this.#names.clear()
  }
}
