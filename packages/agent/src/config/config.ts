import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { CameraConfig } from './camera-config.js'
import { readConfig, type AgentConfig, type PrinterConfig } from './config-schema.js'
import { parseIni, type IniEntry, type IniFile, type IniProblem, type IniSection } from './ini.js'

/** The name of the configuration file. */
export const CONFIG_NAME = 'printwarden-agent.cfg'

/** The configuration cannot be used. `problems` has one line for each thing that is wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
  }
}

export interface LoadedConfig {
  readonly path: string
  /** Where the state lies that must survive a restart. */
  readonly stateFolder: string
  readonly config: AgentConfig
}

/** The folder the user stands in. npm changes into the package's folder and leaves a note. */
export function userFolder(): string {
  return process.env.INIT_CWD ?? process.cwd()
}

/** The folders in which the configuration is looked for, the first one that has it wins. */
export function configFolders(): string[] {
  return [join(homedir(), 'printer_data', 'config'), join(homedir(), '.config', 'printwarden'), userFolder()]
}

/** The folder of the log file: only where Klipper's folders are, which its users know to look into. */
export function logFolder(): string | undefined {
  const folder = join(homedir(), 'printer_data', 'logs')
  return existsSync(folder) ? folder : undefined
}

/** How much is logged: `PRINTWARDEN_LOG_LEVEL`, as for the server. */
export function logLevel(): string {
  const level = process.env.PRINTWARDEN_LOG_LEVEL
  return level && ['debug', 'info', 'warn', 'error'].includes(level) ? level : 'info'
}

/** Tokens for `simulate` from the environment, separated by spaces or commas. */
export function tokensFromEnvironment(): string[] {
  return splitTokens(process.env.PRINTWARDEN_AGENT_TOKENS ?? '')
}

/** Tokens of a file, one or more on a line. */
export async function tokensFromFile(path: string): Promise<string[]> {
  return splitTokens(await readFile(resolve(userFolder(), path), 'utf8'))
}

function splitTokens(text: string): string[] {
  return text.split(/[\s,]+/).filter((token) => token !== '')
}

/**
 * Finds, reads and checks the configuration.
 *
 * @throws {ConfigError} with every problem, when there is any
 */
export async function loadConfig(given?: string): Promise<LoadedConfig> {
  const path = given === undefined ? findConfig() : resolve(userFolder(), given)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError([`${path}: ${readingProblem(error)}`])
  })
  const folder = dirname(path)
  const { file, problems } = await withSecrets(parseIni(text), folder)
  const result = readConfig({ ...file, problems: [...file.problems, ...problems] })
  if (!result.config) throw new ConfigError(result.problems.map(({ line, message }) => `${path}:${line}: ${message}`))
  return { path, stateFolder: join(folder, 'printwarden-agent.state'), config: withFolders(result.config, folder) }
}

function findConfig(): string {
  const folders = configFolders()
  const folder = folders.find((candidate) => existsSync(join(candidate, CONFIG_NAME)))
  if (folder === undefined) {
    throw new ConfigError([`no ${CONFIG_NAME} in ${folders.join(', ')}; name another file with --config`])
  }
  return join(folder, CONFIG_NAME)
}

/** Puts the content of `auth_token_file`, `api_key_file` and `password_file` in the place of the key without `_file`. */
async function withSecrets(file: IniFile, folder: string): Promise<{ file: IniFile; problems: IniProblem[] }> {
  const problems: IniProblem[] = []
  const sections: IniSection[] = []
  for (const section of file.sections) {
    const entries: IniEntry[] = []
    for (const entry of section.entries) {
      const key = /^(auth_token|api_key|password)_file$/.exec(entry.key)?.[1]
      if (key === undefined) {
        entries.push(entry)
        continue
      }
      if (section.entries.some((other) => other.key === key)) {
        problems.push({ line: entry.line, message: `[${section.name}] ${entry.key} and ${key} exclude each other` })
        continue
      }
      const path = resolveNear(entry.value, folder)
      const value = await readFile(path, 'utf8').catch((error: unknown) => {
        problems.push({
          line: entry.line,
          message: `[${section.name}] ${entry.key}: ${path}: ${readingProblem(error)}`,
        })
      })
      // A file that cannot be read is the problem, not that the key is missing then.
      entries.push({ key, value: value?.trim() ?? String(entry.line).padStart(40, '0'), line: entry.line })
    }
    sections.push({ ...section, entries })
  }
  return { file: { ...file, sections }, problems }
}

function withFolders(config: AgentConfig, folder: string): AgentConfig {
  const camera = (value: CameraConfig): CameraConfig =>
    value.source.type === 'pictures'
      ? { ...value, source: { type: 'pictures', folder: resolveNear(value.source.folder, folder) } }
      : value
  const printer = (value: PrinterConfig): PrinterConfig => ({ ...value, cameras: value.cameras.map(camera) })
  return { ...config, printers: config.printers.map(printer) }
}

/** A relative path means the folder the user stands in; a service stands in none, so then the configuration's folder. */
function resolveNear(path: string, folder: string): string {
  const home = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
  const here = resolve(userFolder(), home)
  return existsSync(here) ? here : resolve(folder, home)
}

function readingProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES') return 'this user may not read it'
  return error instanceof Error ? error.message : String(error)
}
