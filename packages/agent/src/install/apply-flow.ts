import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { giveTo, type Owner } from './owner-client.js'
import { withChange, type Change, type InstallRecord } from './record.js'
import type { Step } from './steps.js'

const run = promisify(execFile)
const COMMAND_TIMEOUT_MS = 60_000

/** Where and for whom steps are carried out. */
export interface Ground {
  /** Stands before every path: `/` on a real system, a folder in tests and when an image is made. */
  readonly prefix: string
  /** Whom new files belong to; undefined when that is whoever runs this. */
  readonly owner: Owner | undefined
}

/** What became of a step. */
export type StepResult = 'done' | 'already' | 'skipped'

/** Carries out one step, or finds that nothing is left to do. Answers the record with what was changed. */
export async function applyStep(
  step: Step,
  ground: Ground,
  record: InstallRecord,
): Promise<{ result: StepResult; record: InstallRecord }> {
  const path = 'path' in step ? join(ground.prefix, step.path) : ''
  const changed = (...changes: Change[]): { result: StepResult; record: InstallRecord } => ({
    result: 'done',
    record: changes.reduce(withChange, record),
  })
  const already = { result: 'already', record } as const
  switch (step.type) {
    case 'folder': {
      const made = await makeFolder(path, ground)
      return made.length === 0 ? already : changed(...made)
    }
    case 'program': {
      if ((await readText(join(path, 'version'))) === step.files['version']) return already
      const made = await makeFolder(dirname(path), ground)
      await replaceProgram(path, step, ground)
      return changed(...made, { type: 'program', path })
    }
    case 'file': {
      const before = await readText(path)
      if (before === step.text) return already
      const made = await makeFolder(dirname(path), ground)
      await writeFile(path, step.text, { mode: 0o644 })
      await giveTo(path, ground)
      return changed(...made, { type: 'file', path, before: before ?? null })
    }
    case 'append': {
      const before = (await readText(path)) ?? ''
      await writeFile(path, before + step.text)
      return changed({ type: 'append', path, text: step.text })
    }
    case 'run': {
      if (ground.prefix !== '/') return { result: 'skipped', record }
      const [command = '', ...args] = step.command
      await run(command, args, { timeout: COMMAND_TIMEOUT_MS })
      return { result: 'done', record }
    }
  }
}

/** Makes a folder and those above it; answers those that were not there. */
async function makeFolder(path: string, ground: Ground): Promise<Change[]> {
  const missing: string[] = []
  for (let folder = path; !(await isThere(folder)); folder = dirname(folder)) missing.unshift(folder)
  for (const folder of missing) {
    await mkdir(folder, { mode: 0o755 })
    await giveTo(folder, ground)
  }
  return missing.map((folder) => ({ type: 'folder', path: folder }))
}

/** Puts the new program in the place of the old one, so that there is always a whole one. */
async function replaceProgram(path: string, step: Extract<Step, { type: 'program' }>, ground: Ground): Promise<void> {
  const fresh = `${path}.new`
  const old = `${path}.old`
  await rm(fresh, { recursive: true, force: true })
  await rm(old, { recursive: true, force: true })
  await mkdir(fresh, { recursive: true })
  // Links lead out of the folder that npm may remove any day; what they lead to is copied.
  await cp(step.modules, join(fresh, 'node_modules'), { recursive: true, dereference: true })
  for (const [name, text] of Object.entries(step.files)) await writeFile(join(fresh, name), text)
  await giveTo(fresh, ground, { isDeep: true })
  if (await isThere(path)) await rename(path, old)
  await rename(fresh, path)
  await rm(old, { recursive: true, force: true })
}

/** The text of a file; undefined when there is none. */
export async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
