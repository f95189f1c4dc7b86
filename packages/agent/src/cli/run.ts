import { cameraSecrets } from '../config/camera-config.js'
import { ConfigError, loadConfig, logFolder, logLevel, type LoadedConfig } from '../config/config.js'
import type { AgentConfig } from '../config/config-schema.js'
import { EXIT } from './exit-codes.js'
import { openLog } from '../log/log-output.js'
import { runFleet } from './fleet.js'
import { agentVersion } from './version.js'

/** `printwarden-agent run`: serves the printers of the configuration, in the foreground. Answers the exit code. */
export async function run(options: { config?: string }): Promise<number> {
  const loaded = await loadOrComplain(options.config)
  if (!loaded) return EXIT.badConfig
  const { path, stateFolder, config } = loaded
  const log = await openLog({ level: logLevel(), folder: logFolder(), secrets: secretsOf(config) })
  log.info({ config: path }, 'configuration read')
  return runFleet({ ...config, stateFolder, version: agentVersion(), log })
}

/** Loads the configuration; says all that is wrong with it, one problem a line. */
export async function loadOrComplain(path: string | undefined): Promise<LoadedConfig | undefined> {
  try {
    return await loadConfig(path)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error('printwarden-agent: the configuration cannot be used:')
    for (const problem of error.problems) console.error(`  ${problem}`)
    return undefined
  }
}

/** What must never be seen in a log. */
export function secretsOf({ printers }: AgentConfig): string[] {
  return printers.flatMap(({ authToken, host, cameras }) => [
    authToken,
    ...cameras.flatMap(cameraSecrets),
    ...('api_key' in host && host.api_key ? [host.api_key] : []),
  ])
}
