/**
 * Where in an input a text holds NUL; undefined when none does. No database keeps such a text whole: SQLite shows what stands
 * before it, PostgreSQL refuses it.
 */
export function pathToNul(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return value.includes('\0') ? [] : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const path = pathToNul(inner)
    if (path !== undefined) return [name, ...path]
  }
  return undefined
}
