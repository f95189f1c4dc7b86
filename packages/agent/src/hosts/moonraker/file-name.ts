/**
 * A name that Klipper can print. It starts a file by a line of G-code, in which `;` and `#` begin a comment, `*` a checksum and
 * quotes end the name; Moonraker takes a slash for a folder.
 */
export function safeFileName(name: string): string {
  // eslint-disable-next-line no-control-regex
  const safe = name.replace(/["\\/;#*\u0000-\u001f\u007f]/g, '_').trim()
  return safe.startsWith('.') ? `_${safe}` : safe
}
