import { chown, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The user whom the agent belongs to. */
export interface Owner {
  readonly uid: number
  readonly gid: number
  /** Only below this folder files are handed over; the system's stay its own. */
  readonly home: string
}

/** Hands a path over to the owner; with `isDeep` all that is below it too. */
export async function giveTo(
  path: string,
  { owner, prefix }: { owner: Owner | undefined; prefix: string },
  { isDeep = false } = {},
): Promise<void> {
  if (owner === undefined || !`${path}/`.startsWith(`${join(prefix, owner.home)}/`)) return
  await chown(path, owner.uid, owner.gid)
  if (!isDeep) return
  for (const entry of await readdir(path, { recursive: true })) await chown(join(path, entry), owner.uid, owner.gid)
}
