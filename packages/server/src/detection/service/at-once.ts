import { ApiError } from '../../errors.js'

/** How much is under way for each user: the detector is there for the cameras of all. */
export class AtOnce {
  readonly #underWay = new Map<number, number>()

  constructor(readonly limit: number) {}

  /**
   * Works for a user who is not being worked for too much already.
   * @throws {ApiError} rate_limited
   */
  async run<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const count = this.#underWay.get(userId) ?? 0
    if (count >= this.limit) throw new ApiError('rate_limited', 'Too many at once.', { retryAfterSeconds: 1 })
    this.#underWay.set(userId, count + 1)
    try {
      return await work()
    } finally {
      const left = (this.#underWay.get(userId) ?? 1) - 1
      if (left > 0) this.#underWay.set(userId, left)
      else this.#underWay.delete(userId)
    }
  }
}
