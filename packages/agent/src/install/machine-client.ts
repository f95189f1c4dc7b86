import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { CONFIG_NAME } from '../config/config.js'
import type { Owner } from './owner-client.js'
import { isRepository, type Repository } from './moonraker.js'
import type { MoonrakerFiles, Program } from './plan.js'

const run = promisify(execFile)

/** Groups that may use cameras and serial lines. */
const DEVICE_GROUPS = ['video', 'dialout', 'uucp']

/** A user of this system. */
export interface SystemUser extends Owner {
  readonly name: string
}

/** Whether this process may change the whole system. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** The user of that name, or who runs this process; undefined when there is no such user. */
export function findUser(name: string | undefined): SystemUser | undefined {
  if (name === undefined) {
    const { username, uid, gid } = userInfo()
    return { name: username, uid, gid, home: homedir() }
  }
  for (const line of readLines('/etc/passwd')) {
    const [user, , uid, gid, , home] = line.split(':')
    if (user === name && home !== undefined) return { name, uid: Number(uid), gid: Number(gid), home }
  }
  return undefined
}

/** The configuration of a user, as `run` finds it for that user. */
export function configOf(home: string, prefix: string): string | undefined {
  const places = ['printer_data/config', '.config/printwarden'].map((folder) => join(home, folder, CONFIG_NAME))
  return places.find((path) => existsSync(join(prefix, path)))
}

/** Those of the device groups that this system has. */
export function deviceGroups(): string[] {
  const names = readLines('/etc/group').map((line) => line.split(':')[0])
  return DEVICE_GROUPS.filter((group) => names.includes(group))
}

function readLines(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
}

/** The major version of systemd; 0 where there is none. */
export async function systemdVersion(): Promise<number> {
  try {
    const { stdout } = await run('systemctl', ['--version'], { timeout: 5000 })
    return Number(/^systemd (\d+)/.exec(stdout)?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** Whether systemd runs this system now, not merely lies on its disk. */
export function hasSystemd(): boolean {
  return existsSync('/run/systemd/system')
}

/** Moonraker's files of a user, when it is there. */
export function moonrakerFiles(home: string, prefix: string): MoonrakerFiles | undefined {
  const data = join(home, 'printer_data')
  const conf = join(prefix, data, 'config/moonraker.conf')
  if (!existsSync(conf)) return undefined
  const services = join(prefix, data, 'moonraker.asvc')
  return {
    data,
    conf: readFileSync(conf, 'utf8'),
    services: existsSync(services) ? readFileSync(services, 'utf8') : undefined,
  }
}

/** The program that runs now. What npx has fetched, and what lies in a temporary folder, may be gone tomorrow. */
export function runningProgram(version: string): Program {
  const file = realpathSync(process.argv[1] ?? '')
  const modules = /^(.*\/node_modules)\/printwarden-agent\//.exec(file)?.[1]
  const isPassing = file.includes('/_npx/') || file.startsWith(`${realpathSync(tmpdir())}/`)
  // npx starts a small file that leads to the program; the service starts the program.
  return { file, version, passing: isPassing ? modules : undefined }
}

const Manifest = z.object({ repository: z.union([z.string(), z.object({ url: z.string() })]).optional() })
const Release = z.object({ project_name: z.string(), project_owner: z.string() })

/**
 * Where releases of this program come from. Moonraker replaces the whole folder of the program, so for one that stays where it
 * is only what lies beside it counts: then the folder is that of a release. One that is copied has a folder of its own, and
 * may say it by its package, or its user by `given`.
 */
export function repositoryOf({ file, passing }: Program, given: Repository | undefined): Repository | undefined {
  if (passing !== undefined) return given ?? repositoryOfPackage(file)
  const release = Release.safeParse(readJson(join(dirname(file), 'release_info.json'))).data
  const named = release && `${release.project_owner}/${release.project_name}`
  return named !== undefined && isRepository(named) ? named : undefined
}

function repositoryOfPackage(file: string): Repository | undefined {
  const { repository } = Manifest.safeParse(readJson(join(dirname(file), '../package.json'))).data ?? {}
  const url = typeof repository === 'string' ? repository : repository?.url
  const found = /^(?:github:|.*github\.com[/:])?([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url ?? '')?.[1]
  return found !== undefined && isRepository(found) ? found : undefined
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
