import { homedir } from 'node:os'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { configFolders, CONFIG_NAME, ConfigError, loadConfig, userFolder } from '../config/config.js'
import { parseIni, type IniSection } from '../config/ini.js'
import { readConfigText } from '../link/config-file-client.js'
import { changeSection } from '../link/ini-edit.js'
import { ownerOfToken } from '../link/link-client.js'
import { LinkError } from '../link/link-error.js'
import type { KnownPrinter } from '../link/printer-section.js'

/** The configuration as it is before a printer is linked. */
export interface OldConfig {
  readonly path: string
  readonly text: string
  readonly serverUrl: string | undefined
  readonly printers: readonly OldPrinter[]
}

export interface OldPrinter {
  readonly name: string
  readonly authToken: string | undefined
  readonly place: string | undefined
}

/** Where a configuration is, or would be written. */
export function configPath(given: string | undefined): string {
  if (given !== undefined) return resolve(userFolder(), given)
  const existing = configFolders().find((folder) => existsSync(join(folder, CONFIG_NAME)))
  const klipper = join(homedir(), 'printer_data', 'config')
  const fresh = existsSync(klipper) ? klipper : join(homedir(), '.config', 'printwarden')
  return join(existing ?? fresh, CONFIG_NAME)
}

/**
 * Reads what is there. A file that cannot be read as INI is left alone.
 *
 * @throws {LinkError} bad_config
 */
export async function readOldConfig(path: string): Promise<OldConfig> {
  const text = await readConfigText(path)
  const { sections, problems } = parseIni(text)
  const [problem] = problems
  if (problem !== undefined) throw new LinkError('bad_config', `${path}:${problem.line}: ${problem.message}`)
  // Tokens may stand in files of their own, which the whole configuration knows how to read.
  const loaded = text === '' ? undefined : await loadConfig(path).catch(ignoreProblems)
  const printers = sections
    .filter(({ name }) => name.startsWith('printer '))
    .map((section): OldPrinter => {
      const name = section.name.slice('printer '.length)
      const token = loaded?.config.printers.find((one) => one.name === name)?.authToken
      return { name, authToken: token ?? valueOf(section, 'auth_token'), place: placeOf(section) }
    })
  const server = sections.find(({ name }) => name === 'server')
  return { path, text, serverUrl: server && valueOf(server, 'url')?.replace(/\/+$/, ''), printers }
}

function ignoreProblems(error: unknown): undefined {
  if (!(error instanceof ConfigError)) throw error
  return undefined
}

const valueOf = ({ entries }: IniSection, key: string): string | undefined =>
  entries.find((entry) => entry.key === key)?.value

const placeOf = (section: IniSection): string | undefined =>
  valueOf(section, 'url')?.replace(/\/+$/, '') ?? valueOf(section, 'device')

/** The printers of the configuration, and which of them the server still knows by their tokens. */
export async function knownPrinters(old: OldConfig, server: string, signal: AbortSignal): Promise<KnownPrinter[]> {
  return Promise.all(
    old.printers.map(async ({ name, authToken, place }) => {
      const owner = authToken === undefined ? undefined : await ownerOfToken(server, authToken, signal)
      return { name, id: owner?.id, place }
    }),
  )
}

/** What linking found out, to be written. */
export interface NewPrinter {
  readonly server: string
  readonly section: string
  readonly authToken: string
  /** The keys of the host, such as `host`, `url` and `api_key`. */
  readonly host: Readonly<Record<string, string>>
  /** The keys of a camera; only for a printer that has none yet. */
  readonly camera: Readonly<Record<string, string>> | undefined
}

/** The text of the configuration with this printer in it. All else stays as it is. */
export function withPrinter({ text, serverUrl, printers }: OldConfig, printer: NewPrinter): string {
  const isKnown = printers.some(({ name }) => name === printer.section)
  const withServer =
    serverUrl === printer.server ? text : changeSection(text, { section: 'server', set: { url: printer.server } })
  // A secret in a file and the same in the text exclude each other.
  const unset = ['auth_token_file']
  if (printer.host['api_key'] !== undefined) unset.push('api_key_file')
  if (printer.host['api_key_file'] !== undefined) unset.push('api_key')
  const section = `printer ${printer.section}`
  unset.push(...otherHostsKeys(text, section, printer.host))
  const set = { auth_token: printer.authToken, ...printer.host }
  const done = changeSection(withServer, { section, set, unset })
  if (isKnown || printer.camera === undefined) return done
  return changeSection(done, { section: `camera ${printer.section} main`, set: printer.camera })
}

/** The keys of the host that the printer had before, when it is now one of another kind. */
function otherHostsKeys(text: string, name: string, host: NewPrinter['host']): string[] {
  const section = parseIni(text).sections.find((one) => one.name === name)
  if (section === undefined || valueOf(section, 'host') === host['host']) return []
  return section.entries.map(({ key }) => key).filter((key) => key !== 'auth_token' && !(key in host))
}
