import { SERVICE } from './unit.js'

/** The file with our section, beside `moonraker.conf`. Not `.cfg`: some people let Klipper read all of those. */
export const SECTION_FILE = `${SERVICE}.moonraker.conf`

/** Where releases come from: the owner and the name of a repository. */
export type Repository = `${string}/${string}`

/** Whether a text names a repository. */
export function isRepository(text: string): text is Repository {
  return /^[A-Za-z0-9][\w.-]{0,99}\/[\w.-]{1,100}$/.test(text)
}

/** Moonraker's update section: a zip of the newest release replaces the folder, less what npm has put there. */
export function updateSection(options: { repository: Repository; folder: string; isUserUnit: boolean }): string {
  // Moonraker restarts services of the system only; a user's own it cannot reach.
  const service = options.isUserUnit ? 'is_system_service: False' : `managed_services: ${SERVICE}`
  return `# Made by "printwarden-agent install", removed by "printwarden-agent uninstall".
[update_manager ${SERVICE}]
type: zip
channel: stable
repo: ${options.repository}
path: ${options.folder}
persistent_files:
  node_modules
${service}
`
}

/** What Moonraker reads to know which release is there. */
export function releaseInfo(repository: Repository, version: string): string {
  const [owner, name] = repository.split('/')
  const info = { project_name: name, project_owner: owner, version: `v${version}`, asset_name: `${SERVICE}.zip` }
  return `${JSON.stringify(info)}\n`
}

/** What to append to `moonraker.conf` so that our file is read; undefined when it is read already. */
export function includeFor(text: string): string | undefined {
  const line = `[include ${SECTION_FILE}]`
  if (text.split(/\r?\n/).some((one) => one.trim() === line)) return undefined
  return appended(text, line)
}

/** What to append to `moonraker.asvc` so that our service may be restarted; undefined when it may be already. */
export function serviceFor(text: string): string | undefined {
  const isThere = text.split(/\r?\n/).some((one) => one.trim().replace(/\.service$/, '') === SERVICE)
  return isThere ? undefined : appended(text, SERVICE)
}

/** A line as it must be put behind a text whose last line may lack its end. */
function appended(text: string, line: string): string {
  return text === '' || text.endsWith('\n') ? `${line}\n` : `\n${line}\n`
}

/** The text without what was appended, byte for byte; undefined when somebody has taken that out already. */
export function withoutAppended(text: string, added: string): string | undefined {
  const at = text.lastIndexOf(added)
  return at < 0 ? undefined : text.slice(0, at) + text.slice(at + added.length)
}
