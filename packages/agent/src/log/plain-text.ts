/** Control characters of both sets, and marks that turn the direction of what follows. */
// oxlint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g

/**
 * What another program said, as one line that can be shown: a terminal would obey some characters instead of showing them, and
 * print in other colours, move about, or set its own title.
 */
export function plainText(text: string): string {
  return text.replace(UNSEEN, ' ')
}
