/** A text from outside as a column takes it: not too long, and without the NUL that PostgreSQL refuses. */
export function columnText(text: string, maxLength: number): string {
  return text.replaceAll('\0', '').slice(0, maxLength)
}
