// Names come with files, from strangers. In our own sentences they stand so that they cannot pass for a part of them.

/** Longer than any honest name. */
const MOST = 120

/** Control characters, those that are not seen or turn the order of writing around, and halves of others. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu
/** What could end our own quotes, or look as if it did. */
const QUOTES = /["“”„‟«»″〝〞＂]/g

const FIRST_STRONG_ISOLATE = '\u2068'
const POP_DIRECTIONAL_ISOLATE = '\u2069'

/** A name in quotes and on one line, without what is not seen. Its direction of writing ends with it. */
export function quoted(name: string): string {
  const seen = Array.from(name.replace(UNSEEN, ' ').replace(QUOTES, "'").replace(/\s+/g, ' ').trim())
  const short = seen.length > MOST ? `${seen.slice(0, MOST - 1).join('')}…` : seen.join('')
  return `“${FIRST_STRONG_ISOLATE}${short}${POP_DIRECTIONAL_ISOLATE}”`
}
