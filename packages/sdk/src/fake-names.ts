/** A name as files and folders are told apart by it. */
export const safeName = (name: string): string => name.normalize('NFC').replaceAll(/[^\p{L}\p{N}_.]/gu, '_')

/** Items in the order that `sorting` names, such as `num_bytes_desc`; newest first without it. */
export function inOrder<T extends { readonly flat: object }>(items: readonly T[], sorting = 'created_at_desc'): T[] {
  const [, key = '', direction] = /^(.*)_(asc|desc)$/.exec(sorting) ?? []
  const sign = direction === 'asc' ? 1 : -1
  const valueOf = ({ flat }: T): unknown => Object.entries(flat).find(([name]) => name === key)?.[1]
  const idOf = ({ flat }: T): number => ('id' in flat ? Number(flat.id) : 0)
  return [...items].sort((a, b) => sign * (compareValues(valueOf(a), valueOf(b)) || idOf(a) - idOf(b)))
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const [left, right] = [textOf(a), textOf(b)]
  return left < right ? -1 : Number(left > right)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
