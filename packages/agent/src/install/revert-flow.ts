import { rm, rmdir, unlink, writeFile } from 'node:fs/promises'
import { readText } from './apply-flow.js'
import { withoutAppended } from './moonraker.js'
import type { Change } from './record.js'

/** Takes one change back. Answers what could not be taken back since somebody has changed it meanwhile, in words. */
export async function revertChange(change: Change): Promise<string | undefined> {
  switch (change.type) {
    case 'folder':
      return removeEmpty(change.path)
    case 'program':
      await rm(change.path, { recursive: true, force: true })
      return undefined
    case 'file':
      if (change.before === null) await unlink(change.path).catch(ignoreMissing)
      else await writeFile(change.path, change.before)
      return undefined
    case 'append': {
      const text = await readText(change.path)
      const without = text === undefined ? undefined : withoutAppended(text, change.text)
      if (without === undefined) return `“${change.text.trim()}” is no longer in ${change.path}`
      await writeFile(change.path, without)
      return undefined
    }
  }
}

/** A folder that holds something by now, such as the state of the agent, stays. */
async function removeEmpty(path: string): Promise<string | undefined> {
  try {
    await rmdir(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return `${path} holds files, so it stays`
    ignoreMissing(error)
  }
  return undefined
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}
