// Small pictures of past prints, within a quota. Pure.

/** What the small pictures of all prints may have together. */
export const DEFAULT_HISTORY_BYTES = 5 * 1024 ** 3

/** Wide enough for the model's input and for people. */
export const HISTORY_WIDTH = 320
export const HISTORY_QUALITY = 72
/** A print keeps no more of them; of a longer one every n-th frame is kept. */
export const MAX_HISTORY_FRAMES = 6_000

export const historyPrefix = (printId: number): string => `prints/${printId}/history/`
export const historyKey = (printId: number, frameAt: number): string => `${historyPrefix(printId)}${frameAt}.jpg`

/** At most `most` of a list, evenly. */
export function thinned<T>(items: readonly T[], most: number): readonly T[] {
  const step = Math.ceil(items.length / most)
  return step <= 1 ? items : items.filter((_, index) => index % step === 0)
}

/** Which prints lose their small pictures so that all together fit: the oldest first, the newest one never. */
export function overQuota(
  sizes: readonly { readonly print_id: number; readonly bytes: number }[],
  quota: number,
): number[] {
  let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  const gone: number[] = []
  for (const { print_id, bytes } of sizes.slice(0, -1)) {
    if (total <= quota) break
    total -= bytes
    gone.push(print_id)
  }
  return gone
}
