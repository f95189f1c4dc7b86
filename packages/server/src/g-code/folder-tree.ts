/** A folder as far as it matters where it lies. */
export interface Placed {
  readonly id: number
  readonly parent_folder_id: number | null
}

/** How deep folders may lie in each other. Nobody sorts files deeper, and every step down is paid for when a folder is deleted. */
export const MAX_DEPTH = 30

/** Why folders cannot be moved to where they should go. */
export type MoveProblem = 'cycle' | 'too_deep'

/** The folders with these ids and everything that lies in them. */
export function subtreeOf(all: readonly Placed[], ids: readonly number[]): Set<number> {
  const children = childrenOf(all)
  const known = new Set(all.map(({ id }) => id))
  const found = new Set<number>()
  const open = ids.filter((id) => known.has(id))
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue
    found.add(id)
    for (const child of children.get(id) ?? []) open.push(child.id)
  }
  return found
}

function childrenOf(all: readonly Placed[]): ReadonlyMap<number | null, readonly Placed[]> {
  const groups = new Map<number | null, Placed[]>()
  for (const folder of all) {
    const group = groups.get(folder.parent_folder_id)
    if (group === undefined) groups.set(folder.parent_folder_id, [folder])
    else group.push(folder)
  }
  return groups
}

/** What stands in the way of moving `ids` into `target`; undefined when nothing does. */
export function moveProblem(
  all: readonly Placed[],
  ids: readonly number[],
  target: number | null,
): MoveProblem | undefined {
  const moved = subtreeOf(all, ids)
  if (target !== null && moved.has(target)) return 'cycle'
  const parents = new Map(all.map(({ id, parent_folder_id }) => [id, parent_folder_id]))
  const named = new Set(ids)
  const base = depthOf(parents, target)
  const deepest = Math.max(0, ...[...moved].map((id) => depthBelow(parents, id, named)))
  return base + deepest > MAX_DEPTH ? 'too_deep' : undefined
}

/** Whether a new folder in `parent` would lie too deep. */
export function isTooDeep(all: readonly Placed[], parent: number | null): boolean {
  return depthOf(new Map(all.map(({ id, parent_folder_id }) => [id, parent_folder_id])), parent) >= MAX_DEPTH
}

type Parents = ReadonlyMap<number, number | null>

/** How many folders one passes on the way down to this one, itself included; 0 for none. */
function depthOf(parents: Parents, id: number | null): number {
  let depth = 0
  for (let at = id; at !== null; at = parents.get(at) ?? null) depth += 1
  return depth
}

/** The same, from the nearest of the named folders down: each of them will lie in the target itself. */
function depthBelow(parents: Parents, id: number, named: ReadonlySet<number>): number {
  let depth = 1
  for (let at: number | null = id; at !== null && !named.has(at); at = parents.get(at) ?? null) depth += 1
  return depth
}
