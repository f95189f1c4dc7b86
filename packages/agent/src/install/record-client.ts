import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readText } from './apply-flow.js'
import { giveTo, type Owner } from './owner-client.js'
import { recordFolder } from './plan.js'
import { InstallRecord } from './record.js'

/** Where the record of a user's installation is. */
export function recordPath(home: string, prefix: string): string {
  return join(prefix, recordFolder({ home }), 'installed.json')
}

/** The record; undefined when nothing is installed. Throws when it cannot be understood. */
export async function readRecord(path: string): Promise<InstallRecord | undefined> {
  const text = await readText(path)
  return text === undefined ? undefined : InstallRecord.parse(JSON.parse(text))
}

export async function writeRecord(
  path: string,
  record: InstallRecord,
  ground: { owner: Owner | undefined; prefix: string },
): Promise<void> {
  await writeFile(path, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 })
  await giveTo(path, ground)
}

/** Forgets the installation. */
export async function removeRecord(path: string): Promise<void> {
  await rm(path, { force: true })
}
