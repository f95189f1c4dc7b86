import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Knows whether the packages are built: a stamp is written after each build, and sources newer than it make it stale. The
// compiler's own outputs would not do: it leaves those alone whose content stays the same.

const path = (relative) => fileURLToPath(new URL(`../packages/${relative}`, import.meta.url))
const STAMP = fileURLToPath(new URL('../packages/server/dist/.built', import.meta.url))

function newestIn(folder) {
  let latest = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const child = `${folder}/${entry.name}`
    latest = Math.max(latest, entry.isDirectory() ? newestIn(child) : statSync(child).mtimeMs)
  }
  return latest
}

/** Whether everything was built since the newest change of a source file. */
export function isBuilt() {
  if (!existsSync(STAMP)) return false
  const packages = ['protocol', 'agent', 'server', 'sdk', 'dashboard']
  const newest = Math.max(...packages.map((name) => newestIn(path(`${name}/src`))))
  return statSync(STAMP).mtimeMs >= newest
}

/** Remembers that everything was built now. */
export function markBuilt() {
  writeFileSync(STAMP, '')
}
