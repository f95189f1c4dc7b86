import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat, statfs } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Finding } from '../doctor/checks.js'
import {
  diskFinding,
  moonrakerFindings,
  platformFindings,
  secretFinding,
  unitFinding,
  type UnitState,
} from '../doctor/checks-machine.js'
import { parseIni } from '../config/ini.js'
import { moonrakerFiles } from '../install/machine-client.js'
import { SECTION_FILE } from '../install/moonraker.js'
import { unitPath } from '../install/plan.js'
import { SERVICE } from '../install/unit.js'

const run = promisify(execFile)

/** What can be said of the machine alone, whatever the printers do. */
export async function checkMachine(configPath: string): Promise<Finding[]> {
  const unit = await unitState()
  return [
    ...platformFindings(process.arch, process.versions.node),
    ...(await secretFindings(configPath)),
    await freeSpace(dirname(configPath)),
    unitFinding(unit),
    ...moonraker(unit.scope === 'system'),
  ]
}

/** The configuration and the files that it names for its secrets. Windows has no such modes. */
async function secretFindings(configPath: string): Promise<Finding[]> {
  if (process.platform === 'win32') return []
  const { sections } = parseIni(await readFile(configPath, 'utf8'))
  const named = sections
    .flatMap(({ entries }) => entries)
    .filter(({ key }) => /^(auth_token|api_key)_file$/.test(key))
    .map(({ value }) => resolve(dirname(configPath), value.replace(/^~/, homedir())))
    .filter((path) => existsSync(path))
  const paths = [...new Set([configPath, ...named])]
  return Promise.all(paths.map(async (path) => secretFinding(path, (await stat(path)).mode)))
}

async function freeSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  return diskFinding(bavail * bsize)
}

async function unitState(): Promise<UnitState> {
  const home = homedir()
  const isSystem = existsSync(unitPath({ isRoot: true, home }))
  if (!isSystem && !existsSync(unitPath({ isRoot: false, home }))) return { scope: undefined, active: '', enabled: '' }
  const ask = (question: string): Promise<string> => systemctl([...(isSystem ? [] : ['--user']), question, SERVICE])
  const [active, enabled] = await Promise.all([ask('is-active'), ask('is-enabled')])
  return { scope: isSystem ? 'system' : 'user', active, enabled }
}

/** One word of systemd; it says "no" by its exit code as well. */
async function systemctl(args: readonly string[]): Promise<string> {
  const said = await run('systemctl', [...args], { timeout: 5000 }).catch((error: { stdout?: string }) => error)
  const word = said.stdout?.trim() ?? ''
  return /^[a-z-]+$/.test(word) ? word : 'unknown'
}

function moonraker(isSystemService: boolean): Finding[] {
  const files = moonrakerFiles(homedir(), '/')
  if (files === undefined) return []
  const hasSection = existsSync(join(files.data, 'config', SECTION_FILE))
  return moonrakerFindings({ ...files, hasSection }, isSystemService)
}
