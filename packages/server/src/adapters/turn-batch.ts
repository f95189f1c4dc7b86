/** As many at once as a single-threaded server does in well under a millisecond: others wait meanwhile. */
const MOST = 64

/**
 * Gathers what is asked for within one turn of the event loop, which under load is much, so that it is carried out together. Nothing
 * waits for more to come: the turn ends once everything that has arrived was read.
 */
export class TurnBatch<Item> {
  readonly #carryOut: (items: readonly Item[]) => void
  #items: Item[] = []
  #end: NodeJS.Immediate | undefined

  constructor(carryOut: (items: readonly Item[]) => void) {
    this.#carryOut = carryOut
  }

  add(item: Item): void {
    this.#items.push(item)
    if (this.#items.length >= MOST) this.flush()
    else this.#end ??= setImmediate(() => this.flush())
  }

  /** Carries out what was gathered so far, for something that must come after it. */
  flush(): void {
    clearImmediate(this.#end)
    this.#end = undefined
    const items = this.#items
    if (items.length === 0) return
    this.#items = []
    this.#carryOut(items)
  }
}
