/** Ways to make a text stand out; without colours they leave it as it is. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
}

export function makeStyle(hasColours: boolean): Style {
  const wrap =
    (open: number, close: number) =>
    (text: string): string =>
      hasColours ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return { bold: wrap(1, 22), dim: wrap(2, 22), good: wrap(32, 39), bad: wrap(31, 39), warn: wrap(33, 39) }
}
