import { ApiError } from '../errors.js'
import { AtOnce } from './at-once.js'
import type { Refusals } from './refusals.js'

/** G-code files and videos that users are sending, all doors together. */
export interface UserUploads {
  /**
   * Begins an upload; hands back how to end it, which is safe to call twice.
   * @throws {ApiError} rate_limited
   */
  begin(userId: number): () => void
}

export function userUploads(limit: number, refusals: Refusals): UserUploads {
  const atOnce = new AtOnce(limit)
  return {
    begin(userId) {
      const end = atOnce.begin(userId)
      if (end !== undefined) return end
      refusals.note('user_uploads_at_once', `user ${userId}`)
      throw new ApiError('rate_limited', 'The limit user_uploads_at_once was met.', { retryAfterSeconds: 5 })
    },
  }
}
