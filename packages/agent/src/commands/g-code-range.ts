/**
 * The headers that ask for the rest of a file of which the first `size` bytes are there.
 *
 * @param tag the entity tag that came with them: were the file another one by now, the whole of it comes instead
 */
export function resumeHeaders(size: number, tag: string | undefined): Record<string, string> {
  const plain = { 'accept-encoding': 'identity' }
  if (size === 0) return plain
  // A weak tag does not promise the same bytes, and must not be sent here (RFC 9110, section 13.1.5).
  const ifRange: Record<string, string> = tag !== undefined && !tag.startsWith('W/') ? { 'if-range': tag } : {}
  return { ...plain, range: `bytes=${size}-`, ...ifRange }
}

/** At which byte the answer begins; undefined when it cannot be used. */
export function startOf(status: number, contentRange: string): number | undefined {
  if (status === 200) return 0
  const start = status === 206 ? /^bytes (\d{1,15})-\d+\/(?:\d+|\*)$/.exec(contentRange.trim())?.[1] : undefined
  return start === undefined ? undefined : Number(start)
}
