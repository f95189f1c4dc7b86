/** The number, unless it is something else. */
export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The numbers among the values: with `exactOptionalPropertyTypes` an absent key is not an undefined one. */
export function withoutNull<T extends Record<string, number | null | undefined>>(
  values: T,
): { [Key in keyof T]?: number } {
  const entries = Object.entries(values).filter(([, value]) => typeof value === 'number')
  return Object.fromEntries(entries) as { [Key in keyof T]?: number }
}

/** The values that are there. */
export function withoutUndefined<T extends object>(values: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> }
}
