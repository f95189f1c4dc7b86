import { ApiError } from '../errors.js'

/** How much is under way for each user, printer or address at this node: it ends with the node, so nobody else need know. */
export class AtOnce<Key = number> {
  readonly #underWay = new Map<Key, number>()

  /** @param refusal what to tell, and for how long to wait in seconds */
  constructor(
    readonly limit: number,
    private readonly refusal: { readonly detail: string; readonly seconds: number } = {
      detail: 'Too many at once.',
      seconds: 1,
    },
  ) {}

  /** Begins one. Hands back how to end it, which is safe to call twice; undefined when there are too many already. */
  begin(key: Key): (() => void) | undefined {
    const count = this.#underWay.get(key) ?? 0
    if (count >= this.limit) return undefined
    this.#underWay.set(key, count + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      const left = (this.#underWay.get(key) ?? 1) - 1
      if (left > 0) this.#underWay.set(key, left)
      else this.#underWay.delete(key)
    }
  }

  /**
   * Works for somebody who is not being worked for too much already.
   * @throws {ApiError} rate_limited
   */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const end = this.begin(key)
    const { detail, seconds } = this.refusal
    if (end === undefined) throw new ApiError('rate_limited', detail, { retryAfterSeconds: seconds })
    try {
      return await work()
    } finally {
      end()
    }
  }
}
